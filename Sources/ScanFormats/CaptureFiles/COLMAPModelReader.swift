import ScanModel

/// Reads a COLMAP model, text or binary, which the files' names tell apart, as for COLMAP itself.
///
/// Source: colmap, doc/format.rst, scene/reconstruction_io_*.cc and sensor/models.h.
public enum COLMAPModelReader {
    /// A camera's model, in the order of the numbers that binary files have for them.
    public enum Model: String, CaseIterable, Sendable {
        case simplePinhole = "SIMPLE_PINHOLE"
        case pinhole = "PINHOLE"
        case simpleRadial = "SIMPLE_RADIAL"
        case radial = "RADIAL"
        case openCV = "OPENCV"
        case openCVFisheye = "OPENCV_FISHEYE"
        case fullOpenCV = "FULL_OPENCV"
        case fieldOfView = "FOV"
        case simpleRadialFisheye = "SIMPLE_RADIAL_FISHEYE"
        case radialFisheye = "RADIAL_FISHEYE"
        case thinPrismFisheye = "THIN_PRISM_FISHEYE"
        case radTanThinPrismFisheye = "RAD_TAN_THIN_PRISM_FISHEYE"
        case simpleDivision = "SIMPLE_DIVISION"
        case division = "DIVISION"
        case simpleFisheye = "SIMPLE_FISHEYE"
        case fisheye = "FISHEYE"
        case unified = "EUCM"
        case panorama = "EQUIRECTANGULAR"

        var parameterCount: Int {
            switch self {
            case .panorama: 2
            case .simplePinhole, .simpleFisheye: 3
            case .pinhole, .simpleRadial, .simpleRadialFisheye, .simpleDivision, .fisheye: 4
            case .radial, .fieldOfView, .radialFisheye, .division: 5
            case .unified: 6
            case .openCV, .openCVFisheye: 8
            case .fullOpenCV, .thinPrismFisheye: 12
            case .radTanThinPrismFisheye: 16
            }
        }

        /// Whether the first parameter is the focal length in both directions. A panorama has none.
        var hasOneFocalLength: Bool {
            switch self {
            case .simplePinhole, .simpleRadial, .radial, .simpleRadialFisheye, .radialFisheye, .simpleDivision,
                .simpleFisheye:
                true
            case .pinhole, .openCV, .openCVFisheye, .fullOpenCV, .fieldOfView, .thinPrismFisheye,
                .radTanThinPrismFisheye, .division, .fisheye, .unified, .panorama:
                false
            }
        }
    }

    /// A camera of any model; the parameters in the model's order, and as many as it has.
    public struct Camera: Hashable, Sendable {
        public var model: Model
        public var width: Int
        public var height: Int
        public var parameters: [Double]
    }

    // MARK: - Cameras

    /// - Parameter openLine: called with the number of the last line if it has no line feed although the others do.
    public static func cameras(
        text source: any ByteSource, openLine: (Int) -> Void = { _ in }
    ) throws(Problem) -> [UInt32: Camera] {
        var cameras: [UInt32: Camera] = [:]
        // Cameras of another model end in another parameter.
        var last: [String: LastNumbers] = [:]
        var isOpen = false
        func noteOpenLine(_ line: Int) {
            isOpen = true
            openLine(line)
        }
        try eachLine(of: source, noteOpenLine) { (line, place) throws(Problem) in
            let words = line.words
            if words.count > 4, let number = words.last {
                if isOpen, last[words[1]]?.areCut(by: number) == true {
                    let cut = LastNumbers.cut(number)
                    var problem = place(cut.summary)
                    problem.fix = cut.fix
                    throw problem
                }
                last[words[1], default: LastNumbers()].add(number)
            }
            guard words.count >= 4, let id = UInt32(words[0]), let width = Int(words[2]), let height = Int(words[3])
            else { throw place("expected CAMERA_ID, MODEL, WIDTH, HEIGHT, PARAMS[]") }
            let parameters = words.dropFirst(4).compactMap { Double($0) }
            guard parameters.count == words.count - 4 else { throw place("a parameter is no number") }
            guard let model = Model(rawValue: words[1]) else {
                throw place("the camera model \(words[1]) is not known")
            }
            let camera = Camera(model: model, width: width, height: height, parameters: parameters)
            if let defect = camera.defect { throw place(defect) }
            guard cameras.updateValue(camera, forKey: id) == nil else { throw place("camera \(id) is there twice") }
        }
        return cameras
    }

