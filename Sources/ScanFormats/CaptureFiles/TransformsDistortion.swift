import ScanModel

extension LensDistortion {
    /// - Parameter top: a dataset's top level, which may leave the numbers to its frames.
    /// - Throws: what ``init(_:_:)`` throws of every frame.
    static func check(_ top: JSONField) throws(Problem) {
        if modelName(top) == "FISHEYE624", top["distortion_params"].isAbsent { return }
        _ = try LensDistortion(top, top)
    }

    /// nerfstudio's and instant-ngp's keys. If a frame has numbers of its own, those at the top level are ignored.
    /// - Throws: when the lens is not supported, or a number cannot be read.
    init(_ frame: JSONField, _ top: JSONField) throws(Problem) {
        for field in [frame, top] { try Self.requireKnownLens(field) }
        let model = [frame, top].first { !$0["camera_model"].isAbsent || !$0["is_fisheye"].isAbsent }
        let name = model.flatMap(Self.modelName)
        if name == "FISHEYE624" {
            self.init(fisheye624: try Self.fisheye624(frame["distortion_params"].isAbsent ? top : frame))
            return
        }
        let isFisheye = name == "OPENCV_FISHEYE" || model.map(Self.saysFisheye) == true
        var numbers = try Self.coefficients(frame)
        if numbers == nil { numbers = try Self.coefficients(top) }
        let n = numbers ?? [0, 0, 0, 0, 0, 0]
        let radial = SIMD4(n[0], n[1], n[2], n[3])
        guard isFisheye else {
            self.init(radial: radial, tangential: [n[4], n[5]])
            return
        }
        guard n[4] == 0, n[5] == 0 else {
            throw Problem(.input, "a fisheye lens with p1 or p2 cannot be undistorted here", fix: Self.undistort)
        }
        self.init(.fisheye, radial: radial)
    }

    /// k1, k2, k3, k4, p1, p2, which `distortion_params` lists in that order; nil where none is given.
    private static func coefficients(_ field: JSONField) throws(Problem) -> [Double]? {
        if let numbers = try field["distortion_params"].ifPresent(numbers) {
            if numbers.count == 6 { return numbers }
            // Other lists have another order.
            guard numbers.allSatisfy({ $0 == 0 }) else {
                throw field["distortion_params"].unlike("k1, k2, k3, k4, p1, p2")
            }
            return [Double](repeating: 0, count: 6)
        }
        let numbers = try ["k1", "k2", "k3", "k4", "p1", "p2"].map { (name) throws(Problem) in
            try field[name].numberIfPresent()
        }
        return numbers.allSatisfy { $0 == nil } ? nil : numbers.map { $0 ?? 0 }
    }

    private static func numbers(_ list: JSONField) throws(Problem) -> [Double] {
        try list.elements().map { (element) throws(Problem) in try element.number() }
    }

    /// The twelve numbers of Project Aria's cameras, as nerfstudio lists them.
    private static func fisheye624(_ field: JSONField) throws(Problem) -> [Double] {
        let list = field["distortion_params"]
        let numbers = try numbers(list)
        guard numbers.count == 12 else { throw list.unlike("k0 to k5, p0, p1, s0 to s3") }
        return numbers
    }

    private static func saysFisheye(_ field: JSONField) -> Bool { field["is_fisheye"].isSetFlag }

    /// In capitals, which not all programs use.
    private static func modelName(_ field: JSONField) -> String? { field["camera_model"].value?.string?.uppercased() }

    /// - Throws: when the pictures cannot be turned into a pinhole's.
    private static func requireKnownLens(_ field: JSONField) throws(Problem) {
        let undone = ["SIMPLE_RADIAL", "RADIAL", "OPENCV", "OPENCV_FISHEYE", "FISHEYE624", "PERSPECTIVE"]
        // Programs have names of their own for a pinhole, such as OpenCVPinhole.
        if let name = field["camera_model"].value?.string, let model = modelName(field),
            !undone.contains(model), !model.contains("PINHOLE")
        {
            // The beginnings of nerfstudio's other names.
            let others = ["EQUIRECTANGULAR", "OMNIDIRECTIONALSTEREO", "VR180", "ORTHOPHOTO"]
            if others.contains(where: model.hasPrefix) {
                throw Problem(.input, "the camera model \(name) cannot be undistorted here", fix: undistort)
            }
            throw Problem(
                .input, "the camera model \(name.shortened) is not one that nerfstudio knows",
                fix: "if they are pinhole pictures, write  \"camera_model\": \"OPENCV\" ; otherwise \(undistort)")
        }
        // instant-ngp's other lenses: it only looks for the keys.
        let others = ["latlong", "equirectangular", "orthographic", "ftheta_p0"]
        if let other = others.first(where: { !field[$0].isAbsent && field[$0].value?.bool != false }) {
            throw Problem(.input, "the pictures are not a pinhole camera's: the file says “\(other)”", fix: undistort)
        }
    }

    private static let undistort = "make pinhole pictures of them first"
}
