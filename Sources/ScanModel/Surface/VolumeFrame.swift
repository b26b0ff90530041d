/// What a ``DistanceVolume`` takes of one frame: its depth, the colours of its depth pixels, the blocks of the volume that
/// its surface may reach, and those through which it looked. It is made by itself, so that many frames are prepared at once.
public struct VolumeFrame: Sendable {
    let depth: DepthMap
    /// Of each depth pixel: red, green, blue, from the lowest byte up, and 255; 0 without depth, or where the picture has no
    /// colour of it. Empty without a picture.
    let colors: [UInt32]
    /// Of the depth map: the camera in pixels whose centres are at whole numbers, and `worldFromCamera`.
    let view: CameraView
    /// In the order of the depth pixels that reach them first.
    package let blocks: [BlockIndex]
    /// How many pixels are too far away to be surface, as ``VolumeLayout/farthest(of:)`` has it.
    public let beyondCount: Int
    /// What it looked through; nothing, if it does not tell.
    package private(set) var freeCubes: [BlockCube] = []

    /// - Parameters:
    ///   - points: those of all pixels of `depth`, as ``Unprojection/points(of:every:picture:withNormals:)`` gives them, with
    ///     their colours if these are wanted.
    ///   - isPainted: for each point whether its colour counts; nil if all do.
    ///   - view: of the depth map.
    ///   - centre: as for the points.
    ///   - carves: whether it tells what it looked through.
    public init(
        _ depth: DepthMap, points: PointCloud, isPainted: [Bool]? = nil, view: CameraView, centre: PixelCentre,
        carves: Bool = false, in layout: VolumeLayout
    ) {
        self.depth = depth
        self.view = CameraView(camera: centre.camera(view.camera, of: depth.size), pose: view.pose)
        colors = points.colors.map { Self.spread($0, isPainted, over: depth) } ?? []
        let farthest = Float(layout.farthest(of: self.view.camera))
        let depths = depth.metres.filter { $0 > 0 }
        blocks = layout.blocks(around: points, seenFrom: view.pose.position, depths: depths, upTo: farthest)
        beyondCount = depths.count { $0 > farthest }
        if carves { freeCubes = FreeSpaceSearch.cubes(of: self, in: layout) }
    }

    /// The points' colours at the points' pixels.
    private static func spread(_ colors: [UInt8], _ isPainted: [Bool]?, over depth: DepthMap) -> [UInt32] {
        var point = 0
        return depth.metres.map { z in
            guard z > 0 else { return 0 }
            defer { point += 1 }
            if isPainted?[point] == false { return 0 }
            let at = 3 * point
            return UInt32(colors[at]) | UInt32(colors[at + 1]) << 8 | UInt32(colors[at + 2]) << 16 | 0xFF << 24
        }
    }
}
