import Glibc
import ScanModel

extension TransformsJSON {
    /// A lens as the file describes it: some numbers may be left out, or given at the top level for all frames.
    public struct Lens: Sendable {
        var focal: (x: Double?, y: Double?) = (nil, nil)
        /// Fields of view, radians.
        var angle: (x: Double?, y: Double?) = (nil, nil)
        var centre: (x: Double?, y: Double?) = (nil, nil)
        var size: (width: Int?, height: Int?) = (nil, nil)
        /// Whether the file does not say the size, and it was taken to be that of most pictures of this lens.
        private(set) var isSizeAssumed = false
        public private(set) var distortion = LensDistortion()

        /// A frame's own numbers, and the top level's for those that it leaves out. nerfstudio would prefer the top
        /// level's; where both exist, the frame's are more accurate: even its field of view goes before a focal length
        /// at the top level.
        init(_ frame: JSONField, _ top: JSONField) throws(Problem) {
            func number(_ key: String) throws(Problem) -> Double? {
                let own = try frame[key].numberIfPresent()
                return if let own { own } else { try top[key].numberIfPresent() }
            }
            func says(_ keys: String...) -> Bool { keys.contains { !frame[$0].isAbsent } }
            let hasView = says("camera_angle_x", "camera_angle_y", "x_fov", "y_fov")
            let viewed = hasView ? frame : top
            func angle(_ radians: String, _ degrees: String) throws(Problem) -> Double? {
                if let angle = try viewed[radians].numberIfPresent() { return angle }
                return try viewed[degrees].numberIfPresent().map { $0 * .pi / 180 }
            }
            if !hasView || says("fl_x", "fl_y") { focal = (try number("fl_x"), try number("fl_y")) }
            self.angle = (try angle("camera_angle_x", "x_fov"), try angle("camera_angle_y", "y_fov"))
            centre = (try number("cx"), try number("cy"))
            func side(_ key: String) throws(Problem) -> Int? {
                guard let side = try number(key) else { return nil }
                // Some tools write sizes as 1920.0, or as half of an odd one.
                guard let whole = Int(exactly: side.rounded()), (0...Int(Int32.max)).contains(whole) else {
                    throw (frame[key].isAbsent ? top : frame)[key].unlike("a number of pixels")
                }
                return whole
            }
            size = (try side("w"), try side("h"))
            distortion = try LensDistortion(frame, top)
        }

        /// Whether the file does not say for pictures of which size the numbers are.
        var lacksSize: Bool { size.width == nil && size.height == nil }

        /// Whether nothing about it is in pixels.
        var isOfAngles: Bool { [focal.x, focal.y, centre.x, centre.y].allSatisfy { $0 == nil } }

        /// What frames of one lens have in common.
        var numbers: [Double?] { [focal.x, focal.y, angle.x, angle.y, centre.x, centre.y] }

        /// Takes the numbers to be for pictures of this size.
        mutating func assume(_ size: PixelSize) {
            self.size = (size.width, size.height)
            isSizeAssumed = true
        }

        var hasFocalLength: Bool { (focal.x ?? focal.y ?? angle.x ?? angle.y) != nil }

        static let wayToFocalLength =
            "add  \"camera_angle_x\": RADIANS  (the horizontal field of view) or  \"fl_x\": PIXELS  at the file's top"

        /// - Parameter picture: the picture's own size, for what the file does not say.
        public func camera(for picture: PixelSize) throws(Problem) -> CameraIntrinsics {
            let (width, height) = (size.width ?? picture.width, size.height ?? picture.height)
            guard CameraIntrinsics.sides.contains(width), CameraIntrinsics.sides.contains(height) else {
                throw Problem(.input, "the intrinsics are for \(width)×\(height)")
            }
            let x = focal.x ?? angle.x.map { 0.5 * Double(width) / tan($0 / 2) }
            let y = focal.y ?? angle.y.map { 0.5 * Double(height) / tan($0 / 2) }
            guard let fx = x ?? y, let fy = y ?? x else {
                throw Problem(
                    .input, "there is no focal length: no fl_x, camera_angle_x or x_fov",
                    fix: Self.wayToFocalLength)
            }
            return CameraIntrinsics(
                fx: fx, fy: fy, cx: centre.x ?? Double(width) / 2, cy: centre.y ?? Double(height) / 2, width: width,
                height: height, pixelOrigin: .corner)
        }
    }