    public static func cameras(binary source: any ByteSource) throws(Problem) -> [UInt32: Camera] {
        var bytes = COLMAPBytes(source)
        var cameras: [UInt32: Camera] = [:]
        let count: UInt64 = try bytes.integer()
        for _ in 0..<count {
            let id: UInt32 = try bytes.integer()
            let number: Int32 = try bytes.integer()
            let (width, height): (UInt64, UInt64) = (try bytes.integer(), try bytes.integer())
            guard Model.allCases.indices.contains(Int(number)) else {
                throw bytes.problem("camera \(id) has a model that is not known (\(number))")
            }
            let model = Model.allCases[Int(number)]
            var camera = Camera(
                model: model, width: Int(clamping: width), height: Int(clamping: height), parameters: [])
            for _ in 0..<model.parameterCount { camera.parameters.append(try bytes.double()) }
            if let defect = camera.defect { throw bytes.problem(defect) }
            guard cameras.updateValue(camera, forKey: id) == nil else {
                throw bytes.problem("camera \(id) is there twice")
            }
        }
        try bytes.requireEnd(behind: count, "camera")
        return cameras
    }

    // MARK: - Images

    /// - Parameters:
    ///   - limit: more images are refused.
    ///   - openLine: as of ``cameras(text:openLine:)``.
    public static func images(
        text source: any ByteSource, limit: Int, openLine: (Int) -> Void = { _ in }
    ) throws(Problem) -> [COLMAPModel.Image] {
        var images: [COLMAPModel.Image] = []
        // Every second line holds observations. It may be empty, but it is there; comments are only at the top.
        var isObservations = false
        try eachLine(of: source, takesBlank: true, openLine) { (line, place) throws(Problem) in
            if isObservations || line.isBlank {
                isObservations = false
                // A file without these lines would lose every second image.
                guard line.isThreesOfNumbers else {
                    var problem = place("expected the observations X, Y, POINT3D_ID, …, or an empty line for none")
                    // People who write such a file by hand leave all of them out.
                    if images.count == 1, image(line) != nil {
                        problem.fix =
                            "each image takes two lines; where no image has observations, put an empty line after each "
                            + "with  sed -i '/^#/!G' \(ShellWord.quoted(path: source.name))"
                    }
                    throw problem
                }
                return
            }
            isObservations = true
            guard let (id, camera, numbers) = image(line) else {
                throw place("expected IMAGE_ID, QW, QX, QY, QZ, TX, TY, TZ, CAMERA_ID, NAME")
            }
            guard images.count < limit else { throw tooMany(limit).at(file: source.name) }
            // COLMAP's own writer puts names with spaces as they are, although its reader takes what follows the first
            // space for nothing: the rest of the line is the picture's name.
            images.append(image(id, camera, line.rest(fromWord: 9).withSlashes, numbers))
        }
        return images
    }

    public static func images(binary source: any ByteSource, limit: Int) throws(Problem) -> [COLMAPModel.Image] {
        var bytes = COLMAPBytes(source)
        var images: [COLMAPModel.Image] = []
        let count: UInt64 = try bytes.integer()
        guard count <= UInt64(limit) else { throw tooMany(limit, count: Int(clamping: count)).at(file: source.name) }
        for _ in 0..<count {
            let id: UInt32 = try bytes.integer()
            var numbers: [Double] = []
            for _ in 0..<7 { numbers.append(try bytes.double()) }
            let camera: UInt32 = try bytes.integer()
            let name = try bytes.text(limit: 4096).withSlashes
            let observations: UInt64 = try bytes.integer()
            try bytes.skip(observations, of: 24)
            images.append(image(id, camera, name, numbers))
        }
        try bytes.requireEnd(behind: count, "image")
        return images
    }

