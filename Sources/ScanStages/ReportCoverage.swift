import ScanModel
import ScanPipeline

/// Counts from where the box was looked at.
public struct ReportCoverage: CaptureStage {
    public static let card = StageCard(
        name: "report-coverage",
        summary: "Count from which sides the box was looked at, and find what no camera saw.",
        details: """
            The central ray of each camera that is left is followed to the box; the face that it meets first counts, in the
            box's own axes as the capture app names them: front −z, back +z, left −x, right +x, bottom −y (or the floor that
            cuts the box off), top +y. A camera that looks past the box is a `miss`, one inside it counts as `inside`. The
            capture app asks for `goal` views of each face, 10.

            `sphere` is finer: by the direction in which they stand from the box's centre, the cameras that look at the box
            fall into cells of equal area, \(BoxCoverage.rows) rows by \(BoxCoverage.columns) columns, in `views[row][column]`. Rows go from the top
            down with edges at the elevations 90°, 41.8°, 19.5°, 0°, −19.5°, −41.8° and −90°; columns go by 30° from the
            front, which is in the middle of column 0, to the right (column 3), the back (6) and the left (9).

            `gaps` lists the cells above the box's middle that no camera looked from, as `[row, column]`; those below are
            left out, because what is boxed mostly stands on something. `share-seen` is the share of those upper cells that
            are no gaps.

            A capture without a box or poses is not measured, and the receipt says so under `not-measured`. Below
            `filter-blur` the views are those that a trainer gets; above it, those that were recorded.
            """,
        example: "- report-coverage")

    public init(_ options: inout OptionReader) {}

    public var uses: Uses { Uses(finish: .init(needs: [.frames], wants: [.pose, .box])) }

    public func finish(_ capture: inout Capture, in context: StageContext) {
        guard let box = capture.box else { return context.recordUnmeasured("the capture has no box") }
        var coverage = BoxCoverage(of: box)
        for pose in capture.keptFrames.compactMap(\.pose) where pose.defect == nil { coverage.add(pose) }
        guard coverage.cameraCount > 0 else { return context.recordUnmeasured("the frames have no poses") }

        var faces = JSONObject()
        // In the order in which the capture app lists them.
        for face in [BoxFace.front, .left, .right, .bottom, .top, .back] {
            faces[face.rawValue] = .of(coverage.faces[face] ?? 0)
        }
        faces["miss"] = .of(coverage.missCount)
        context.record("faces", .object(faces))
        context.record("inside", .of(coverage.insideCount))
        context.record("goal", .of(BoxCoverage.goal))
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
}
