import ScanModel
import ScanPipeline

/// Renders a known room into an empty capture.
public struct Synthesize: CaptureStage {
    /// How depth is recorded.
    public enum Depth: String, CaseIterable, Sendable { case float16, uint16, none }

    /// How confidence is recorded.
    public enum Confidence: String, CaseIterable, Sendable {
        case levels = "0-2"
        case bytes = "0-255"
        case none
    }

    public static let card = StageCard(
        name: "synthesize",
        summary: "Generate a capture: a known room with a boxed object, filmed by hand, with exact ground truth.",
        details: """
            A reader like `read`, for samples, tests and benchmarks. The capture's path is ignored; nothing is read.
            Pictures and depth are rendered frame by frame when a stage asks for them, so length costs no memory.

            **The room** is 4 × 2.5 × 3 m: x from −2.1 to 1.9, y from −1.4 (the floor) to 1.1, z from −1.4 to 1.6 m. In its
            middle stands a table whose top is at y = −0.68; on it, an object of 32 × 24 × 22 cm, turned by 36.87° about y.
            Every surface has a pattern that is fixed to it.

            **Depth** is z-depth at the centre (u + ½, v + ½) of each depth pixel, exact up to one rounding: to half floats in
            metres as iOS records them (`float16`), or to whole millimetres as Android does (`uint16`). So `unproject` with
            `pixel-centre: half` puts every point on a surface, within depth · 2⁻¹¹ along its ray, or half a millimetre.
            **Confidence** is low where depth jumps by more than 5 % between neighbours or a surface is seen at less than
            6°, medium beside such a jump or at less than 17°, high elsewhere.

            **The camera** is carried round the table by a trembling hand, always looking near the object. Its focal
            length breathes by ±0.9 %. Blurred pictures are the sharp ones under a box filter of radius width / 160.
            **Motion** files have iOS's layout at 60 Hz and follow from the path: rotation rate, acceleration without
            gravity, magnetic field, attitude and gravity, in the camera's axes.

            **The bounding box** is 2 cm larger than the object, but ends 1 cm above the table: it holds points of the object
            alone. With `floor-clamp` it reaches down through the table and a floor cuts it off there.

            The same options give the same bytes on every machine.
            """,
        example: "- synthesize: {frames: 24, rate: 10, seed: 7}")

    let settings: SyntheticSettings
    let hasBox: Bool
    let isClamped: Bool
    let hasMotion: Bool

    public init(_ options: inout OptionReader) {
        var settings = SyntheticSettings()
        settings.frameCount = options.integer("frames", "Number of frames.", default: 60, in: 1...1_000_000)
        settings.seed = UInt64(
            options.integer("seed", "Determines the pattern, the path and the tremor.", default: 1, in: 0...Int.max))
        settings.rate = options.number(
            "rate", "The frame rate.", default: 30, in: 0.1...1000, unit: "frames per second")
        settings.lap = options.number(
            "lap", "Time for one lap round the table; 20 s make a third of a metre per second.", default: 20,
            in: 1...86_400, unit: "s")
        settings.pictureSize = PixelSize(
            options.integer("picture-width", "Width of the pictures.", default: 640, in: 16...4096, unit: "pixels"),
            options.integer("picture-height", "Height of the pictures.", default: 480, in: 16...4096, unit: "pixels"))
        settings.depthSize = PixelSize(
            options.integer("depth-width", "Width of the depth maps.", default: 256, in: 8...4096, unit: "pixels"),
            options.integer("depth-height", "Height of the depth maps.", default: 192, in: 8...4096, unit: "pixels"))
        settings.blurEvery = options.integer(
            "blur-every", "Blur the last picture of every n; 0 for none.", default: 7, in: 0...1_000_000)
        settings.gapEvery = options.integer(
            "gap-every", "After every n frames, skip one on the clock as if it were lost; 0 for never.",
            default: 0, in: 0...1_000_000)
        let depth = options.choice(
            "depth", "How depth is recorded; `none` for a capture without.", default: Depth.float16)
        let confidence = options.choice(
            "confidence", "The range of confidence; `none` for a capture without.", default: Confidence.levels)
        settings.hasPictures = options.flag("pictures", "Include colour pictures.", default: true)
        hasBox = options.flag("box", "Include a bounding box around the object.", default: true)
        isClamped = options.flag("floor-clamp", "Clamp the bounding box to a floor.", default: false)
        hasMotion = options.flag("motion", "Include the motion sensors' files.", default: true)
        settings.depthEncoding =
            switch depth {
            case .float16: .float16Metres
            case .uint16: .uint16(unitsPerMetre: 1000, mask: 0x1FFF)
            case .none: nil
            }
        settings.confidenceRange =
            switch confidence {
            case .levels: 0...2
            case .bytes: 0...255
            case .none: nil
            }
        self.settings = settings
    }

    public var uses: Uses {
        let ways = optional.filter { !$0.isThere }.map { lack in
            (Set([lack.channel]), [Uses.Instead.words("take `\(lack.option)` out of `\(Self.card.name)`")])
        }
        return Uses(finish: .init(makes: channels), instead: Dictionary(uniqueKeysWithValues: ways))
    }

    /// What the capture has, given the options.
    private var channels: [Channel] {
        [.frames, .pose, .intrinsics, .timestamp] + optional.filter(\.isThere).map(\.channel)
    }

    private var optional: [(channel: Channel, isThere: Bool, option: String)] {
        [
            (.color, settings.hasPictures, "pictures: false"),
            (.recordedDepth, settings.depthEncoding != nil, "depth: none"),
            (.recordedConfidence, settings.confidenceRange != nil, "confidence: none"),
            (.box, hasBox, "box: false"), (.motion, hasMotion, "motion: false"),
        ]
    }

    public func finish(_ capture: inout Capture, in context: StageContext) {
        let truth = SyntheticTruth(settings)
        capture.format = "synthetic"
        capture.device = "ScanMill generator"
        capture.channels = Set(channels)
        for (channel, isThere, option) in optional where !isThere {
            capture.absences[channel] = "`\(context.label)` was told `\(option)`"
        }
        capture.frames = (0..<settings.frameCount).map { index in
            var facts = FrameFacts(index: index)
            facts.timestamp = truth.timestamp(of: index)
            facts.pose = truth.pose(of: index)
            facts.intrinsics = truth.intrinsics(of: index)
            return facts
        }
        capture.colorSize = settings.pictureSize
        capture.depthSize = settings.depthEncoding == nil && settings.confidenceRange == nil ? nil : settings.depthSize
        capture.frameRate = settings.rate
        capture.worldUp = Vector3(0, 1, 0)
        capture.isMetric = true
        capture.box = hasBox ? truth.room.boundingBox(isClamped: isClamped) : nil
        let id = capture.id
        capture.motionFiles =
            hasMotion ? MotionKind.allCases.map { MotionFile(kind: $0, path: "\(id).\($0.rawValue)") } : []
        capture.source = SyntheticSource(truth: truth, motionFiles: capture.motionFiles)
        let blurred = settings.hasPictures ? (0..<settings.frameCount).count(where: truth.isBlurred) : 0
        context.record("blurred-frames", .of(blurred))
    }
}
