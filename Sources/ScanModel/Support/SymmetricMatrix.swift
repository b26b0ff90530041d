/// A symmetric matrix, such as that of a least-squares problem.
struct SymmetricMatrix: Hashable, Sendable {
    /// Rows, and columns.
    let size: Int
    /// Row by row; only those at and left of the diagonal count.
    private var entries: [Double]

    /// All zeros.
    init(size: Int) {
        self.size = size
        entries = Array(repeating: 0, count: size * size)
    }

    /// With this on the diagonal.
    init(diagonal: [Double]) {
        self.init(size: diagonal.count)
        for (index, value) in diagonal.enumerated() { self[index, index] = value }
    }

    subscript(row: Int, column: Int) -> Double {
        get { entries[max(row, column) * size + min(row, column)] }
        set { entries[max(row, column) * size + min(row, column)] = newValue }
    }

    /// This matrix plus a multiple of the unit matrix.
    func adding(toDiagonal value: Double) -> SymmetricMatrix {
        var sum = self
        for index in 0..<size { sum.entries[index * size + index] += value }
        return sum
    }

    /// Adds weight · rowᵀ · row.
    mutating func add(_ row: [Double], weight: Double) {
        for i in 0..<size { for j in 0...i { entries[i * size + j] += weight * row[i] * row[j] } }
    }

    static func * (matrix: SymmetricMatrix, factor: Double) -> SymmetricMatrix {
        var product = matrix
        for index in product.entries.indices { product.entries[index] *= factor }
        return product
    }

    static func * (matrix: SymmetricMatrix, x: [Double]) -> [Double] {
        (0..<matrix.size).map { row in (0..<matrix.size).reduce(0) { $0 + matrix[row, $1] * x[$1] } }
    }

    static func dot(_ a: [Double], _ b: [Double]) -> Double { zip(a, b).reduce(0) { $0 + $1.0 * $1.1 } }

    /// The x of matrix · x = right, by Cholesky's decomposition; nil if the matrix is not positive definite.
    func solve(_ right: [Double]) -> [Double]? {
        let n = size
        // The factor's transpose, row by row: all that is changed at once lies side by side.
        var (u, x) = (entries, right)
        for row in 0..<n { for column in 0..<row { u[column * n + row] = entries[row * n + column] } }
        let isDefinite = u.withUnsafeMutableBufferPointer { u in
            guard let start = u.baseAddress else { return true }
            for k in 0..<n {
                let pivot = u[k * n + k]
                if !(pivot > 0) { return false }
                let root = pivot.squareRoot()
                u[k * n + k] = root
                for j in k + 1..<n { u[k * n + j] /= root }
                // Most frames have no tie with each other.
                for i in k + 1..<n where u[k * n + i] != 0 {
                    let (factor, pivots, row) = (u[k * n + i], start + k * n, start + i * n)
                    for j in i..<n { row[j] -= factor * pivots[j] }
                }
            }
            return true
        }
        if !isDefinite { return nil }
        for k in 0..<n {
            x[k] /= u[k * n + k]
            for i in k + 1..<n { x[i] -= u[k * n + i] * x[k] }
        }
        for k in (0..<n).reversed() { x[k] = (k + 1..<n).reduce(x[k]) { $0 - u[k * n + $1] * x[$1] } / u[k * n + k] }
        return x
    }
}
