import ScanModel

/// `transforms.json`, in the two dialects that trainers read.
///
/// Poses are camera-to-world with OpenGL's axes (x right, y up, z backward), four rows of four; the principal point is
/// counted from the corner of the top-left pixel. Source: nerfstudio, data/dataparsers/nerfstudio_dataparser.py;
/// instant-ngp, src/nerf_loader.cu.
public struct TransformsJSON: Sendable {
    public enum Dialect: String, Hashable, Sendable, CaseIterable {
        case nerfstudio
        case instantNGP = "instant-ngp"
    }

    /// One of `frames`.
    public struct Entry: Hashable, Sendable {
        /// Relative to the file.
        public var picture: String
        /// nerfstudio only: instant-ngp finds masks by name.
        public var mask: String?
        public var depth: String?
        public var camera: CameraIntrinsics
        /// In the saved world.
        public var pose: Pose
        public var sharpness: Double?
        /// What it is for; nil where the file says it for no entry.
        public var split: DatasetSplit?

        public init(picture: String, camera: CameraIntrinsics, pose: Pose) {
            self.picture = picture
            self.camera = camera
            self.pose = pose
        }
    }

    /// instant-ngp's unit cube: p = position · scale + offset, and a box of `aabbScale` around its middle is trained.
    public struct Volume: Hashable, Sendable {
        public var scale: Double
        public var offset: Vector3
        /// A power of two, 1 to 128.
        public var aabbScale: Int
        /// Whether it would have to be larger than instant-ngp allows.
        public var leavesOut = false
    }

    public var dialect: Dialect
    public var entries: [Entry] = []
    /// What was applied to the original world to get the saved one: three rows of four.
    public var appliedTransform: [[Double]]?
    /// A PLY file of points in the saved world, relative to the file.
    public var pointFile: String?
    /// Whether z is known to be up in the saved world: trainers, which assume that, are then told to leave it as it is.
    public var isZUp = true
    public var volume: Volume?
    /// In the saved world.
    public var up: Vector3?
    /// Metres of one unit of the depth pictures, where there are any.
    public var depthUnit: Double?

    public init(_ dialect: Dialect) { self.dialect = dialect }

    /// The file for pictures that are smaller by `factor`: intrinsics scaled, and folders as nerfstudio names them
    /// (`images_2`, `masks_2`, `depths_2`).
    public func downscaled(by factor: Int) -> TransformsJSON {
        var copy = movingFiles { DownscaledPicture.path(of: $0, factor: factor) }
        for index in copy.entries.indices {
            let camera = copy.entries[index].camera
            let size = camera.size.downscaled(by: factor)
            copy.entries[index].camera = camera.resized(to: size)
        }
        return copy
    }

    /// The same file for a folder below the one that its paths start from.
    public func movedDown() -> TransformsJSON {
        var copy = movingFiles { "../\($0)" }
        copy.pointFile = pointFile.map { "../\($0)" }
        return copy
    }

    /// Whether it says what its entries are for.
    public var isSplit: Bool { entries.contains { $0.split != nil } }

    /// One file of the frames to train on, and one of those held out: instant-ngp has no lists, and trains on every
    /// frame of a file. Frames meant for neither are in neither file.
    public var parts: (trained: TransformsJSON, held: TransformsJSON) {
        var (trained, held) = (self, self)
        trained.entries = entries.filter { $0.split?.contains(.training) != false }
        held.entries = entries.filter { $0.split?.isHeldOut == true }
        return (trained, held)
    }

    /// A copy with other paths for the frames' files.
    private func movingFiles(_ path: (String) -> String) -> TransformsJSON {
        var copy = self
        for index in copy.entries.indices {
            copy.entries[index].picture = path(copy.entries[index].picture)
            copy.entries[index].mask = copy.entries[index].mask.map(path)
            copy.entries[index].depth = copy.entries[index].depth.map(path)
        }
        return copy
    }

    // MARK: - Writing

