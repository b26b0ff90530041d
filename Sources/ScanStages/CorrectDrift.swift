import ScanModel
import ScanPipeline

/// Takes drift out of the poses.
public struct CorrectDrift: FoldStage {
    public static let card = StageCard(
        name: "correct-drift",
        summary: "Take drift out of the poses, so that surfaces that are seen again lie where they were.",
        details: """
            A phone's tracking is exact from frame to frame and wanders off over a minute; what is filmed again then
            appears twice, as a double wall or a second table top. Where the camera comes back to a place, depth shows
            by how much, and the poses are adjusted so that the two agree.

            Up to 128 frames, evenly spread, are compared as in `check-geometry`: each with the earliest one whose place
            it sees again after the camera has looked elsewhere, by aligning the earlier frame's surfaces with the later
            one's (point-to-plane ICP). These frames are the poses of a graph: each is tied to the one before by the
            recorded poses, the less firmly the further the camera went and turned in between, and hardly where tracking
            jumped; and to what it sees again by the aligned surfaces, along the directions that they tell. Least
            squares gives the poses that fit all ties best; ties that fit none of the others, for example because
            something was moved, count for little. Where the capture says which way is up, the path is hardly tilted,
            since phones sense gravity. For frames in between the correction is interpolated, in proportion to the
            distance travelled, or changes all at once at a jump. The first frame stays where it is, and so do a
            bounding box and a cloud that the capture brings along.

            **Left as recorded** are the poses where hardly anything is seen again; where the surfaces that are seen
            again are less than `min-apart` apart, as sensors and lenses alone can make them; and where no change brings
            them twice as close, with a warning if `drift` is more than 4 % of the distance. Drift of more than half of
            the distance to the surfaces is not found. A path that drifted by more than a quarter of a metre or ten
            degrees may need the stage twice, one below the other.

            Put it right below `decompress`. Points of frames that a stage above has made are made again with the
            corrected poses, which takes one more pass; clouds, meshes and boxes are not.

            **The receipt** holds `seen-again`, `drift` as `check-geometry` has it, `surfaces-apart` before and after
            (how far apart surfaces are that are seen again: root mean square along their normals, averaged over those
            frames), and the largest move and the largest turn of a frame.
            """,
        example: "- correct-drift", revision: 3)

    /// A share of the distance.
    let minApart: Double

    public init(_ options: inout OptionReader) {
        minApart =
            options.number(
                "min-apart",
                "How far apart surfaces that are seen again must be on average, as a share of their "
                    + "distance.",
                default: 0.75, in: 0...50, unit: "%") / 100
    }

    public var uses: Uses {
        Uses(fold: .init(needs: [.frames, .depth, .intrinsics], changes: [.pose]))
    }

    public func begin(_ context: StageContext) -> PathDrift {
        PathDrift(frames: context.capture.keptFrames.map(\.index))
    }

    public func fold(_ frame: inout Frame, into drift: inout PathDrift, in context: StageContext) {
        guard let depth = frame.depth, let camera = frame.intrinsics, let pose = frame.pose else { return }
        drift.add(index: frame.index, depth: depth, view: context.capture.depthView(camera: camera, pose: pose))
    }

    public func end(_ drift: consuming PathDrift, _ capture: inout Capture, in context: StageContext) {
        context.record("seen-again", .of(drift.revisits.count))
        guard let worst = drift.typicalWorst else {
            return context.note("hardly anything is seen again, so it is unknown whether the path drifts")
        }
        context.record("drift", worst.record)
        context.recordUnlessMetric(capture)
        let apart = drift.surfacesApart
        if apart < minApart {
            let share = (100 * apart).shortText(decimals: 2)
            return context.note(
                "surfaces that are seen again are \(share) % of their distance apart, less than `min-apart`: the poses stay "
                    + "as recorded")
        }
        let up = capture.worldUp?.normalized
        guard let correction = DriftCorrection(of: drift, poses: capture.soundPoses, up: up) else {
            let text =
                "\(worst.text(isMetric: capture.isMetric)), and no correction of the poses halves that distance: "
                + "they stay as recorded"
            return worst.share > GeometryVerdict.off ? context.warn(text) : context.note(text)
        }
        let (before, after) = correction.surfacesApart
        context.record("surfaces-apart", .object(["before": .number(before), "after": .number(after)]))
        var (moved, turned) = (0.0, 0.0)
        for (index, corrected) in correction.poses.enumerated() {
            guard let pose = capture.frames[index].pose, let corrected else { continue }
            capture.frames[index].pose = corrected
            let motion = pose.inverse * corrected
            moved = max(moved, motion.position.length)
            turned = max(turned, motion.rotation.rotationVector.length)
        }
        context.record("moved-most", .number(moved))
        context.record("turned-most-degrees", .number(turned * 180 / .pi))
    }
}

extension PathDrift.Revisit {
    /// For the receipt.
    var record: JSONValue {
        .object([
            "from": .of(frames.lowerBound), "to": .of(frames.upperBound), "metres": .number(offset),
            "degrees": .number(angle * 180 / .pi),
        ])
    }
}
