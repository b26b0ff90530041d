import ScanModel
import ScanPipeline
import ScanStages

/// What the stages of a pipeline left in a receipt about what they measured or made. What is nil was not measured, or not
/// made.
struct Measured: Sendable {
    var sharpness: Sharpness?
    var motion: Motion?
    var predictedBlur: Spread?
    /// The correlation between the predicted blur and the picture's own score.
    var correlation: Double?
    var coverage: Coverage?
    var depth: Depth?
    var geometry: Geometry?
    var mesh: Mesh?
    var drawing: Drawing?
    /// The pipeline's stages, by name, each with what it says it could not measure, and why.
    private(set) var stages: [String: String?] = [:]

    init() {}

    /// - Parameters:
    ///   - stages: as the receipt has them.
    ///   - files: those of the result.
    ///   - id: the capture's when it ran: the result's folder may have another name since.
    ///   - frameCount: of the source.
    init(_ stages: [JSONValue], files: [String], of id: String, frameCount: Int) {
        // `measure-blur` scores every frame, `filter-blur` those that are left for it; the limit is the filter's.
        let limit = Self.stage("filter-blur", in: stages)?["options"]?["at-least"]?.boundedNumber
        for name in ["measure-blur", "filter-blur"] where sharpness == nil {
            sharpness = Self.stage(name, in: stages).flatMap { Sharpness($0, frameCount: frameCount, limit: limit) }
        }
        motion = Self.stage("measure-motion", in: stages).flatMap { Motion($0["counts"]) }
        let predicted = Self.stage("predict-blur", in: stages)?["counts"]
        predictedBlur = Spread(predicted?["pixels"])
        correlation = predicted?["correlation"]?.boundedNumber
        coverage = Self.stage("report-coverage", in: stages).flatMap { Coverage($0["counts"]) }
        depth = Self.stage("measure-depth", in: stages).flatMap { Depth($0["counts"]) }
        geometry = Self.stage("check-geometry", in: stages).flatMap { Geometry($0["counts"]) }
        // Of several meshes, each of which takes the place of the one before, the last.
        if let place = stages.lastIndex(where: { Self.isNamed("fuse-depth", $0) }) {
            let below = stages[place...]
            let isWriter = { Self.isNamed("write-mesh", $0) }
            let written = below.filter(isWriter).compactMap {
                $0["options"]?["file"]?.string.map { OptionText.path($0, ofCapture: id) }
            }
            // What is cut below the last writer is in no file.
            let cut = below[..<(below.lastIndex(where: isWriter) ?? below.endIndex)]
                .last { $0["counts"]?["triangles-out"] != nil }
            mesh = Mesh(stages[place]["counts"], cut: cut?["counts"], files: written.filter(Set(files).contains))
        }
        drawing = Drawing(stages, files: Set(files), of: id)
        let reasons = stages.map { ($0["name"]?.string ?? "", $0["counts"]?["not-measured"]?.string) }
        // Of a stage that occurs more than once the first counts, as above.
        self.stages = Dictionary(
            reasons.map { (String($0.prefix { $0 != "[" }), $1) }, uniquingKeysWith: { first, _ in first })
    }

    private static func stage(_ name: String, in stages: [JSONValue]) -> JSONValue? {
        stages.first { isNamed(name, $0) }
    }

    /// Whether a stage has this name, also where it occurs more than once (`filter-blur[2]`).
    fileprivate static func isNamed(_ name: String, _ stage: JSONValue) -> Bool {
        let label = stage["name"]?.string
        return label == name || label?.hasPrefix("\(name)[") == true
    }

    /// These of many values.
    struct Spread: Sendable, Hashable {
        var lowest: Double
        var median: Double
        var p90: Double
        var highest: Double

        init?(_ json: JSONValue?) {
            guard let json, let lowest = json["lowest"]?.boundedNumber, let median = json["median"]?.boundedNumber,
                let p90 = json["p90"]?.boundedNumber, let highest = json["highest"]?.boundedNumber
            else { return nil }
            (self.lowest, self.median, self.p90, self.highest) = (lowest, median, p90, highest)
        }
    }

    /// Scores of pictures; higher is sharper.
    struct Sharpness: Sendable {
        private static let binCount = 24
        private static let momentCount = 40

        var lowest: Double
        var median: Double
        var highest: Double
        var count: Int
        /// Below this, frames are dropped.
        var limit: Double?
        /// How many scores are below the limit.
        private(set) var belowLimit: Int?
        /// How many scores lie in each of equal steps from 0 to the highest.
        var histogram: [Int]
        /// The median score in each of equal stretches of the capture; nil where no frame was scored.
        var moments: [Double?]
        /// Source frames.
        var sharpestFrame: Int
        var blurriestFrame: Int

