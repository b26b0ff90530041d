import ScanModel
import ScanPipeline

/// Keeps one frame for each place that was filmed from.
public struct SelectKeyframes: CaptureStage {
    public static let card = StageCard(
        name: "select-keyframes",
        summary: "Keep the best frame of each neighbourhood of viewpoints, and enough views of each face of the box.",
        details: """
            Frames are taken in order. A frame within both `distance` and `angle` of the first frame of a neighbourhood
            joins it, or the nearest of several; any other starts a new one (J. A. Hartigan's leader algorithm, 1975).
            When the camera comes back to a place, its frames join those of the first visit. The angle is that of the
            rotation between the two cameras; how far apart two are is the larger of their distance / `distance` and
            angle / `angle`. The sharpest frame of each neighbourhood stays if `measure-blur` or `filter-blur` above has
            scored the pictures, otherwise its first one. Frames without a score rank behind those with one, and frames
            without a pose are dropped.

            `per-face` is a quota: if fewer of these frames look at a face of the box (as `report-coverage` counts),
            others that do are taken back until the quota is met, each time the one farthest from all frames that stay,
            or the sharper of equals. If fewer were recorded, all of them stay.
            """,
        example: "- select-keyframes: {distance: 0.1, angle: 10, per-face: 10}", revision: 2)

    let distance: Double
    let angle: Double
    let perFace: Int?

    public init(_ options: inout OptionReader) {
        distance = options.number(
            "distance", "How far apart the cameras of one neighbourhood may be.", default: 0.1, in: 1e-6...1e6,
            usual: 0...20, unit: "m")
        angle = options.number(
            "angle", "How far the cameras of one neighbourhood may be turned apart.", default: 10, in: 0.01...180,
            unit: "°")
        perFace = options.integer("per-face", "How many frames should look at each face of the box.", in: 1...1_000_000)
    }

    public var uses: Uses {
        Uses(finish: .init(needs: [.frames, .pose], wants: [.sharpness] + (perFace == nil ? [] : [.box]), drops: true))
    }

    public func finish(_ capture: inout Capture, in context: StageContext) {
        context.warnUnlessMetric(capture, "\(OptionText.number(distance)) m may be anything")
        var views: [Viewpoint] = []
        for facts in capture.keptFrames {
            guard let pose = facts.pose else {
                capture.drop(facts.index, stage: context.label, reason: "it has no pose")
                continue
            }
            views.append(Viewpoint(facts, pose))
        }
        var choice = Neighbourhoods(of: views, distance: distance, angle: angle * .pi / 180)
        context.record("neighbourhoods", .of(choice.kept.count))
        if let perFace { fill(perFace, &choice, capture.box, context) }
        for (place, view) in views.enumerated() where !choice.kept.contains(place) {
            let best = views[choice.best(of: place)].frame
            capture.drop(view.frame, stage: context.label, reason: "frame \(best) stands for its neighbourhood")
        }
    }

    private func fill(_ quota: Int, _ choice: inout Neighbourhoods, _ box: OrientedBox?, _ context: StageContext) {
        guard let box else { return context.warn("the capture has no box, so `per-face` was ignored") }
        var coverage = BoxCoverage(of: box)
        let faces = choice.views.map { coverage.add($0.pose) }
        var taken = 0
        for face in BoxFace.allCases {
            let looking = faces.indices.filter { faces[$0] == face }
            let missing = quota - looking.count(where: choice.kept.contains)
            if missing > 0 { taken += choice.takeBack(missing, of: looking) }
        }
        context.record("taken-back-for-faces", .of(taken))
    }
}
