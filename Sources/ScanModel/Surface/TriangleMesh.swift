/// A surface of triangles in the world, metres.
public struct TriangleMesh: Hashable, Sendable {
    /// The corners of the triangles; each one is there once, however many triangles share it.
    public var vertices: PointCloud
    /// Indices of vertices, three for each triangle, counterclockwise as seen from the side from which the surface was
    /// seen.
    public var triangles: [UInt32]

    public var triangleCount: Int { triangles.count / 3 }

    public init(vertices: PointCloud = PointCloud(), triangles: [UInt32] = []) {
        precondition(triangles.count % 3 == 0)
        self.vertices = vertices
        self.triangles = triangles
    }

    /// The area of all triangles, square metres.
    public var area: Double { (0..<triangleCount).reduce(0) { $0 + area(of: $1) } }

    /// Square metres.
    func area(of triangle: Int) -> Double { (cross(of: triangle) * 0.5).length }

    /// The product of two sides of a triangle: along its normal, and as long as twice its area.
    private func cross(of triangle: Int) -> Vector3 {
        let (a, b, c) = corners(of: triangle)
        return (vertices[b] - vertices[a]).cross(vertices[c] - vertices[a])
    }

    func corners(of triangle: Int) -> (Int, Int, Int) {
        (Int(triangles[3 * triangle]), Int(triangles[3 * triangle + 1]), Int(triangles[3 * triangle + 2]))
    }

    /// Gives each vertex the mean normal of its triangles, each counting as much as its area; 0, 0, 0 without any.
    public mutating func setNormals() {
        var sums = [Vector3](repeating: Vector3(0, 0, 0), count: vertices.count)
        for triangle in 0..<triangleCount {
            let normal = cross(of: triangle)
            let (a, b, c) = corners(of: triangle)
            for vertex in [a, b, c] { sums[vertex] = sums[vertex] + normal }
        }
        vertices.normals = sums.flatMap { sum in
            let length = sum.length
            return (length > 0 ? sum / length : sum).components.map { Float($0) }
        }
    }

    /// Removes pieces that hang together by shared vertices and have fewer than so many triangles, and the vertices that
    /// no triangle uses then. The others keep their order.
    /// - Returns: how many pieces were removed.
    public mutating func removePieces(smallerThan least: Int) -> Int {
        if least <= 1 { return 0 }
        var parents = Array(0..<vertices.count)
        func root(of vertex: Int) -> Int {
            var vertex = vertex
            while parents[vertex] != vertex {
                parents[vertex] = parents[parents[vertex]]
                vertex = parents[vertex]
            }
            return vertex
        }
        for triangle in 0..<triangleCount {
            let (a, b, c) = corners(of: triangle)
            let top = root(of: a)
            for vertex in [b, c] { parents[root(of: vertex)] = top }
        }
        var sizes = [Int](repeating: 0, count: vertices.count)
        for triangle in 0..<triangleCount { sizes[root(of: corners(of: triangle).0)] += 1 }
        let small = sizes.count { $0 > 0 && $0 < least }
        if small > 0 { keepTriangles { sizes[root(of: $0)] >= least } }
        return small
    }

    /// Removes the triangles that have a corner for which `isKept` is false, and the vertices that no triangle uses then.
    /// The others keep their order.
    public mutating func keep(_ isKept: (Vector3) -> Bool) {
        let isKept = (0..<vertices.count).map { isKept(vertices[$0]) }
        keepTriangles { isKept[$0] }
    }

    /// - Parameter isKept: asked of each corner, as the number of its vertex.
    mutating func keepTriangles(_ isKept: (Int) -> Bool) {
        var kept: [UInt32] = []
        for triangle in 0..<triangleCount {
            let (a, b, c) = corners(of: triangle)
            if isKept(a) && isKept(b) && isKept(c) { kept += triangles[3 * triangle..<3 * triangle + 3] }
        }
        triangles = kept
        removeUnusedVertices()
    }

    private mutating func removeUnusedVertices() {
        var isUsed = [Bool](repeating: false, count: vertices.count)
        for vertex in triangles { isUsed[Int(vertex)] = true }
        var numbers: [UInt32] = []
        var count: UInt32 = 0
        for used in isUsed {
            numbers.append(count)
            if used { count += 1 }
        }
        triangles = triangles.map { numbers[Int($0)] }
        var vertex = -1
        vertices.keep { _ in
            vertex += 1
            return isUsed[vertex]
        }
    }
}