        /// - Parameter limit: the score below which frames are dropped, if there is such a limit.
        init?(_ stage: JSONValue, frameCount: Int, limit: Double?) {
            let scores = (stage["counts"]?["scores"]?.array ?? []).compactMap { score -> (frame: Int, score: Double)? in
                guard let frame = score["frame"]?.asCount, let value = score["score"]?.boundedNumber else { return nil }
                return (frame, max(0, value))
            }
            guard let last = scores.last,
                let best = scores.max(by: { $0.score < $1.score }), let worst = scores.min(by: { $0.score < $1.score }),
                let all = Distribution(scores.lazy.map(\.score))
            else { return nil }
            self.limit = limit
            belowLimit = limit.map { limit in scores.count { $0.score < limit } }
            lowest = worst.score
            highest = best.score
            median = all.median
            count = scores.count
            (sharpestFrame, blurriestFrame) = (best.frame, worst.frame)
            histogram = Array(repeating: 0, count: Self.binCount)
            let step = max(highest, 1e-9) / Double(Self.binCount)
            for (_, value) in scores { histogram[min(Self.binCount - 1, Int(value / step))] += 1 }
            var stretches = Array(repeating: [Double](), count: Self.momentCount)
            let length = max(frameCount, last.frame + 1)
            for (frame, score) in scores where frame < length {
                stretches[frame * Self.momentCount / length].append(score)
            }
            moments = stretches.map { Distribution($0)?.median }
        }
    }

    struct Motion: Sendable {
        /// Whether lengths are in metres; else in a unit of the capture's own.
        var isMetric: Bool
        var unit: String { isMetric ? "m" : "units" }
        var pathLength: Double
        var seconds: Double?
        var speed: Spread?
        var turning: Spread?
        var tooFast: Int?
        var tooSlow: Int?
        /// In m/s, and in degrees per second; nil where the receipt does not say.
        var fastLimit: Double?
        var turningLimit: Double?
        var jumps: PathJumps
        var lostTracking: Int
        /// Places of the camera seen from above, with the speed there where it is known.
        var track: [(a: Double, b: Double, speed: Double?)]
        /// The box seen from above.
        var boxOutline: [(a: Double, b: Double)]

        init?(_ json: JSONValue?) {
            guard let json, let length = json["path-length-m"]?.boundedNumber else { return nil }
            isMetric = json["is-metric"]?.bool ?? true
            pathLength = length
            seconds = json["seconds"]?.boundedNumber
            speed = Spread(json["speed-m-per-s"])
            turning = Spread(json["turning-deg-per-s"])
            tooFast = json["too-fast"]?.asCount
            tooSlow = json["too-slow"]?.asCount
            fastLimit = json["limits"]?["too-fast"]?.boundedNumber
            turningLimit = json["limits"]?["too-fast-turning"]?.boundedNumber
            lostTracking = json["lost-tracking"]?.asCount ?? 0
            typealias Place = (frame: Int, a: Double, b: Double, speed: Double?)
            let places = (json["track"]?.array ?? []).compactMap { place -> Place? in
                guard let values = place.array, values.count >= 4, let frame = values[0].asCount,
                    let a = values[1].boundedNumber, let b = values[2].boundedNumber
                else { return nil }
                return (frame, a, b, values[3].boundedNumber)
            }
            jumps = PathJumps(json)
            // A drawing of a hundred pixels cannot show more places. Each has the highest speed on the way to it: most
            // single frames that were too fast would else be left out.
            let step = max(1, (places.count + 95) / 96)
            track = []
            var fastest: Double?
            for (number, place) in places.enumerated() {
                fastest = [fastest, place.speed].compactMap(\.self).max()
                if !number.isMultiple(of: step) && number < places.count - 1 { continue }
                track.append((place.a, place.b, fastest))
                fastest = nil
            }
            boxOutline = (json["box-outline"]?.array ?? []).compactMap { corner in
                guard let values = corner.doubles, values.count == 2, values.allSatisfy(\.isFinite) else { return nil }
                return (values[0], values[1])
            }
        }
    }

