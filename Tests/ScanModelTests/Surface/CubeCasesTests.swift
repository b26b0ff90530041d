import ScanModel
import Testing

/// The table of marching cubes, all 256 cases of it.
@Suite struct CubeCasesTests {
    private typealias Edge = CubeCases.Edge

    private static let cases = CubeCases()

    /// One side of a triangle, in the triangle's direction.
    private struct Side: Hashable {
        let start: Edge
        let end: Edge

        var reversed: Side { Side(start: end, end: start) }
    }

    private static func sides(_ inside: Int) -> [Side] {
        let corners = cases.triangles[inside]
        return stride(from: 0, to: corners.count, by: 3).flatMap { at in
            (0..<3).map { Side(start: corners[at + $0], end: corners[at + ($0 + 1) % 3]) }
        }
    }

    /// Sides that no other triangle of the cube runs along the other way.
    private static func outline(_ inside: Int) -> Set<Side> {
        let all = Set(sides(inside))
        return all.filter { !all.contains($0.reversed) }
    }

    /// The set of corners as bits.
    private static func bits(_ corners: [Int]) -> Int {
        var bits = 0
        for corner in corners { bits |= 1 << corner }
        return bits
    }

    private static func place(_ corner: Int) -> Vector3 {
        let (x, y, z) = (corner & 1, (corner >> 1) & 1, corner >> 2)
        return Vector3(Double(x), Double(y), Double(z))
    }

    /// Which corners of a face are inside: as bits, at the lower face's places.
    private static func signs(_ inside: Int, _ axis: Int, _ value: Int) -> Int {
        var signs = 0
        for corner in 0..<8 where (corner >> axis) & 1 == value {
            let isInside = (inside >> corner) & 1 == 1
            if isInside { signs |= 1 << (corner & ~(1 << axis)) }
        }
        return signs
    }

    private static func liesOn(_ axis: Int, _ value: Int, _ edge: Edge) -> Bool {
        edge.axis != axis && edge.corner >> axis & 1 == value
    }

    @Test func aVertexIsOnEachEdgeWhoseEndsDiffer() {
        for inside in 0..<256 {
            var crossed: Set<Edge> = []
            for corner in 0..<8 {
                for axis in 0..<3 where corner >> axis & 1 == 0 {
                    let far = corner | 1 << axis
                    let (near, beyond) = ((inside >> corner) & 1, (inside >> far) & 1)
                    if near != beyond { crossed.insert(Edge(between: corner, far)) }
                }
            }
            #expect(Set(Self.cases.triangles[inside]) == crossed, "\(inside)")
        }
    }

    /// Each side belongs to two triangles, or lies on a face, where the next cube has its counterpart.
    @Test func insideACubeTheSurfaceHasNoEdge() {
        for inside in 0..<256 {
            let sides = Self.sides(inside)
            #expect(Set(sides).count == sides.count, "\(inside): a side twice in one direction")
            for side in Self.outline(inside) {
                let faces = (0..<3).flatMap { axis in [0, 1].map { (axis, $0) } }
                let onOne = faces.contains { Self.liesOn($0.0, $0.1, side.start) && Self.liesOn($0.0, $0.1, side.end) }
                #expect(onOne, "\(inside): \(side)")
            }
        }
    }

    /// Whatever the other corners are: what two cubes have on the face that they share is the same, run through the
    /// other way.
    @Test func cubesThatShareAFaceFitTogether() {
        for axis in 0..<3 {
            func onFace(_ value: Int, _ inside: Int) -> Set<Side> {
                let found = Self.sides(inside).filter {
                    Self.liesOn(axis, value, $0.start) && Self.liesOn(axis, value, $0.end)
                }
                // Without the face's place along the axis.
                func flat(_ edge: Edge) -> Edge {
                    Edge(between: edge.corner & ~(1 << axis), edge.farCorner & ~(1 << axis))
                }
                return Set(found.map { Side(start: flat($0.start), end: flat($0.end)) })
            }
            var outlines: [Int: Set<Side>] = [:]
            for inside in 0..<256 {
                let signs = Self.signs(inside, axis, 1)
                let found = onFace(1, inside)
                #expect(outlines[signs] ?? found == found, "\(inside)")
                outlines[signs] = found
            }
            #expect(outlines.count == 16)
            for inside in 0..<256 {
                let signs = Self.signs(inside, axis, 0)
                #expect(Set(onFace(0, inside).map(\.reversed)) == outlines[signs], "\(inside)")
            }
        }
    }

    /// One corner inside: one triangle, which looks away from it.
    @Test func trianglesFaceTheOutside() throws {
        for corner in 0..<8 {
            let edges = Self.cases.triangles[1 << corner]
            #expect(edges.count == 3)
            func middle(_ edge: Edge) -> Vector3 {
                (Self.place(edge.corner) + Self.place(edge.farCorner)) * 0.5
            }
            let (a, b, c) = (middle(edges[0]), middle(edges[1]), middle(edges[2]))
            let inside = Self.place(corner)
            #expect((b - a).cross(c - a).dot(a - inside) > 0, "\(corner)")
        }
    }

    /// The counts of W. E. Lorensen's and H. E. Cline's fifteen patterns: one triangle for one corner, two for two along an
    /// edge, four for every second corner.
    @Test func knownCasesHaveTheirTriangles() {
        func count(_ corners: Int...) -> Int { Self.cases.triangles[Self.bits(corners)].count / 3 }
        #expect(count() == 0)
        #expect(count(0) == 1)
        #expect(count(0, 1) == 2)
        #expect(count(0, 1, 2, 3) == 2)
        #expect(count(0, 3) == 2)
        #expect(count(0, 7) == 2)
        #expect(count(0, 3, 5, 6) == 4)
        #expect(count(0, 1, 2, 3, 4, 5, 6, 7) == 0)
    }
}
