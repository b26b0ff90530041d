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
        var (l, x) = (entries, right)
        for i in 0..<n {
            for j in 0...i {
                let rest = l.withUnsafeBufferPointer { l in
                    var rest = l[i * n + j]
                    for k in 0..<j { rest -= l[i * n + k] * l[j * n + k] }
                    return rest
                }
                if i == j, !(rest > 0) { return nil }
                l[i * n + j] = i == j ? rest.squareRoot() : rest / l[j * n + j]
            }
        }
        for i in 0..<n { x[i] = (0..<i).reduce(x[i]) { $0 - l[i * n + $1] * x[$1] } / l[i * n + i] }
        for i in (0..<n).reversed() {
            x[i] = (i + 1..<n).reduce(x[i]) { $0 - l[$1 * n + i] * x[$1] } / l[i * n + i]
        }
        return x
    }
}
