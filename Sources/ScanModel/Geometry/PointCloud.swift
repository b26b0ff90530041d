/// Points in the world, metres; either all or none have a colour.
public struct PointCloud: Hashable, Sendable {
    /// x, y, z of each point in turn: `count * 3` values.
    public var positions: [Float]
    /// red, green, blue of each point in turn: `count * 3` bytes; nil where the source has no pictures.
    public var colors: [UInt8]?

    public var count: Int { positions.count / 3 }

    public init(positions: [Float] = [], colors: [UInt8]? = nil) {
        precondition(positions.count % 3 == 0)
        precondition(colors == nil || colors?.count == positions.count)
        self.positions = positions
        self.colors = colors
    }

    /// Why points are coarse where the first one lies, or nil: coordinates are held in single precision.
    public var coarseness: String? { count == 0 ? nil : Self.coarseness(at: self[0]) }

    /// Why points at a place are coarse; nil within some 16 km of the origin.
    public static func coarseness(at place: Vector3) -> String? {
        let farthest = place.components.map(abs).max() ?? 0
        let step = Double(Float(farthest).ulp)
        guard step > 0.001, step.isFinite else { return nil }
        let (kilometres, millimetres) = (Int(min(farthest / 1000, 1e15)), Int(min(step * 1000, 1e15).rounded()))
        return "the points lie \(kilometres) km from the origin, where coordinates are held in steps of "
            + "\(millimetres) mm: move the origin of the world near them first"
    }

    /// One point.
    public subscript(index: Int) -> Vector3 {
        Vector3(
            Double(positions[3 * index]), Double(positions[3 * index + 1]), Double(positions[3 * index + 2]))
    }

    /// Points spread evenly over the whole cloud: about `size` of a large one, and always fewer than twice as many.
    package func sample(about size: Int) -> [Vector3] {
        stride(from: 0, to: count, by: max(1, count / size)).map { self[$0] }
    }

    /// Moves every point by `targetFromSource`.
    public mutating func transform(by targetFromSource: Pose) {
        for i in 0..<count {
            let p = targetFromSource.apply(self[i])
            positions[3 * i] = Float(p.x)
            positions[3 * i + 1] = Float(p.y)
            positions[3 * i + 2] = Float(p.z)
        }
    }

    /// Removes the points for which `isKept` is false; the others keep their order.
    public mutating func keep(_ isKept: (Vector3) -> Bool) {
        var end = 0
        for i in 0..<count where isKept(self[i]) {
            for axis in 0..<3 {
                positions[end + axis] = positions[3 * i + axis]
                if let color = colors?[3 * i + axis] { colors?[end + axis] = color }
            }
            end += 3
        }
        positions.removeSubrange(end...)
        colors?.removeSubrange(end...)
    }
}

extension PointCloud {
    /// Gives each point the colour of the picture's pixel on which it falls; grey 128 outside the picture and behind the
    /// camera.
    public mutating func paint(from picture: RGBImage, seenBy view: CameraView) {
        let seen = CameraView(
            camera: view.camera.resized(to: picture.size).counted(from: .corner),
            pose: view.pose)
        var painted = [UInt8](repeating: 128, count: count * 3)
        for i in 0..<count {
            guard let (u, v, _) = seen.project(self[i]), u >= 0, v >= 0, u < Double(picture.width),
                v < Double(picture.height)
            else { continue }
            let at = (Int(v) * picture.width + Int(u)) * 3
            for channel in 0..<3 { painted[3 * i + channel] = picture.pixels[at + channel] }
        }
        colors = painted
    }
}
