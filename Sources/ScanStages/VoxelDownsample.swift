import ScanModel
import ScanPipeline

/// Merges the points in each cube.
public struct VoxelDownsample: ParcelStage {
    public static let card = StageCard(
        name: "voxel-downsample",
        summary: "Merge all points that fall into the same cube into one.",
        details: """
            The grid is aligned to the world's origin: a point belongs to cube floor(p / size). Each cube becomes the
            centroid of its points with their mean colour and, where they have normals, the direction of the sum of
            these. The result does not depend on the number of workers: each frame is summed by itself, and frames are
            added in order.

            The cloud has the points of all frames that reach this stage, also of those that a stage below drops: to
            thin the points along with the frames, put `filter-blur` or `select-every` above.

            `min-points` leaves out what is seen too rarely: depth between an object's edge and the wall behind it, what
            walked through the picture. A surface has a point for each pixel of each frame that shows it, and a stray
            pixel is mostly alone in its cube. Surfaces that few pixels reach, being far away or seen at the end only,
            go first when the number is raised.

            Below `sample-mesh` or an earlier `voxel-downsample` the cloud's points are merged, each of them counting as one:
            what crops and boxes in between have cut off stays cut off.
            """,
        example: "- voxel-downsample: {size: 0.02}", revision: 2)

    let size: Double
    let minPoints: Int
    /// Whether the points are those of a cloud that a stage above has spread, and not the frames' own.
    let mergesCloud: Bool

    public init(_ options: inout OptionReader) {
        size = options.number("size", "Edge of a cube.", default: 0.02, in: 0.0001...100, unit: "m")
        minPoints = options.integer(
            "min-points", "Leave out cubes with fewer points than this.", default: 1, in: 1...1_000_000)
        mergesCloud = options.isBelow(SampleMesh.self, notUndoneBy: Unproject.self)
        let before = options.value(of: "size", above: Self.self)?.double
        options.warn(
            "size", unless: size > before ?? 0,
            "where it is larger than that of the `voxel-downsample` above: the fine one first")
    }

    public var uses: Uses {
        mergesCloud
            ? Uses(fold: .init(needs: [.cloud], makes: [.cloud]))
            : Uses(frame: .init(needs: [.points]), fold: .init(prefers: [[.cloud, .points]], makes: [.cloud]))
    }

    public func parcel(of frame: inout Frame, in context: StageContext) -> VoxelGrid? {
        if context.reads.contains(.cloud) { return nil }
        var grid = VoxelGrid(size: size)
        if let points = frame.points { grid.add(points) }
        context.count("points", frame.points?.count ?? 0)
        return grid
    }

    public func begin(_ context: StageContext) -> VoxelGrid { VoxelGrid(size: size) }

    public func fold(
        _ part: VoxelGrid?, of frame: inout Frame, into grid: inout VoxelGrid, in context: StageContext
    ) {
        if let part { grid.merge(part) }
    }

    public func end(_ grid: consuming VoxelGrid, _ capture: inout Capture, in context: StageContext) throws(Problem) {
        context.warnUnlessMetric(capture, "a voxel of \(OptionText.number(size)) m may be anything")
        if context.reads.contains(.cloud), let cloud = capture.cloud {
            context.count("points", cloud.count)
            grid.add(cloud)
        }
        if grid.outOfRange > 0 && grid.count == 0 {
            let all = grid.outOfRange == 1 ? "the only point lies" : "all \(grid.outOfRange) points lie"
            let cameras = capture.cameraPositions
            let areCamerasNear = !cameras.isEmpty && cameras.allSatisfy { $0.length < size * 1e5 }
            throw Problem(
                .input, "\(all) more than a million voxels from the origin",
                notes: ["a voxel is \(OptionText.number(size)) m: nothing would be left of the cloud"],
                fix: areCamerasNear
                    ? "they lie far from the cameras too: see with  scanmill inspect  whether the depth's unit and the "
                        + "intrinsics are right, or put mask-range above"
                    : "move the origin of the world near the scene, or make the voxels larger")
        }
        if grid.outOfRange > 0 {
            let (lie, were) = grid.outOfRange == 1 ? ("lies", "was") : ("lie", "were")
            context.warn(
                "\(grid.outOfRange.counted("point")) \(lie) more than a million voxels from the origin and \(were) "
                    + "left out")
        }
        if capture.isMetric && size > 1 {
            context.warn(
                "voxels of \(OptionText.number(size)) m leave nothing of what was recorded: `size` is in metres")
        }
        let cloud = grid.cloud(minPoints: minPoints)
        context.count("voxels", cloud.count)
        if minPoints > 1 { context.count("sparse-voxels", grid.count - cloud.count) }
        if cloud.count == 0 && grid.count > 0 {
            let few =
                grid.count == 1
                ? "the only voxel has fewer than \(minPoints) points"
                : "none of \(grid.count) voxels has \(minPoints) points"
            throw Problem(
                .input, "\(few): nothing would be left of the cloud",
                notes: ["a voxel is \(OptionText.number(size)) m"],
                fix: "make the voxels larger, or accept fewer points with  "
                    + ShellWord.setting(context.label, "min-points=1"))
        }
        capture.cloud = cloud
        capture.channels.insert(.cloud)
    }
}
