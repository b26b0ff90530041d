/// An axis of the world, with a sign: x, y, z and then the same three with the other sign.
public enum WorldAxis: String, CaseIterable, Sendable {
    case x, y, z
    case minusX = "-x"
    case minusY = "-y"
    case minusZ = "-z"

    /// Of length 1.
    public var direction: Vector3 {
        switch self {
        case .x: Vector3(1, 0, 0)
        case .y: Vector3(0, 1, 0)
        case .z: Vector3(0, 0, 1)
        case .minusX: Vector3(-1, 0, 0)
        case .minusY: Vector3(0, -1, 0)
        case .minusZ: Vector3(0, 0, -1)
        }
    }
}

extension [WorldAxis] {
    /// How to say which of these is up, as the rest of a sentence.
    /// - Parameter way: to say it of one axis.
    package func advice(_ way: (WorldAxis) -> String) -> String {
        switch count {
        case 0: "such as  \(way(.z))"
        case 1: "probably  \(way(self[0]))"
        default: map { " \(way($0))" }.joined(separator: "  or ")
        }
    }
}