    /// What an image's line has before the picture's name; nil where it is no such line.
    private static func image(_ line: COLMAPLine) -> (id: UInt32, camera: UInt32, numbers: [Double])? {
        let words = line.words(atMost: 10)
        let numbers = words.dropFirst().prefix(7).compactMap { Double($0) }
        guard words.count == 10, numbers.count == 7, let id = UInt32(words[0]), let camera = UInt32(words[8]) else {
            return nil
        }
        return (id, camera, numbers)
    }

    /// How many images a model has. A binary file begins with that number.
    static func imageCount(of source: any ByteSource, isText: Bool) throws(Problem) -> Int {
        if isText {
            var lines = LineReader(source, limit: lineLimit)
            var count = 0
            while let line = try lines.next() {
                let first = try lines.withBytes(of: line) { (bytes) throws(Problem) in bytes.first }
                if first != UInt8(ascii: "#") { count += 1 }
            }
            // Each image has a line of its own and one of observations, which the last may lack.
            return (count + 1) / 2
        }
        var bytes = COLMAPBytes(source)
        let count: UInt64 = try bytes.integer()
        return Int(clamping: count)
    }

    /// - Parameter count: how many there are, if known.
    private static func tooMany(_ limit: Int, count: Int? = nil) -> Problem {
        Problem(
            .input, "the model has more than \(limit) images",
            fix: ReadRules.wayToAllowFrames(count ?? limit + 1, limit: limit))
    }

    /// - Parameter n: q (w, x, y, z) and t of `cam_from_world`; the camera's centre is −Rᵀt.
    private static func image(_ id: UInt32, _ camera: UInt32, _ name: String, _ n: [Double]) -> COLMAPModel.Image {
        let q = Quaternion(w: n[0], x: n[1], y: n[2], z: n[3])
        let rotation = q.matrix.transposed
        let pose = Pose(rotation: rotation, position: -(rotation * Vector3(n[4], n[5], n[6]))).withCVAxes
        return COLMAPModel.Image(id: id, camera: camera, name: name, pose: pose, quaternionDefect: q.defect)
    }

    // MARK: - Points

    /// Points as they are in the file, including those with a coordinate that is not finite.
    /// - Parameters:
    ///   - limit: more points are refused.
    ///   - openLine: as of ``cameras(text:openLine:)``.
    public static func points(
        text source: any ByteSource, limit: Int, openLine: (Int) -> Void = { _ in }
    ) throws(Problem) -> PointCloud {
        var (positions, colors): ([Float], [UInt8]) = ([], [])
        try eachLine(of: source, openLine) { (line, place) throws(Problem) in
            let words = line.words(atMost: 7)
            let numbers = words.dropFirst().prefix(3).compactMap { Float($0) }
            let color = words.dropFirst(4).prefix(3).compactMap { UInt8($0) }
            guard numbers.count == 3, color.count == 3 else { throw place("expected POINT3D_ID, X, Y, Z, R, G, B, …") }
            guard positions.count < 3 * limit else {
                var problem = place("there are more than \(limit) points")
                problem.fix = ReadRules.wayToAllowPoints(nil, limit: limit)
                throw problem
            }
            positions += numbers
            colors += color
        }
        return PointCloud(positions: positions, colors: colors)
    }

    public static func points(binary source: any ByteSource, limit: Int) throws(Problem) -> PointCloud {
        var bytes = COLMAPBytes(source)
        var (positions, colors): ([Float], [UInt8]) = ([], [])
        let count: UInt64 = try bytes.integer()
        guard count <= UInt64(limit) else {
            var problem = bytes.problem("there are \(count) points, more than \(limit)")
            problem.fix = ReadRules.wayToAllowPoints(Int(clamping: count), limit: limit)
            throw problem
        }
        for _ in 0..<count {
            let _: UInt64 = try bytes.integer()
            let (x, y, z) = (Float(try bytes.double()), Float(try bytes.double()), Float(try bytes.double()))
            let (red, green, blue): (UInt8, UInt8, UInt8) = (
                try bytes.integer(), try bytes.integer(), try bytes.integer()
            )
            _ = try bytes.double()
            let track: UInt64 = try bytes.integer()
            try bytes.skip(track, of: 8)
            for value in [x, y, z] { positions.append(value) }
            for value in [red, green, blue] { colors.append(value) }
        }
        try bytes.requireEnd(behind: count, "point")
        return PointCloud(positions: positions, colors: colors)
    }
}

