/// A face of a box, named along the box's own axes as the capture app names them.
public enum BoxFace: String, Hashable, Sendable, CaseIterable {
    /// −z.
    case front
    /// +z.
    case back
    /// −x.
    case left
    /// +x.
    case right
    /// −y, or the floor where that cuts the box off.
    case bottom
    /// +y.
    case top
}

extension OrientedBox {
    /// What a ray meets first of a box.
    public enum Encounter: Hashable, Sendable {
        case miss
        /// The ray starts inside.
        case inside
        case face(BoxFace)
    }

    /// Follows a ray to the box. Where it enters through an edge, the face that comes first in ``BoxFace`` counts.
    ///
    /// The box is cut out by six planes and the floor: the ray is inside from the last plane that it crosses inwards to
    /// the first that it crosses outwards (T. L. Kay and J. T. Kajiya, "Ray Tracing Complex Scenes", 1986).
    /// - Parameter direction: of any length but 0.
    public func encounter(from origin: Vector3, along direction: Vector3) -> Encounter {
        if contains(origin) { return .inside }
        let (right, up, back) = worldFromBox.columns
        // Each plane by its outward normal and its distance from the centre.
        var planes: [(face: BoxFace, normal: Vector3, distance: Double)] = [
            (.front, -back, halfSize.z), (.back, back, halfSize.z), (.left, -right, halfSize.x),
            (.right, right, halfSize.x), (.bottom, -up, halfSize.y), (.top, up, halfSize.y),
        ]
        if let floor { planes.append((.bottom, Vector3(0, -1, 0), center.y - floor)) }

        var entry: (face: BoxFace?, at: Double) = (nil, 0)
        var exit = Double.infinity
        for (face, normal, distance) in planes {
            let outside = normal.dot(origin - center) - distance
            let approach = -normal.dot(direction)
            if approach == 0 {
                if outside > 0 { return .miss }
            } else if approach > 0 {
                if outside / approach > entry.at { entry = (face, outside / approach) }
            } else {
                exit = min(exit, outside / approach)
            }
        }
        guard let face = entry.face, entry.at <= exit else { return .miss }
        return .face(face)
    }
}