    /// nerfstudio's top-level lists of pictures, and what each is for.
    static let splitLists: [(key: String, split: DatasetSplit)] = [
        ("train_filenames", .training), ("val_filenames", .validation), ("test_filenames", .test),
    ]

    /// One of `frames` as it was read.
    public struct Found: Sendable {
        public var picture: String
        public var depth: String?
        public var pose: Pose
        public var lens: Lens
        /// Whether the pose is that at the start of the exposure, and changes while the picture is taken.
        public var isOfStart: Bool

        init(_ frame: JSONField, _ top: JSONField) throws(Problem) {
            picture = try frame["file_path"].text().withSlashes
            depth = try Self.depth(frame)
            isOfStart = frame["transform_matrix"].isAbsent && !frame["transform_matrix_start"].isAbsent
            pose = try frame[isOfStart ? "transform_matrix_start" : "transform_matrix"].pose(leavesLastRow: true)
            lens = try Lens(frame, top)
        }

        /// The depth picture that a frame names, even if nothing else of it can be read.
        static func depth(_ frame: JSONField) throws(Problem) -> String? {
            try path(frame["depth_file_path"].isAbsent ? frame["depth_path"] : frame["depth_file_path"])
        }

        /// The mask that a frame names; nerfstudio's key.
        static func mask(_ frame: JSONField) throws(Problem) -> String? {
            try path(frame["mask_path"])
        }

        /// Some tools write an empty path for none.
        private static func path(_ field: JSONField) throws(Problem) -> String? {
            let path = try field.ifPresent { (field) throws(Problem) in try field.text() }
            return path.flatMap { $0.isEmpty ? nil : $0.withSlashes }
        }
    }

    /// The file's top level.
    public struct Top: Sendable {
        public var dialect: Dialect
        /// `originalFromSaved`, where `applied_transform` is present and a rotation.
        public var originalFromSaved: Pose?
        /// The factor by which saved positions were multiplied after `applied_transform`: depth then has another unit.
        public var appliedScale: Double
        public var pointFile: String?
        /// How many of a depth picture's units make one unit of the original world.
        public var depthUnitsPerMetre: Double
        /// The key that gives the unit of depth; nil where there is none, and depth is taken for millimetres.
        public var depthUnitKey: String?
        /// Whether that key is present without a usable unit: instant-ngp then ignores depth.
        public var saysNoDepth = false
        /// The cameras' axes.
        public var axes: CameraAxes
        /// How many frames instant-ngp takes, the first by name: `n_frames`.
        public var frameLimit: Int?
        public var warnings: [String] = []
        /// The original world's up, where the file gives it.
        public var worldUp: Vector3?

        /// - Throws: when the lens of all pictures is not supported.
        public init(_ root: JSONField) throws(Problem) {
            try LensDistortion.check(root)
            axes = CameraAxes(root)
            let marks = ["aabb_scale", "integer_depth_scale", "scale", "offset", "enable_depth_loading"]
            let isNGP = axes != .openGL || marks.contains { !root[$0].isAbsent }
            dialect = isNGP ? .instantNGP : .nerfstudio
            // Any tool may use this name; only in instant-ngp's datasets is it a limit.
            if isNGP, let count = root["n_frames"].value?.double, count >= 0 {
                frameLimit = Int(exactly: count.rounded(.down))
            }
            pointFile = root["ply_file_path"].value?.string
            // A writer that tells nerfstudio to leave the world as it is has already turned it so that z is up.
            let savedUp =
                Self.direction(root["up"])
                ?? (root["orientation_override"].value?.string == "none" ? Vector3(0, 0, 1) : nil)
            let scale = try root["applied_scale"].numberIfPresent() ?? 1
            guard scale > 0, scale.isFinite else { throw root["applied_scale"].unlike("a positive number") }
            appliedScale = scale
            depthUnitKey = Self.depthUnitKeys.first { !root[$0].isAbsent }
            let unit = try depthUnitKey.map { (key) throws(Problem) in try root[key].number() } ?? 0.001
            saysNoDepth = !(unit > 0 && unit <= 1e3 && (1 / unit).isFinite)
            // instant-ngp's unit refers to the saved world, which was scaled; nerfstudio's is a sensor's, in metres.
            depthUnitsPerMetre = saysNoDepth ? 1000 : (depthUnitKey == "integer_depth_scale" ? scale : 1) / unit
            guard !root["applied_transform"].isAbsent else {
                worldUp = savedUp
                return
            }
            let numbers = try root["applied_transform"].rows(of: 4)
            guard numbers.count == 12 || numbers.count == 16 else {
                throw root["applied_transform"].unlike("three rows of four numbers")
            }
            let applied = Pose(rowMajor: numbers)
            if let defect = applied.defect {
                warnings.append("applied_transform was not undone, because it is no rotation: \(defect)")
                worldUp = savedUp
                return
            }
            originalFromSaved = applied.inverse
            if let savedUp {
                worldUp = (applied.rotation.transposed * savedUp).normalized.snappedToAxis
            } else {
                let (x, y, z) = applied.rotation.columns
                let rounded = Matrix3(columns: x.snappedToAxis, y.snappedToAxis, z.snappedToAxis)
                if rounded == .yUpToZUp { worldUp = Vector3(0, 1, 0) }
            }
        }

