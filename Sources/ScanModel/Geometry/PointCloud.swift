/// Points in the world, metres; either all or none have a colour, and either all or none a normal.
public struct PointCloud: Hashable, Sendable {
    /// What there may be of points besides their positions.
    public struct Properties: OptionSet, Hashable, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) { self.rawValue = rawValue }

        public static let normals = Properties(rawValue: 1)
        public static let colors = Properties(rawValue: 2)
    }

    /// x, y, z of each point in turn: `count * 3` values.
    public var positions: [Float]
    /// red, green, blue of each point in turn: `count * 3` bytes; nil where the source has no pictures.
    public var colors: [UInt8]?
    /// x, y, z of the direction in which the surface at each point in turn faces, of length 1: `count * 3` values; 0, 0, 0
    /// of a point where it is not known.
    public var normals: [Float]?

    public var properties: Properties {
        (normals == nil ? [] : Properties.normals).union(colors == nil ? [] : .colors)
    }

    public var count: Int { positions.count / 3 }

    /// How many points have an unknown normal; nil of a cloud without normals.
    public var unknownNormalCount: Int? {
        normals.map { normals in
            stride(from: 0, to: normals.count, by: 3)
                .count { normals[$0] == 0 && normals[$0 + 1] == 0 && normals[$0 + 2] == 0 }
        }
    }

    public init(positions: [Float] = [], colors: [UInt8]? = nil, normals: [Float]? = nil) {
        precondition(positions.count % 3 == 0)
        precondition(colors == nil || colors?.count == positions.count)
        precondition(normals == nil || normals?.count == positions.count)
        self.positions = positions
        self.colors = colors
        self.normals = normals
    }

    /// Without points.
    public init(of properties: Properties) {
        self.init(
            colors: properties.contains(.colors) ? [] : nil, normals: properties.contains(.normals) ? [] : nil)
    }

    /// Why points are coarse where the first one lies, or nil: coordinates are held in single precision.
    public var coarseness: String? { count == 0 ? nil : Self.coarseness(at: self[0]) }

    /// Why points at a place are coarse; nil within some 16 km of the origin.
    public static func coarseness(at place: Vector3) -> String? {
        let farthest = Float(place.components.map(abs).max() ?? 0)
        let step = Double(farthest.ulp)
        guard step > 0.001, step.isFinite else { return nil }
        // The same for all points with these steps, so that it is said once.
        let least = Double(farthest.binade) / 1000
        let (kilometres, millimetres) = (Int(min(least, 1e15)), Int(min(step * 1000, 1e15).rounded()))
        return "the points lie more than \(kilometres) km from the origin, where coordinates are held in steps of "
            + "\(millimetres) mm: move the origin of the world near them first"
    }

    /// One point.
    public subscript(index: Int) -> Vector3 {
        Vector3(
            Double(positions[3 * index]), Double(positions[3 * index + 1]), Double(positions[3 * index + 2]))
    }

    /// Of unit length; zero where it is unknown; nil of a cloud without normals.
    func normal(of index: Int) -> Vector3? {
        normals.map { Vector3(Double($0[3 * index]), Double($0[3 * index + 1]), Double($0[3 * index + 2])) }
    }

    /// Red, green and blue, 0 to 255; nil of a cloud without colours.
    func color(of index: Int) -> Vector3? {
        colors.map { Vector3(Double($0[3 * index]), Double($0[3 * index + 1]), Double($0[3 * index + 2])) }
    }

    /// Points spread evenly over the whole cloud: about `size` of a large one, and always fewer than twice as many.
    package func sample(about size: Int) -> [Vector3] {
        stride(from: 0, to: count, by: max(1, count / size)).map { self[$0] }
    }

    /// Makes room for so many points.
    mutating func reserveCapacity(_ count: Int) {
        positions.reserveCapacity(3 * count)
        colors?.reserveCapacity(3 * count)
        normals?.reserveCapacity(3 * count)
    }

    /// Adds the points of another cloud, which has the same properties.
    public mutating func append(_ other: PointCloud) {
        precondition(other.properties == properties)
        positions += other.positions
        colors?.append(contentsOf: other.colors ?? [])
        normals?.append(contentsOf: other.normals ?? [])
    }

    /// Moves every point by `targetFromSource`, and turns its normal with it.
    public mutating func transform(by targetFromSource: Pose) {
        positions.replaceVectors(targetFromSource.apply)
        normals?.replaceVectors { targetFromSource.rotation * $0 }
    }

    /// Multiplies all coordinates.
    package mutating func scale(by factor: Double) { positions.replaceVectors { $0 * factor } }

    /// Removes the points for which `isKept` is false; the others keep their order.
    public mutating func keep(_ isKept: (Vector3) -> Bool) {
        var end = 0
        for i in 0..<count where isKept(self[i]) {
            for axis in 0..<3 {
                positions[end + axis] = positions[3 * i + axis]
                if let color = colors?[3 * i + axis] { colors?[end + axis] = color }
                if let part = normals?[3 * i + axis] { normals?[end + axis] = part }
            }
            end += 3
        }
        positions.removeSubrange(end...)
        colors?.removeSubrange(end...)
        normals?.removeSubrange(end...)
    }
}

extension PointCloud {
    /// Gives each point the colour of the picture's pixel on which it falls; grey 128 outside the picture and behind the
    /// camera.
    /// - Returns: for each point whether the picture has its colour.
    @discardableResult
    public mutating func paint(from picture: RGBImage, seenBy view: CameraView) -> [Bool] {
        let seen = CameraView(
            camera: view.camera.resized(to: picture.size).counted(from: .corner),
            pose: view.pose)
        var painted = [UInt8](repeating: 128, count: count * 3)
        var isSeen = [Bool](repeating: false, count: count)
        for i in 0..<count {
            guard let (u, v, _) = seen.project(self[i]), u >= 0, v >= 0, u < Double(picture.width),
                v < Double(picture.height)
            else { continue }
            isSeen[i] = true
            let at = (Int(v) * picture.width + Int(u)) * 3
            for channel in 0..<3 { painted[3 * i + channel] = picture.pixels[at + channel] }
        }
        colors = painted
        return isSeen
    }
}

extension [Float] {
    /// Replaces x, y, z of each vector in turn.
    fileprivate mutating func replaceVectors(_ moved: (Vector3) -> Vector3) {
        for at in stride(from: 0, to: count, by: 3) {
            let v = moved(Vector3(Double(self[at]), Double(self[at + 1]), Double(self[at + 2])))
            (self[at], self[at + 1], self[at + 2]) = (Float(v.x), Float(v.y), Float(v.z))
        }
    }
}
