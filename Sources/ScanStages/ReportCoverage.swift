import ScanModel
import ScanPipeline

/// Tells which sides of the box the pictures show.
public struct ReportCoverage: CaptureStage {
    public static let card = StageCard(
        name: "report-coverage",
        summary: "Tell which sides of the box the pictures show, from how far, and where the ring of views has gaps.",
        details: """
            Whether a side of the box is seen is computed from the pictures: each side is divided into 8 × 8 parts, and
            a picture shows a part that lies within its edges and that the camera sees from at most
            \(Int(BoxVisibility.steepest))° off the side's normal. What the middle of the picture shows does not matter,
            nor does anything in front of the box. The sides are named in the box's own axes as the capture app names
            them: front −z, back +z, left −x, right +x, bottom −y (or the floor that cuts the box off), top +y.

            `sides` has, for each: `views`, the largest n such that at least half of its parts are each in n pictures or
            more; `share`, the share of parts that are in any picture; `nearest`, the distance from its middle to the
            nearest camera that shows any of them. `goal` is \(BoxVisibility.goal) views: two measure a point, and the
            third finds their mistakes. `pictures` counts those that show `all` of what the box turns to the camera,
            `part` of it, or `none`; `distance` is that of the cameras from the middle of the box (of what a floor
            leaves of it), for pictures that show a quarter of it or more.

            `ring` is the largest gap between the directions of the pictures that show a quarter or more of the upright
            sides that the box turns to them, in degrees around the box's up axis: 0 is in front of the front face, 90
            of the right, 180 of the back, 270 of the left. In a gap above
            \(Int(BoxVisibility.largestGap))°, some upright surface is seen from more than 60° off its normal at best;
            the report then says that views are missing.

            `sphere` is finer: by their direction from the box's centre, the cameras of these pictures fall into cells
            of equal area, \(BoxCoverage.rows) rows by \(BoxCoverage.columns) columns, in `views[row][column]`. Rows go
            from the top down with edges at the elevations 90°, 41.8°, 19.5°, 0°, −19.5°, −41.8° and −90°; columns go in
            steps of 30° from the front, which is in the middle of column 0, to the right (column 3), the back (6) and
            the left (9). `gaps` lists the cells above the box's middle without a view, as `[row, column]`; those below
            are left out, because a boxed object mostly stands on something. `share-seen` is the share of those upper
            cells that are not gaps.

            `faces` is what the capture app counts, and only a hint at how well the object was kept in the middle: the
            face that a camera's central ray meets first, or `miss` for a camera aimed past the box; `inside`, beside
            it, counts cameras inside the box. The app asks for `aim-goal` views of each face, 10.

            A capture without a box or poses is not measured, and the receipt says so under `not-measured`; without
            intrinsics, only the cameras' aim is known, and `sphere` goes by that. Below `filter-blur` the views are
            those that a trainer gets; above it, those that were recorded.
            """,
        example: "- report-coverage", revision: 4)

    public init(_ options: inout OptionReader) {}

    public var uses: Uses { Uses(finish: .init(needs: [.frames], wants: [.pose, .intrinsics, .box])) }

    public func finish(_ capture: inout Capture, in context: StageContext) {
        guard let box = capture.box else { return context.recordUnmeasured("the capture has no box") }
        var coverage = BoxCoverage(of: box)
        var visibility = BoxVisibility(of: box)
        for frame in capture.keptFrames {
            guard let pose = frame.pose else { continue }
            let camera = frame.intrinsics.flatMap { $0.defect == nil ? $0 : nil }
            coverage.add(pose, shows: camera.map { visibility.add(pose, $0) })
        }
        guard coverage.cameraCount > 0 else { return context.recordUnmeasured("the frames have no poses") }

        if visibility.pictureCount > 0 {
            record(visibility, context)
            context.recordUnlessMetric(capture)
        }
        var faces = JSONObject()
        for face in Self.faces { faces[face.rawValue] = .of(coverage.faces[face] ?? 0) }
        faces["miss"] = .of(coverage.missCount)
        context.record("faces", .object(faces))
        context.record("inside", .of(coverage.insideCount))
        context.record("aim-goal", .of(BoxCoverage.goal))
        context.record(
            "sphere",
            .object([
                "rows": .of(BoxCoverage.rows), "columns": .of(BoxCoverage.columns),
                "views": .array(coverage.views.map { .of($0) }),
            ]))
        let gaps = coverage.gaps
        context.record("gaps", .array(gaps.map { .of([$0.row, $0.column]) }))
        let upper = BoxCoverage.rows / 2 * BoxCoverage.columns
        context.record("share-seen", Measurement.number(1 - Double(gaps.count) / Double(upper), digits: 3))
    }

    /// In the order in which the capture app lists them.
    private static let faces: [BoxFace] = [.front, .left, .right, .bottom, .top, .back]

    private func record(_ visibility: BoxVisibility, _ context: StageContext) {
        var sides = JSONObject()
        for face in Self.faces {
            let side = visibility[face]
            sides[face.rawValue] = .object([
                "views": .of(side.views), "share": Measurement.number(side.share, digits: 3),
                "nearest": side.nearest.map { Measurement.number($0, digits: 3) },
            ])
        }
        context.record("sides", .object(sides))
        context.record("goal", .of(BoxVisibility.goal))
        context.record(
            "pictures",
            .object([
                "all": .of(visibility.wholeCount), "part": .of(visibility.partCount),
                "none": .of(visibility.absentCount),
            ]))
        if let distance = Distribution(visibility.distances) {
            context.record("distance", Measurement.object(distance))
        }
        let gap = visibility.gap
        context.record(
            "ring",
            .object([
                "gap": Measurement.number(gap.size, digits: 4), "from": Measurement.number(gap.from, digits: 4),
                "to": Measurement.number(gap.to, digits: 4),
            ]))
    }
}
