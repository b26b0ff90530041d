import ScanModel
import ScanPipeline

/// Cuts the cloud and the mesh by height and distance.
public struct Crop: CaptureStage, DemandingStage {
    public enum Zero: String, CaseIterable, Sendable { case auto, floor, origin }
    public enum Centre: String, CaseIterable, Sendable { case cameras, focus, box, origin }

    public static let card = StageCard(
        name: "crop",
        summary: "Cut the cloud and the mesh: what is above the ceiling, below the floor, too far away.",
        details: """
            `above: 0.02` keeps what is higher than 2 cm, `below: 2.3` what is lower than 2.3 m, `around: 3` what is
            within 3 m of the centre, measured on the ground. Points on the limit stay. Heights are measured along the
            world's up, from the floor if `find-floor` has found one, otherwise from the world's origin, with a warning
            if it looked for one in vain; `from: floor` requires a floor. A capture that does not say which way is up
            has neither heights nor ground, and fails. So does one of which nothing is left, unless `if-empty` says
            otherwise.

            Below `fuse-depth` the mesh is cut too: a triangle stays if all its corners do.

            The centre is the mean of the camera positions, `focus`, the box's centre, or the world's origin. An object
            that was filmed from all round stands amid the cameras; for one that was filmed from one side, use `focus`:
            the point nearest to the optical axes of the cameras. Each axis counts by its distance, not by the square of
            it, so that a few frames that look elsewhere do not pull the point along. The receipt has it under `focus`.
            Where the axes are nearly parallel or most cameras look outwards, as in a room, there is no such point; then
            a warning says so, and the mean of the camera positions is used.
            """,
        example: "- crop: {above: 0.02, around: 2}", revision: 4)

    let above: Double?
    let below: Double?
    let around: Double?
    let zero: Zero
    let centre: Centre
    let consequence: Consequence
    let cutsMesh: Bool
    /// Where points are made above it, a cut of the mesh alone would leave them as they are.
    let needsCloud: Bool

    public init(_ options: inout OptionReader) {
        let heights = -10_000.0...10_000
        let usual = -100.0...100
        above = options.number("above", "Keep what is at least this high.", in: heights, usual: usual, unit: "m")
        below = options.number("below", "Keep what is at most this high.", in: heights, usual: usual, unit: "m")
        around = options.number(
            "around", "Keep what is at most this far from the centre.", in: 0...10_000, usual: 0...200, unit: "m")
        zero = options.choice("from", "Where heights are counted from.", default: .auto)
        centre = options.choice("centre", "What `around` is measured from.", default: .cameras)
        consequence = options.choice("if-empty", "What to do when nothing is left.", default: .fail)
        cutsMesh = options.isBelow(FuseDepth.self)
        needsCloud = !cutsMesh || options.isBelow(Unproject.self)
        if !["above", "below", "around"].contains(where: options.isGiven) {
            options.fail(nil, "crop has nothing to do", "give it `above`, `below` or `around`")
        }
        options.warn("centre", unless: around != nil, "with `around`")
        options.warn("from", unless: countsHeights, "with `above` or `below`")
        if countsHeights && !options.isGiven("from") && !options.isBelow(FindFloor.self) {
            options.warn(
                above == nil ? "below" : "above",
                "heights are counted from the world's origin, where the app was started or a camera stood",
                fix: "put `find-floor` above it, to count them from the floor, or say `from: origin`")
        }
        if let above, let below, above > below {
            let (low, high) = (OptionText.number(above), OptionText.number(below))
            options.refuse(
                "above", above: "below", blaming: "above", "`above: \(low)` and `below: \(high)` leave nothing")
        }
    }

    private var countsHeights: Bool { above != nil || below != nil }
    private var needsFloor: Bool { zero == .floor && countsHeights }

    public var uses: Uses {
        let isMeasured = around != nil
        return Uses(
            finish: .init(
                needs: (needsCloud ? [.cloud] : []) + (cutsMesh ? [.mesh] : []) + (needsFloor ? [.floor] : [])
                    + (isMeasured && centre == .box ? [.box] : [])
                    + (isMeasured && [.cameras, .focus].contains(centre) ? [.frames, .pose] : []),
                wants: [.cloud] + (zero == .auto ? [.floor] : []),
                changes: [.cloud] + (cutsMesh ? [.mesh] : [])),
            instead: [[.cloud]: [.cloudFromDepth], [.pose]: [.option("centre", set: "origin", not: centre.rawValue)]])
    }

    private static func up(of capture: Capture, _ label: String) throws(Problem) -> Vector3 {
        try capture.requiredUp(
            "so there are no heights and no ground",
            fix: "use a pipeline without \(label) for captures like this one, or cut with a box in a file: "
                + "`cull-by-box: {box: FILE}`")
    }

    public func check(_ capture: Capture, _ label: String) throws(Problem) { _ = try Self.up(of: capture, label) }

    public func finish(_ capture: inout Capture, in context: StageContext) throws(Problem) {
        let region = try region(of: capture, context)
        if context.reads.contains(.cloud), let whole = capture.cloud {
            var cloud = whole
            cloud.keep(region.contains)
            context.count(cut: cloud, from: whole)
            capture.cloud = cloud
            if cloud.count == 0 { try reportNothingLeft(of: whole, .cloud, region, &capture, context) }
        }
        if cutsMesh, let whole = capture.mesh {
            var mesh = whole
            mesh.keep(region.contains)
            context.count(cut: mesh, from: whole)
            capture.mesh = mesh
            if mesh.triangleCount == 0 { try reportNothingLeft(of: whole.vertices, .mesh, region, &capture, context) }
        }
    }

