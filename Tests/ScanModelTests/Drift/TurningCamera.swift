import ScanModel

/// A camera that turns round and round in an empty room, whose depth is computed from the walls.
struct TurningCamera {
    /// Pixels of depth and pictures.
    static let camera = CameraIntrinsics(
        fx: 104, fy: 104, cx: 63.5, cy: 47.5, width: 128, height: 96, pixelOrigin: .centre)

    var frameCount = 72
    var laps = 2.0
    /// The room's size along the axes, metres; its middle is the origin.
    var room = Vector3(4, 2.5, 3)

    /// Turned about y, a little tilted, on a small circle.
    func pose(_ index: Int) -> Pose {
        let angle = Double(index) / Double(frameCount) * laps * 2 * .pi
        let tilt = Quaternion(rotationVector: Vector3(-0.35, 0, 0)).matrix
        let turn = Matrix3.rotation(aboutY: angle)
        return Pose(rotation: turn * tilt, position: turn * Vector3(0.1, 0, -0.25))
    }

    /// Depth of the walls, the floor and the ceiling at the centre of each pixel.
    func depth(from pose: Pose) -> DepthMap {
        let (camera, walls, eye) = (Self.camera, room / 2, pose.position)
        func way(_ ray: Double, _ wall: Double, _ eye: Double) -> Double { ((ray > 0 ? wall : -wall) - eye) / ray }
        let metres = (0..<camera.height * camera.width).map { pixel -> Float in
            let (u, v) = (Double(pixel % camera.width), Double(pixel / camera.width))
            let ray = pose.rotation * Vector3((u - camera.cx) / camera.fx, (camera.cy - v) / camera.fy, -1)
            return Float(min(way(ray.x, walls.x, eye.x), way(ray.y, walls.y, eye.y), way(ray.z, walls.z, eye.z)))
        }
        return DepthMap(width: camera.width, height: camera.height, metres: metres)
    }

    /// The frames one after another, with the poses that are declared.
    /// - Parameters:
    ///   - spoil: what is declared where the camera is at a pose.
    ///   - see: what is seen there, if not the room.
    func frames(
        spoil: (Int, Pose) -> Pose, see: ((Int, Pose) -> DepthMap)? = nil,
        _ add: (_ index: Int, _ depth: DepthMap, _ view: CameraView) -> Void
    ) {
        for index in 0..<frameCount {
            let truth = pose(index)
            let depth = see?(index, truth) ?? depth(from: truth)
            add(index, depth, CameraView(camera: Self.camera, pose: spoil(index, truth)))
        }
    }
}