extension COLMAPModelReader.Camera {
    /// Why the camera cannot be used, or nil.
    fileprivate var defect: String? {
        guard parameters.count == model.parameterCount else {
            let count = parameters.count
            return "\(model.rawValue) has \(model.parameterCount) parameters, and \(count) \(count.isOrAre) there"
        }
        guard CameraIntrinsics.sides.contains(width), CameraIntrinsics.sides.contains(height) else {
            return "the camera's pictures are \(width)×\(height)"
        }
        return nil
    }

    /// The camera with its lens. Their numbers need not be those of any camera.
    /// - Throws: when it is a panorama's.
    func calibrated() throws(Problem) -> CalibratedCamera {
        // The principal point comes after the focal lengths.
        let centre = model.hasOneFocalLength ? 1 : 2
        guard let lens = lens(Array(parameters.dropFirst(centre + 2))) else {
            throw Problem(
                .input, "no pinhole picture shows what a camera of the model \(model.rawValue) sees",
                fix: "make pinhole pictures of them first, and reconstruct a model from those")
        }
        let camera = CameraIntrinsics(
            fx: parameters[0], fy: parameters[centre - 1], cx: parameters[centre], cy: parameters[centre + 1],
            width: width, height: height, pixelOrigin: .corner)
        return CalibratedCamera(camera, lens)
    }

    /// - Parameter n: the parameters after focal lengths and principal point.
    /// - Returns: nil for a panorama, which has none of these.
    private func lens(_ n: [Double]) -> LensDistortion? {
        switch model {
        case .simplePinhole, .pinhole: LensDistortion()
        case .simpleRadial: LensDistortion(radial: [n[0], 0, 0, 0])
        case .radial: LensDistortion(radial: [n[0], n[1], 0, 0])
        case .openCV: LensDistortion(radial: [n[0], n[1], 0, 0], tangential: [n[2], n[3]])
        case .fullOpenCV:
            LensDistortion(
                radial: [n[0], n[1], n[4], 0], divisor: [n[5], n[6], n[7]], tangential: [n[2], n[3]])
        case .openCVFisheye: LensDistortion(.fisheye, radial: [n[0], n[1], n[2], n[3]])
        case .simpleRadialFisheye: LensDistortion(.fisheye, radial: [n[0], 0, 0, 0])
        case .radialFisheye: LensDistortion(.fisheye, radial: [n[0], n[1], 0, 0])
        case .simpleFisheye, .fisheye: LensDistortion(.fisheye)
        case .thinPrismFisheye:
            LensDistortion(
                .fisheye, radial: [n[0], n[1], n[4], n[5]], tangential: [n[2], n[3]], prism: [n[6], 0, n[7], 0])
        case .radTanThinPrismFisheye: LensDistortion(fisheye624: n)
        case .fieldOfView: LensDistortion(.fieldOfView(n[0]))
        case .simpleDivision, .division: LensDistortion(.division(n[0]))
        case .unified: LensDistortion(.unified(alpha: n[0], beta: n[1]))
        case .panorama: nil
        }
    }
}

extension LensDistortion {
    /// The lens that Project Aria calls FISHEYE624, and COLMAP RAD_TAN_THIN_PRISM_FISHEYE.
    /// - Parameter n: its twelve numbers: k0 to k5, p0, p1, s0 to s3. p0 belongs to x, unlike OpenCV's p1.
    init(fisheye624 n: [Double]) {
        self.init(
            .fisheye, radial: [n[0], n[1], n[2], n[3]], higherRadial: [n[4], n[5]], tangential: [n[7], n[6]],
            prism: [n[8], n[9], n[10], n[11]], isRadialFirst: true)
    }
}
