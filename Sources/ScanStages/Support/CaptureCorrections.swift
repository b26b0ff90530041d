import ScanModel
import ScanPipeline

/// What whoever runs `read` knows better than a capture's files, which leave it open or have it wrong: times, poses, the
/// unit of positions, which way is up.
struct CaptureCorrections: Sendable {
    /// Frames per second of captures without times.
    let rate: Double?
    /// Of captures that do not say which way is up.
    let up: Up
    /// What the poses in the files are.
    let poses: Poses
    /// What positions are multiplied by to be metres; nil where they stay as they are.
    let scale: Double?

    /// As the format says, or one of the usual mistakes.
    enum Poses: String, CaseIterable, Sendable {
        case recorded, inverse
        case cvAxes = "cv-axes"
        case inverseCV = "inverse-cv-axes"
        case transposedRotation = "transposed-rotation"
        case transposedRotationCV = "transposed-rotation-cv-axes"

        var mistake: GeometryHypothesis? { GeometryHypothesis(rawValue: rawValue) }
    }

    /// An axis of the world, or what the capture says.
    enum Up: String, CaseIterable, Sendable {
        case recorded, x, y, z
        case minusX = "-x"
        case minusY = "-y"
        case minusZ = "-z"

        var axis: WorldAxis? { WorldAxis(rawValue: rawValue) }
    }

    /// Declares the options `rate`, `up`, `poses` and `scale`.
    init(_ options: inout OptionReader) {
        rate = options.number(
            "rate", "The frame rate of captures without times of their own.", in: 0.1...1000,
            unit: "frames per second")
        up = options.choice(
            "up", "Which way is up in captures that do not say so; `recorded` leaves it open.", default: .recorded)
        poses = options.choice(
            "poses", "What the poses in the files are, where they are not what the format says.", default: .recorded)
        scale = options.number(
            "scale", "What all positions are multiplied by to be metres, where they are in another unit.",
            in: 1e-6...1e6)
    }

    func apply(to capture: inout Capture, _ context: StageContext) {
        addTimes(to: &capture, context)
        correctPoses(of: &capture, context)
        correctScale(of: &capture, context)
        addUp(to: &capture, context)
    }

    private func addTimes(to capture: inout Capture, _ context: StageContext) {
        guard let rate, !capture.channels.contains(.timestamp), !capture.frames.isEmpty else { return }
        for index in capture.frames.indices {
            capture.frames[index].timestamp = Int64((Double(index) * 1e9 / rate).rounded())
        }
        capture.channels.insert(.timestamp)
        capture.frameRate = capture.frameRate ?? rate
        context.note("the capture has no times: frame n counts as taken after n / \(OptionText.number(rate)) s")
    }

    private func correctPoses(of capture: inout Capture, _ context: StageContext) {
        guard let mistake = poses.mistake, capture.channels.contains(.pose) else { return }
        let file = PoseInFile(of: capture)
        for index in capture.frames.indices {
            capture.frames[index].pose = capture.frames[index].pose.map { mistake.pose($0, file) }
        }
        capture.findings[Self.posesKey] = .string(poses.rawValue)
        context.note("taken as `poses` says: \(mistake.meaning(inFileWith: capture.fileAxes))")
    }

    /// What the receipt calls the poses that were read as something else than the format says.
    static let posesKey = "poses-read-as"

    /// Whether a mistake comes from `read`, which was told to undo the same one: done twice, it is as if never done.
    static func made(_ mistake: GeometryHypothesis, in capture: Capture) -> Bool {
        capture.findings[posesKey]?.string == mistake.rawValue
    }

    /// What is wrong, for the person who has to see to it.
    static func meaning(of mistake: GeometryHypothesis, in capture: Capture) -> String {
        made(mistake, in: capture)
            ? "`poses: \(mistake.rawValue)` of `\(Drop.reader)` does not suit this capture"
            : mistake.meaning(inFileWith: capture.fileAxes)
    }

    /// How the poses are read as what they are.
    /// - Parameter mistake: theirs, as they were read.
    /// - Returns: nil where no value of `poses` makes up for it.
    static func remedy(for mistake: GeometryHypothesis, of capture: Capture) -> String? {
        guard let poses = Poses.allCases.first(where: { $0.mistake == mistake }) else { return nil }
        return wayBack(of: capture)
            ?? "read the poses as what they are with  --set \(Drop.reader).poses=\(poses.rawValue)"
    }

    /// How `poses` is taken back; nil where it is not set.
    static func wayBack(of capture: Capture) -> String? {
        capture.findings[posesKey]?.string.map {
            "take `poses: \($0)` out of `\(Drop.reader)`, if it was meant for other captures"
        }
    }

    private func correctScale(of capture: inout Capture, _ context: StageContext) {
        guard let scale else { return }
        for index in capture.frames.indices {
            if let pose = capture.frames[index].pose {
                capture.frames[index].pose = Pose(rotation: pose.rotation, position: pose.position * scale)
            }
        }
        capture.box?.scale(by: scale)
        capture.cloud?.scale(by: scale)
        capture.pointScale = scale
        capture.rigFromColor.position = capture.rigFromColor.position * scale
        if let place = capture.depthCamera?.colorFromDepth.position {
            capture.depthCamera?.colorFromDepth.position = place * scale
        }
        let world = capture.savedFromWorld
        capture.savedFromWorld = Pose(rotation: world.rotation, position: world.position * scale)
        capture.isMetric = true
        context.note("all positions were multiplied by \(OptionText.number(scale)), and count as metres")
    }

    private func addUp(to capture: inout Capture, _ context: StageContext) {
        guard let given = up.axis else { return }
        let direction = given.direction
        guard let own = capture.worldUp?.normalized else {
            capture.worldUp = direction
            context.note("the capture does not say which way is up: \(up.rawValue) counts as up")
            let likely = capture.likelyUp
            if likely.isEmpty || likely.contains(given) { return }
            return context.warn(
                "by the way in which the camera was held, \(likely.map(\.rawValue).joined(separator: " or ")) is up, and not "
                    + "\(up.rawValue), as `up` says")
        }
        // Directions in a file may be rounded.
        if (own - direction).length < 1e-3 { return }
        let axis = WorldAxis.allCases.first { (own - $0.direction).length < 1e-3 }
        context.warn(
            "the capture says itself that \(axis?.rawValue ?? "another direction") is up, so `up: \(up.rawValue)` has no "
                + "effect")
    }
}
