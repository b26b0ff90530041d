import ScanFormats
import ScanModel

extension FuzzTarget {
    /// A point cloud, text or binary.
    static let ply = FuzzTarget("ply") { bytes in
        do throws(Problem) {
            var reader = try PLYReader(MemorySource(bytes, name: "points", chunk: 41))
            var count = 0
            while let part = try reader.next(100) {
                count += part.count
                expect(part.positions.allSatisfy(\.isFinite), "points are finite")
                expect(part.colors.map { $0.count == part.positions.count } ?? true, "each point has its colour")
                expect(part.normals.map { $0.count == part.positions.count } ?? true, "each point has its normal")
                expect(part.normals?.allSatisfy(\.isFinite) ?? true, "normals are finite")
            }
            expect(count + reader.notFiniteCount == reader.pointCount, "no point gets lost")
        } catch { expect(error.fault == .input, "only the bytes are at fault") }
    }
}
