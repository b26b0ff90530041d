import Glibc

/// At which faces of a box cameras are aimed, and from where it was looked at.
public struct BoxCoverage: Hashable, Sendable {
    /// Cameras aimed at a face that the capture app asks for.
    public static let goal = 10
    /// Cells of the sphere: bands from the top down, and sectors about the box's own up.
    public static let rows = 6
    public static let columns = 12

    /// How many cameras' central rays meet each face first.
    public private(set) var faces: [BoxFace: Int] = [:]
    /// Cameras that look past it, and those that stand inside.
    public private(set) var missCount = 0
    public private(set) var insideCount = 0
    /// By row and column: the cameras that look at the box, by the direction in which they stand. Those whose central rays
    /// meet it, or those of which it was said that their pictures show it.
    ///
    /// All cells have the same area: the rows part the height of a sphere evenly, so their edges are at the elevations
    /// 90°, 41.8°, 19.5°, 0°, −19.5°, … (Archimedes). Row 0 is at the top; column 0 has the box's front in its middle,
    /// and column 3 its right.
    public private(set) var views = Array(repeating: Array(repeating: 0, count: columns), count: rows)

    private let box: OrientedBox

    /// - Parameter box: of one that a floor cuts off, only what is above the floor counts.
    public init(of box: OrientedBox) { self.box = box.cutByItsFloor }

    /// Takes a camera.
    /// - Parameter shows: whether its picture shows the box, as ``BoxVisibility`` tells; without it, a picture whose middle
    ///   does is meant.
    /// - Returns: the face that its central ray meets, nil where it meets none.
    @discardableResult
    public mutating func add(_ pose: Pose, shows: Bool? = nil) -> BoxFace? {
        let encounter = box.encounter(from: pose.position, along: -pose.rotation.columns.2)
        var isAimed: Bool { if case .face = encounter { true } else { false } }
        if shows ?? isAimed, let cell = cell(of: pose.position) { views[cell.row][cell.column] += 1 }
        switch encounter {
        case .miss:
            missCount += 1
            return nil
        case .inside:
            insideCount += 1
            return nil
        case .face(let face):
            faces[face, default: 0] += 1
            return face
        }
    }

    /// Cameras that were taken.
    public var cameraCount: Int { faces.values.reduce(insideCount + missCount, +) }

    /// The cell in which a point lies, seen from the box's centre; nil for the centre itself, which the floor of a tilted box
    /// may leave outside of it.
    func cell(of point: Vector3) -> (row: Int, column: Int)? {
        let direction = (box.worldFromBox.transposed * (point - box.center)).normalized
        guard direction.isFinite else { return nil }
        let row = Int((1 - direction.y) / 2 * Double(Self.rows))
        // From the front, −z, towards the right, +x; in parts of a sector, from half a sector before the front.
        let sector = atan2(direction.x, -direction.z) / (2 * .pi) * Double(Self.columns) + 0.5
        let column = Int(sector.rounded(.down))
        return (max(0, min(row, Self.rows - 1)), (column + Self.columns) % Self.columns)
    }

    /// Cells above the box's middle that no camera looked from. Those below are left out: what is boxed mostly stands on
    /// something.
    public var gaps: [(row: Int, column: Int)] {
        (0..<Self.rows / 2).flatMap { row in
            (0..<Self.columns).filter { views[row][$0] == 0 }.map { (row, $0) }
        }
    }
}