    /// What stays.
    private struct Region {
        let up: Vector3
        /// What heights are counted from, along `up` from the world's origin.
        let ground: Double
        let heights: ClosedRange<Double>
        let centre: Vector3
        let reach: Double

        func height(of point: Vector3) -> Double { up.dot(point) }

        /// Measured on the ground.
        func distance(of point: Vector3) -> Double {
            let offset = point - centre
            return (offset - up * up.dot(offset)).length
        }

        func contains(_ point: Vector3) -> Bool {
            heights.contains(height(of: point)) && distance(of: point) <= reach
        }
    }

    private func region(of capture: Capture, _ context: StageContext) throws(Problem) -> Region {
        let up = try Self.up(of: capture, context.label)
        context.warnUnlessMetric(capture, "lengths may not be in metres")
        if needsFloor && capture.floor == nil {
            throw Problem(
                .input, "no floor was found to count heights from",
                fix: "do without it where there is none with  " + ShellWord.setting(context.label, "from=auto")
            ).ofPipeline()
        }
        if zero == .auto, countsHeights, let absence = capture.absences[.floor]?.reason {
            context.warn(
                "heights were counted from the world's origin, for lack of a floor: \(absence); `from: floor` fails "
                    + "such captures")
        }
        let ground = zero == .origin ? 0 : capture.floor?.height ?? 0
        // In single precision, as points are: one that was recorded at 0.02 stays with `above: 0.02`.
        let limit = { (number: Double) in Double(Float(number)) }
        return Region(
            up: up, ground: ground,
            heights: limit((above ?? -.infinity) + ground)...limit((below ?? .infinity) + ground),
            centre: around == nil ? .zero : centrePoint(capture, context), reach: limit(around ?? .infinity))
    }

    /// - Parameters:
    ///   - all: the points that were there before, or the mesh's corners.
    ///   - channel: the cloud or the mesh.
    /// - Throws: unless `if-empty` allows it.
    private func reportNothingLeft(
        of all: PointCloud, _ channel: Channel, _ region: Region, _ capture: inout Capture, _ context: StageContext
    ) throws(Problem) {
        let what = channel == .mesh ? "triangle" : "point"
        let summary =
            all.count == 0
            ? "the stages above left no \(what) of the capture" : "no \(what) lies within the limits"
        guard consequence == .fail else {
            // Once is enough.
            if all.count > 0 || capture.absences[channel] == nil { context.warn("\(summary), so nothing is left") }
            capture.absences[channel] = "\(context.label) left nothing of it"
            return
        }
        let goingOn = "or accept an empty result with  " + ShellWord.setting(context.label, "if-empty=warn")
        if all.count == 0 {
            throw Problem(.input, summary, fix: "loosen the masks above \(context.label), \(goingOn)").ofPipeline()
        }
        let unit = capture.isMetric ? "m" : "units"
        var notes: [String] = []
        var isAllBelow = false
        if countsHeights {
            let found = (0..<all.count).map { region.height(of: all[$0]) - region.ground }
            let (low, high) = (found.min() ?? 0, found.max() ?? 0)
            isAllBelow = high < above ?? -.infinity
            let origin = zero != .origin && capture.floor != nil ? "floor" : "world's origin"
            notes.append(
                "the \(channel) reaches from \(low.shortText(decimals: 2)) to \(high.shortText(decimals: 2)) \(unit) above "
                    + "the \(origin)")
        }
        if around != nil {
            let nearest = (0..<all.count).map { region.distance(of: all[$0]) }.min() ?? 0
            notes.append("the nearest point is \(nearest.shortText(decimals: 2)) \(unit) from the centre")
        }
        let limits = [("above", above), ("below", below), ("around", around)].filter { $0.1 != nil }
        // To lower `above` would publish the bare ground.
        let cause = isAllBelow ? "if a stage above has cut away what was to stay, mend that; otherwise " : ""
        throw Problem(
            .input, summary, notes: notes,
            fix: "\(cause)loosen \(limits.map { "`\($0.0)`" }.joined(separator: " and ")), \(goingOn)"
        ).ofPipeline()
    }

    private func centrePoint(_ capture: Capture, _ context: StageContext) -> Vector3 {
        switch centre {
        case .origin: return .zero
        case .box: return capture.box?.center ?? .zero
        case .cameras: return capture.meanCameraPosition
        case .focus:
            let lack: String
            switch CameraFocus(of: capture.keptFrames.compactMap(\.pose)) {
            case .point(let point):
                context.record("focus", .array(point.components.map(Measurement.coordinate)))
                context.recordUnlessMetric(capture)
                return point
            case .parallel: lack = "the cameras look in nearly the same direction"
            case .outward: lack = "most cameras look outwards"
            }
            context.warn(
                "\(lack), so there is no one place that they look at: `around` was measured from the mean of their "
                    + "places")
            return capture.meanCameraPosition
        }
    }
}
