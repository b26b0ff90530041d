import ScanModel
import ScanPipeline

/// Gives a capture that has no points random ones.
public struct ScatterPoints: CaptureStage {
    public enum Region: String, CaseIterable, Sendable { case cameras, box }

    public static let card = StageCard(
        name: "scatter-points",
        summary: "Give captures that have no points random ones, for trainers that cannot start without.",
        details: """
            Gaussian Splatting's `train.py` needs points to start from, and captures without depth have none. The points
            are mid grey, and spread evenly over a cube about the mean of the camera positions. It reaches three times
            as far to each side as the farthest camera, about as far as gsplat's own random start; `within: box` fills
            the bounding box instead, for an object that is trained with masks. The same capture always gets the same
            points.

            A capture that has points already, as reconstructions and many datasets do, keeps them and gets no others;
            where each frame has its own, `voxel-downsample` above must have merged them. Points from depth are better by far:
            see `unproject`.
            """,
        example: "- scatter-points: {count: 50000}")

    /// Mid grey: the colour of a splat whose spherical harmonics are all 0.
    private static let grey: UInt8 = 128

    let pointCount: Int
    let region: Region
    let reach: Double
    let seed: UInt64

    public init(_ options: inout OptionReader) {
        pointCount = options.integer("count", "How many points.", default: 100_000, in: 1...10_000_000)
        region = options.choice("within", "Where they lie.", default: .cameras)
        reach = options.number(
            "reach", "Half the cube's edge, as a multiple of the farthest camera's distance from the middle.",
            default: 3, in: 0.01...1000)
        seed = UInt64(options.integer("seed", "Determines the places.", default: 1, in: 0...Int.max))
        options.warn("reach", unless: region == .cameras, "with `within: cameras`")
        if options.isBelow(Self.self) {
            options.fail(nil, "a second scatter-points has nothing to do", "remove one of them")
        }
        if options.isBelow(Unproject.self, notUndoneBy: VoxelDownsample.self) {
            options.fail(nil, "`unproject` above gives every frame points of its own", "remove this stage")
        }
    }

    public var uses: Uses {
        Uses(
            finish: .init(needs: region == .box ? [.box] : [.frames, .pose], wants: [.cloud], makes: [.cloud]),
            instead: [[.box]: [.option("within", set: "cameras", not: "box")]])
    }

    public func finish(_ capture: inout Capture, in context: StageContext) throws(Problem) {
        // Of which nothing is left, it is still no capture without points: random ones would hide what emptied it.
        if let cloud = capture.cloud { return context.count("points-there-already", cloud.count) }
        // Writers take the cloud where there is one, and the frames' points would be lost without a word.
        if context.available.contains(.points) {
            throw Problem(
                .input, "the frames have points of their own, which random ones would replace",
                fix: "put `voxel-downsample` above \(context.label), or use a pipeline without \(context.label)"
            ).ofPipeline()
        }
        let volume = try volume(in: capture, context)
        var random = SplitMix64(seed: seed)
        var positions: [Float] = []
        positions.reserveCapacity(3 * pointCount)
        for _ in 0..<pointCount {
            let (x, y, z) = (random.unit(), random.unit(), random.unit())
            let place = Vector3(2 * x - 1, 2 * y - 1, 2 * z - 1)
            let inside = Vector3(place.x * volume.halfSize.x, place.y * volume.halfSize.y, place.z * volume.halfSize.z)
            for number in (volume.center + volume.worldFromBox * inside).components { positions.append(Float(number)) }
        }
        let colors = [UInt8](repeating: Self.grey, count: positions.count)
        capture.cloud = PointCloud(positions: positions, colors: colors)
        capture.channels.insert(.cloud)
        context.count("points-scattered", pointCount)
        context.note("the capture has no points: \(pointCount.counted("random one", "stands", "stand")) in for them")
        if capture.channels.contains(.recordedDepth) {
            context.warn("the capture has depth, whose points would be better: make them with `unproject`")
        }
    }

    /// What the points fill: the box, or the cube about the cameras.
    private func volume(in capture: Capture, _ context: StageContext) throws(Problem) -> OrientedBox {
        if region == .box, let box = capture.box { return box.cutByItsFloor }
        let middle = capture.meanCameraPosition
        let farthest = capture.cameraPositions.reduce(0) { max($0, ($1 - middle).length) }
        let half = reach * farthest
        guard half > 0 else {
            throw Problem(
                .input, "all cameras stand in one place, so it is unknown how far the scene reaches",
                fix: capture.box != nil
                    ? "fill the capture's box with  " + ShellWord.setting(context.label, "within=box")
                    : capture.channels.contains(.recordedDepth)
                        ? "make points of the capture's depth instead, with `decompress`, `unproject` and `voxel-downsample`"
                        : "use a pipeline without \(context.label) for captures like this one"
            ).ofPipeline()
        }
        return OrientedBox(center: middle, worldFromBox: .identity, halfSize: Vector3(half, half, half))
    }
}
