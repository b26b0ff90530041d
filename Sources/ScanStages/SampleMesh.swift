import ScanModel
import ScanPipeline

/// Makes a cloud of points that lie on the mesh.
public struct SampleMesh: CaptureStage {
    public static let card = StageCard(
        name: "sample-mesh",
        summary: "Spread points evenly over the mesh, as a cloud.",
        details: """
            A cloud of a fused surface has less noise than one of the depth itself, hardly a stray point, and the same
            density everywhere: one point for each square of `spacing`. Neighbours are somewhat nearer to each other
            than that; `voxel-downsample` below evens them out. The points have the mesh's colours, and its normals,
            which face the side from which it was seen. They serve wherever a cloud does: `write-ply`, the initial
            points of `write-transforms` and `write-colmap`, boxes, floors.

            It takes the place of a cloud that the capture had. The same mesh always gets the same points.
            """,
        example: "- sample-mesh: {spacing: 0.02}")

    /// Of 27 bytes each.
    private static let mostPoints = 100_000_000

    let spacing: Double

    public init(_ options: inout OptionReader) {
        spacing = options.number(
            "spacing", "There is one point for each square of this side.", default: 0.01, in: 0.0001...100,
            usual: 0.001...0.5, unit: "m")
    }

    public var uses: Uses { Uses(finish: .init(needs: [.mesh], makes: [.cloud])) }

    public func finish(_ capture: inout Capture, in context: StageContext) throws(Problem) {
        let mesh = try capture.requiredMesh
        context.warnUnlessMetric(capture, "\(OptionText.number(spacing)) m between points may be anything")
        let expected = mesh.pointCount(spacing: spacing)
        guard expected <= Double(Self.mostPoints) else {
            let least = ((mesh.area / Double(Self.mostPoints)).squareRoot() * 10_000).rounded(.up) / 10_000
            throw Problem(
                .input, "the mesh would get \(Int(min(expected, 1e18)).counted("point"))",
                notes: ["\(Self.mostPoints) are the most"],
                fix: "space them farther apart, with  "
                    + ShellWord.setting(context.label, "spacing=\(least.fixedText(decimals: 4))"))
        }
        let cloud = mesh.points(spacing: spacing)
        context.count("points", cloud.count)
        if cloud.count == 0 {
            context.warn(
                "a mesh of \(mesh.area.shortText) m² gets no point: `spacing` is \(OptionText.number(spacing)) m")
        }
        capture.cloud = cloud
        capture.channels.insert(.cloud)
    }
}