    public var bytes: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            writeTop(&json)
            json.key("frames")
            json.array { json in for entry in entries { write(entry, &json) } }
        }
        return json.drain() + [UInt8(ascii: "\n")]
    }

    private func writeTop(_ json: inout JSONWriter) {
        // A pinhole as nerfstudio's own converters call it: some trainers know no other name.
        if dialect == .nerfstudio {
            json.member("camera_model", .string("OPENCV"))
            if isZUp { json.member("orientation_override", .string("none")) }
        }
        if let topCamera { Self.write(topCamera, &json) }
        if let appliedTransform { json.member("applied_transform", .array(appliedTransform.map { .of($0) })) }
        if let pointFile { json.member("ply_file_path", .string(pointFile)) }
        if let volume {
            json.member("scale", .number(volume.scale))
            json.member("offset", .of(volume.offset.components))
            json.member("aabb_scale", .of(volume.aabbScale))
        }
        if dialect == .instantNGP {
            if let up { json.member("up", .of(up.components)) }
            if let depthUnit {
                json.member("enable_depth_loading", .bool(true))
                json.member("integer_depth_scale", .number(depthUnit))
            }
        }
        if isSplit, dialect == .nerfstudio {
            let pictures = entries.map { (name: $0.picture, split: $0.split ?? []) }
            for (key, split) in Self.splitLists {
                json.member(key, .of(DatasetSplit.names(for: split, of: pictures)))
            }
        }
    }

    /// The camera for loaders that look for one at the top level. Intrinsics change from frame to frame with autofocus,
    /// and nerfstudio would use the top level's for all frames; instant-ngp uses it for what a frame leaves out.
    private var topCamera: CameraIntrinsics? {
        guard let first = entries.first?.camera else { return nil }
        return dialect == .instantNGP || entries.allSatisfy { $0.camera == first } ? first : nil
    }

    /// The sharpness written for a picture without any edge: at 0, instant-ngp says that there is no picture.
    private static let leastSharpness = 1e-6

    /// A camera's members; HMC's projects have the same, with the principal point as ARKit counts it.
    public static func write(
        _ camera: CameraIntrinsics, countedFrom origin: PixelOrigin = .corner, _ json: inout JSONWriter
    ) {
        let k = camera.counted(from: origin)
        for (key, value) in [("fl_x", k.fx), ("fl_y", k.fy), ("cx", k.cx), ("cy", k.cy)] {
            json.member(key, .number(value))
        }
        json.member("w", .of(k.width))
        json.member("h", .of(k.height))
    }

    private func write(_ entry: Entry, _ json: inout JSONWriter) {
        json.object { json in
            json.member("file_path", .string(entry.picture))
            if let depth = entry.depth {
                json.member(dialect == .nerfstudio ? "depth_file_path" : "depth_path", .string(depth))
            }
            if let mask = entry.mask, dialect == .nerfstudio { json.member("mask_path", .string(mask)) }
            // instant-ngp skips a frame that is not sharp compared with others, and would skip a file's only one.
            if let sharpness = entry.sharpness, dialect == .instantNGP, entries.count > 1 {
                json.member("sharpness", .number(max(sharpness, Self.leastSharpness)))
            }
            Self.write(entry.camera, &json)
            json.member("transform_matrix", .array(entry.pose.rowMajorRows.map { .of($0) }))
        }
    }
}

extension TransformsJSON.Volume {
    /// The cube in which `focus` just fits, and the smallest power of two times its size that also holds `everything`.
    /// - Parameter focus: points whose extent is to fill the cube, in the saved world.
    /// - Returns: nil when the points have no extent.
    public init?(focus: [Vector3], everything: [Vector3]) {
        guard let first = focus.first else { return nil }
        var (low, high) = (first.components, first.components)
        for point in focus {
            let p = point.components
            for axis in 0..<3 { (low[axis], high[axis]) = (min(low[axis], p[axis]), max(high[axis], p[axis])) }
        }
        guard let length = (0..<3).map({ high[$0] - low[$0] }).max(), length > 0, length.isFinite else { return nil }
        scale = 1 / length
        let middle = Vector3(low[0] + high[0], low[1] + high[1], low[2] + high[2]) / 2
        offset = Vector3(0.5, 0.5, 0.5) - middle * scale
        var reach = 0.5
        for point in everything {
            for d in ((point - middle) * scale).components { reach = max(reach, abs(d)) }
        }
        // What only rounding puts outside needs no cube of twice the size.
        let edge = 2 * reach * (1 - 1e-9)
        aabbScale = 1
        while Double(aabbScale) < edge, aabbScale < 128 { aabbScale *= 2 }
        leavesOut = Double(aabbScale) < edge
    }
}