    struct Depth: Sendable {
        /// Whether it is in metres; else in a unit of the capture's own.
        var isMetric: Bool
        var unit: String { isMetric ? "m" : "units" }
        var lowest: Double
        var p05: Double
        var median: Double
        var p95: Double
        var highest: Double
        /// The share of all pixels that have depth.
        var share: Double?
        /// Pixels of low, medium and high confidence; nil where the capture has none.
        var confidence: [Int]?
        /// The share of high confidence; nil where no pixel has any.
        var highShare: Double? {
            guard let confidence, confidence.contains(where: { $0 > 0 }) else { return nil }
            return Double(confidence[2]) / Double(confidence.reduce(0, +))
        }

        init?(_ json: JSONValue?) {
            guard let json, let spread = json["depth-m"], let lowest = spread["lowest"]?.boundedNumber,
                let p05 = spread["p05"]?.boundedNumber, let median = spread["median"]?.boundedNumber,
                let p95 = spread["p95"]?.boundedNumber, let highest = spread["highest"]?.boundedNumber
            else { return nil }
            (self.lowest, self.p05, self.median, self.p95, self.highest) = (lowest, p05, median, p95, highest)
            isMetric = json["is-metric"]?.bool ?? true
            share = json["share-with-depth"]?.boundedNumber
            confidence = json["confidence"].map { levels in ["low", "medium", "high"].map { levels[$0]?.asCount ?? 0 } }
        }
    }

    struct Geometry: Sendable {
        var verdict: String
        var reason: String
        /// What fits better than what is declared: its name, and then in words.
        var fitsBetter: String?
        var cause: String?
        /// What makes up for it; nil where nothing does.
        var remedy: String?
        /// Whether all that is in doubt is that what is seen again lies beside where it was.
        var drifts: Bool
        /// Pairs of frames whose depth does not fit.
        var misfits: [(from: Int, to: Int)]
        /// By which share of itself depth of one frame is off the next one's, in the median.
        var error: Double?

        init?(_ json: JSONValue?) {
            guard let json, let verdict = json["verdict"]?.string else { return nil }
            self.verdict = verdict
            reason = json["reason"]?.string ?? ""
            fitsBetter = json["fits-better"]?.string
            cause = json["meaning"]?.string ?? fitsBetter
            remedy = json["remedy"]?.string
            drifts = json["drifts"]?.bool ?? false
            misfits = (json["pairs-that-do-not-fit"]?.array ?? []).compactMap { pair in
                guard let from = pair["from"]?.asCount, let to = pair["to"]?.asCount else { return nil }
                return (from, to)
            }
            error = json["median-relative-errors"]?["declared"]?.boundedNumber
        }
    }

    /// A picture of the mesh, or else of the cloud, in the result.
    struct Drawing: Sendable {
        /// Where it is in the result.
        var file: String
        /// What it shows: a mesh's `triangles`, or a cloud's `points`.
        var parts: String
        var count: Int

        init?(_ stages: [JSONValue], files: Set<String>, of id: String) {
            for (name, kind, parts) in [("render-mesh", "mesh", "triangles"), ("render-cloud", "cloud", "points")] {
                for stage in stages where Measured.isNamed(name, stage) {
                    // It may draw the cameras alone.
                    if stage["options"]?["cloud"]?.bool == false { continue }
                    guard let view = stage["options"]?["view"]?.string, let count = stage["counts"]?[parts]?.asCount
                    else { continue }
                    let file = SceneDrawing.path(kind, view: view, id: id)
                    if !files.contains(file) { continue }
                    (self.file, self.parts, self.count) = (file, parts, count)
                    return
                }
            }
            return nil
        }
    }

    struct Mesh: Sendable {
        /// Whether the area is in square metres; else in squares of the capture's own unit.
        var isMetric: Bool
        var unit: String { isMetric ? "m²" : "units²" }
        var vertices: Int
        var triangles: Int
        var area: Double
        /// Pieces that were left out.
        var smallPieces: Int
        /// Where it is in the result.
        var files: [String]

        /// - Parameters:
        ///   - json: what its maker counted.
        ///   - cut: what the last stage that cut it counted.
        ///   - files: where it is in the result.
        init?(_ json: JSONValue?, cut: JSONValue?, files: [String]) {
            guard let json, let vertices = (cut?["vertices-out"] ?? json["vertices"])?.asCount,
                let triangles = (cut?["triangles-out"] ?? json["triangles"])?.asCount,
                let area = (cut?["area-out"] ?? json["area"])?.boundedNumber
            else { return nil }
            (self.vertices, self.triangles, self.area) = (vertices, triangles, area)
            smallPieces = json["small-pieces"]?.asCount ?? 0
            isMetric = json["is-metric"]?.bool ?? true
            self.files = files
        }
    }
}