        /// A pose in the original world.
        func original(_ saved: Pose) -> Pose {
            let rotation = axes.ownFromOpenGL.map { saved.rotation * $0 } ?? saved.rotation
            let unscaled = Pose(rotation: rotation, position: saved.position / appliedScale)
            return originalFromSaved.map { $0 * unscaled } ?? unscaled
        }

        /// Points in the original world.
        func original(_ saved: PointCloud) -> PointCloud {
            var cloud = saved
            if appliedScale != 1 { cloud.positions = cloud.positions.map { Float(Double($0) / appliedScale) } }
            if let originalFromSaved { cloud.transform(by: originalFromSaved) }
            return cloud
        }

        /// instant-ngp's key, and the one that converters write for nerfstudio, whose own loader has an option of that
        /// name and a default of 0.001.
        private static let depthUnitKeys = ["integer_depth_scale", "depth_unit_scale_factor"]

        private static func direction(_ field: JSONField) -> Vector3? {
            guard let n = field.value?.doubles, n.count == 3 else { return nil }
            let up = Vector3(n[0], n[1], n[2])
            return up.isFinite && abs(up.length - 1) < 1e-3 ? up.normalized.snappedToAxis : nil
        }
    }

    /// The axes that a dataset's cameras have.
    ///
    /// Source: instant-ngp, src/nerf_loader.cu and include/neural-graphics-primitives/nerf_loader.h, and NeuS2, which
    /// is derived from it: both negate the second and the third column of every pose. With `normal_mts_args`, whatever
    /// its value, they then negate the first and the third; with `from_na`, which takes precedence, NeuS2 negates the
    /// second and the third once more. `from_mitsuba` is what their code calls the former, not a key that they read: it
    /// is accepted as an alias, since it can mean nothing else.
    public enum CameraAxes: Hashable, Sendable {
        /// x right, y up, z backward.
        case openGL
        /// x right, y down, z forward.
        case openCV
        /// x left, y up, z forward.
        case mitsuba

        init(_ top: JSONField) {
            if top["from_na"].isSetFlag {
                self = .openCV
            } else if top["normal_mts_args"].value != nil || top["from_mitsuba"].isSetFlag {
                self = .mitsuba
            } else {
                self = .openGL
            }
        }

        /// Multiplied from the right, turns a pose's rotation into that of a camera with OpenGL's axes; nil where it
        /// has them.
        var ownFromOpenGL: Matrix3? {
            switch self {
            case .openGL: nil
            case .openCV: Matrix3(rows: Vector3(1, 0, 0), Vector3(0, -1, 0), Vector3(0, 0, -1))
            case .mitsuba: Matrix3(rows: Vector3(-1, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, -1))
            }
        }
    }
}

extension JSONField {
    /// Some tools write 1 for true.
    var isSetFlag: Bool { value?.bool == true || (value?.double ?? 0) != 0 }
}
