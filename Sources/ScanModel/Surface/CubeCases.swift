/// Which triangles cut a cube whose corners lie inside or outside of a surface: the table of marching cubes, for all 256
/// cases.
///
/// The table is derived, not listed: on each face, an outline joins the edge at which a run of inside corners begins to
/// the one at which it ends; the outlines of the six faces close to loops, and each loop is cut into triangles. Where both
/// diagonals of a face differ, its inside corners are kept apart. That rule looks at nothing but the face, so that two
/// cubes that share one agree, and the surface has no cracks.
///
/// Corners are numbered by their offsets: bit 0 is x, bit 1 is y, bit 2 is z. An edge is named after its lower corner and
/// its axis.
///
/// Source: W. E. Lorensen, H. E. Cline, "Marching cubes", SIGGRAPH 1987; the choice on faces that are in doubt: G. M.
/// Nielson, B. Hamann, "The asymptotic decider", IEEE Visualization 1991, section 2.
package struct CubeCases: Sendable {
    package struct Edge: Hashable, Sendable {
        package let corner: Int
        package let axis: Int

        package var farCorner: Int { corner | 1 << axis }

        /// The edge between two corners that differ along one axis.
        package init(between a: Int, _ b: Int) {
            corner = min(a, b)
            axis = (a ^ b).trailingZeroBitCount
        }

        /// Whether both lie on one face of the cube, so that a line between them does too.
        func sharesFace(with other: Edge) -> Bool {
            let all = [corner, farCorner, other.corner, other.farCorner]
            return (0..<3).contains { bit in Set(all.map { $0 >> bit & 1 }).count == 1 }
        }
    }

    /// The edges on which the corners of the triangles lie, three for each; the triangles face the outside corners.
    /// Indexed by the set of inside corners, as bits.
    package let triangles: [[Edge]] = (0..<256).map { inside in
        Self.loops(inside: inside).flatMap(Self.fan)
    }

    package init() {}

    /// The corners of each face, counterclockwise as seen from outside the cube.
    private static let faces: [[Int]] = (0..<3).flatMap { axis -> [[Int]] in
        let (u, v) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3))
        let upper = [0, u, u | v, v].map { $0 | 1 << axis }
        return [upper, [0, v, u | v, u]]
    }

    private static func loops(inside: Int) -> [[Edge]] {
        func isInside(_ corner: Int) -> Bool { inside >> corner & 1 == 1 }
        var next: [Edge: Edge] = [:]
        for face in faces {
            for start in 0..<4 where !isInside(face[start]) && isInside(face[(start + 1) % 4]) {
                var end = (start + 1) % 4
                while isInside(face[(end + 1) % 4]) { end = (end + 1) % 4 }
                let begins = Edge(between: face[start], face[(start + 1) % 4])
                next[begins] = Edge(between: face[end], face[(end + 1) % 4])
            }
        }
        var loops: [[Edge]] = []
        // In the order of the corners, so that the table is always the same.
        for corner in 0..<8 {
            for axis in 0..<3 where corner >> axis & 1 == 0 {
                var loop: [Edge] = []
                var edge = Edge(between: corner, corner | 1 << axis)
                while let following = next.removeValue(forKey: edge) {
                    loop.append(edge)
                    edge = following
                }
                if !loop.isEmpty { loops.append(loop) }
            }
        }
        return loops
    }

    /// Triangles that fill a loop. Where it can be avoided no side of one lies on a face of the cube, unless it is part of
    /// the loop: the cube beyond the face may have the same side, which then would belong to four triangles.
    private static func fan(_ loop: [Edge]) -> [Edge] {
        let count = loop.count
        let apex = (0..<count).first { apex in
            (2..<count - 1).allSatisfy { !loop[apex].sharesFace(with: loop[(apex + $0) % count]) }
        }
        return (1..<count - 1).flatMap { step in
            [0, step, step + 1].map { loop[((apex ?? 0) + $0) % count] }
        }
    }
}
