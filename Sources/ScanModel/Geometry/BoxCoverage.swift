import Glibc

/// Which faces of a box the cameras were aimed at, and from which directions they looked at it.
public struct BoxCoverage: Hashable, Sendable {
    /// How many cameras aimed at a face the capture app asks for.
    public static let goal = 10
    /// Cells of the sphere: bands from the top down, and sectors about the box's own up.
    public static let rows = 6
    public static let columns = 12

    /// How many cameras' central rays meet each face first.
    public private(set) var faces: [BoxFace: Int] = [:]
    /// Cameras that look past the box, and cameras that stand inside it.
    public private(set) var missCount = 0
    public private(set) var insideCount = 0
    /// How many cameras look at the box from each row and column of directions: those whose central ray meets it, or
    /// those whose pictures were said to show it.
    ///
    /// All cells have the same area: the rows divide the height of a sphere evenly, so their edges are at the
    /// elevations 90°, 41.8°, 19.5°, 0°, −19.5°, … (Archimedes). Row 0 is at the top; column 0 has the box's front in
    /// its middle, and column 3 its right.
    public private(set) var views = Array(repeating: Array(repeating: 0, count: columns), count: rows)

    private let box: OrientedBox

    /// - Parameter box: if a floor cuts it off, only the part above the floor counts.
    public init(of box: OrientedBox) { self.box = box.cutByItsFloor }

    /// Adds a camera.
    /// - Parameter shows: whether its picture shows the box, as ``BoxVisibility`` tells; if nil, whether its central
    ///   ray meets it.
    /// - Returns: the face that its central ray meets; nil if it meets none.
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

    /// Cameras that were added.
    public var cameraCount: Int { faces.values.reduce(insideCount + missCount, +) }

    /// The cell in which a point lies, seen from the box's centre; nil for the centre itself, which the floor of a
    /// tilted box may cut off from it.
    func cell(of point: Vector3) -> (row: Int, column: Int)? {
        let direction = (box.worldFromBox.transposed * (point - box.center)).normalized
        guard direction.isFinite else { return nil }
        let row = Int((1 - direction.y) / 2 * Double(Self.rows))
        // From the front, −z, towards the right, +x; in sectors, starting half a sector before the front.
        let sector = atan2(direction.x, -direction.z) / (2 * .pi) * Double(Self.columns) + 0.5
        let column = Int(sector.rounded(.down))
        return (max(0, min(row, Self.rows - 1)), (column + Self.columns) % Self.columns)
    }

    /// Cells above the box's middle that no camera looked from. Those below are ignored: a boxed object usually stands
    /// on something.
    public var gaps: [(row: Int, column: Int)] {
        (0..<Self.rows / 2).flatMap { row in
            (0..<Self.columns).filter { views[row][$0] == 0 }.map { (row, $0) }
        }
    }
}
