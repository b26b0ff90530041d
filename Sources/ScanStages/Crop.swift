import ScanModel
import ScanPipeline

/// Cuts the cloud by height and distance.
public struct Crop: CaptureStage, DemandingStage {
    public enum Zero: String, CaseIterable, Sendable { case auto, floor, origin }
    public enum Centre: String, CaseIterable, Sendable { case cameras, focus, box, origin }

    public static let card = StageCard(
        name: "crop",
        summary: "Cut the cloud by height and by distance: what is above the ceiling, below the floor, too far away.",
        details: """
            `above: 0.02` keeps what is higher than 2 cm, `below: 2.3` what is lower than 2.3 m, `around: 3` what is
            within 3 m of the centre, measured on the ground. Points on the limit stay. Heights are measured along the
            world's up, from the floor if `find-floor` has found one, otherwise from the world's origin, with a warning
            if it looked for one in vain; `from: floor` requires a floor. A capture that does not say which way is up
            has neither heights nor ground, and fails. So does one of which nothing is left, unless `if-empty` says
            otherwise.

            The centre is the mean of the camera positions, `focus`, the box's centre, or the world's origin. An object
            that was filmed from all round stands amid the cameras; for one that was filmed from one side, use `focus`:
            the point nearest to the optical axes of the cameras. Each axis counts by its distance, not by the square of
            it, so that a few frames that look elsewhere do not pull the point along. The receipt has it under `focus`.
            Where the axes are nearly parallel or most cameras look outwards, as in a room, there is no such point; then
            a warning says so, and the mean of the camera positions is used.
            """,
        example: "- crop: {above: 0.02, around: 2}", revision: 3)

    let above: Double?
    let below: Double?
    let around: Double?
    let zero: Zero
    let centre: Centre
    let consequence: Consequence

    public init(_ options: inout OptionReader) {
        let heights = -10_000.0...10_000
        let usual = -100.0...100
        above = options.number("above", "Keep what is at least this high.", in: heights, usual: usual, unit: "m")
        below = options.number("below", "Keep what is at most this high.", in: heights, usual: usual, unit: "m")
        around = options.number(
            "around", "Keep what is at most this far from the centre.", in: 0...10_000, usual: 0...200, unit: "m")
        zero = options.choice("from", "Where heights are counted from.", default: .auto)
        centre = options.choice("centre", "What `around` is measured from.", default: .cameras)
        consequence = options.choice("if-empty", "What to do when nothing is left of the cloud.", default: .fail)
        if !["above", "below", "around"].contains(where: options.isGiven) {
            options.fail(nil, "crop has nothing to do", "give it `above`, `below` or `around`")
        }
        options.warn("centre", unless: around != nil, "with `around`")
        options.warn("from", unless: countsHeights, "with `above` or `below`")
        if countsHeights && !options.isGiven("from") && !options.isBelow("find-floor") {
            options.warn(
                above == nil ? "below" : "above",
                "heights are counted from the world's origin, where the app was started or a camera stood",
                fix: "put `find-floor` above it, to count them from the floor, or say `from: origin`")
        }
        if let above, let below, above > below {
            let (low, high) = (OptionText.number(above), OptionText.number(below))
            options.fail("above", "`above: \(low)` and `below: \(high)` leave nothing", "swap them")
        }
    }

    private var countsHeights: Bool { above != nil || below != nil }
    private var needsFloor: Bool { zero == .floor && countsHeights }

    public var uses: Uses {
        let isMeasured = around != nil
        return Uses(
            finish: .init(
                needs: [.cloud] + (needsFloor ? [.floor] : []) + (isMeasured && centre == .box ? [.box] : [])
                    + (isMeasured && [.cameras, .focus].contains(centre) ? [.frames, .pose] : []),
                wants: zero == .auto ? [.floor] : [], changes: [.cloud]),
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
        guard var cloud = capture.cloud else { throw Problem(.input, "the capture has no cloud") }
        let up = try Self.up(of: capture, context.label)
        context.warnUnlessMetric(capture, "lengths may not be in metres")
        if needsFloor && capture.floor == nil {
            throw Problem(
                .input, "no floor was found to count heights from",
                fix: "do without it where there is none with  --set \(context.label).from=auto"
            ).ofPipeline()
        }
        if zero == .auto, countsHeights, let absence = capture.absences[.floor] {
            context.warn(
                "heights were counted from the world's origin, for want of a floor: \(absence); `from: floor` fails such "
                    + "captures")
        }
        let ground = zero == .origin ? 0 : capture.floor?.height ?? 0
        let middle = around == nil ? .zero : centrePoint(capture, context)
        // In single precision, as points are: one that was recorded at 0.02 stays with `above: 0.02`.
        let limit = { (number: Double) in Double(Float(number)) }
        let heights = (from: limit((above ?? -.infinity) + ground), to: limit((below ?? .infinity) + ground))
        let reach = limit(around ?? .infinity)
        func distance(_ p: Vector3) -> Double {
            let d = p - middle
            return (d - up * up.dot(d)).length
        }
        let all = cloud
        context.count("points-in", all.count)
        cloud.keep { p in
            let height = up.dot(p)
            return height >= heights.from && height <= heights.to && distance(p) <= reach
        }
        context.count("points-out", cloud.count)
        capture.cloud = cloud
        if cloud.count == 0 {
            try reportNothingLeft(of: all, { up.dot($0) - ground }, distance, &capture, context)
        }
    }

    /// - Parameters:
    ///   - all: the points that were there before.
    ///   - height: of a point, above what heights are counted from.
    ///   - distance: of a point from the centre.
    /// - Throws: unless `if-empty` allows it.
    private func reportNothingLeft(
        of all: PointCloud, _ height: (Vector3) -> Double, _ distance: (Vector3) -> Double, _ capture: inout Capture,
        _ context: StageContext
    ) throws(Problem) {
        let summary =
            all.count == 0 ? "the stages above left no point of the capture" : "no point lies within the limits"
        guard consequence == .fail else {
            // Once is enough.
            if capture.absences[.cloud] == nil { context.warn("\(summary), so nothing is left") }
            capture.absences[.cloud] = "\(context.label) left nothing of it"
            return
        }
        let goingOn = "or go on with nothing with  --set \(context.label).if-empty=warn"
        if all.count == 0 {
            throw Problem(.input, summary, fix: "loosen the masks above \(context.label), \(goingOn)").ofPipeline()
        }
        let unit = capture.isMetric ? "m" : "units"
        var notes: [String] = []
        if countsHeights {
            let found = (0..<all.count).map { height(all[$0]) }
            let (low, high) = (found.min() ?? 0, found.max() ?? 0)
            let origin = zero != .origin && capture.floor != nil ? "floor" : "world's origin"
            notes.append(
                "the cloud reaches from \(low.shortText(decimals: 2)) to \(high.shortText(decimals: 2)) \(unit) above the "
                    + origin)
        }
        if around != nil {
            let nearest = (0..<all.count).map { distance(all[$0]) }.min() ?? 0
            notes.append("the nearest point is \(nearest.shortText(decimals: 2)) \(unit) from the centre")
        }
        let limits = [("above", above), ("below", below), ("around", around)].filter { $0.1 != nil }
        throw Problem(
            .input, summary, notes: notes,
            fix: "loosen \(limits.map { "`\($0.0)`" }.joined(separator: " and ")), \(goingOn)"
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
