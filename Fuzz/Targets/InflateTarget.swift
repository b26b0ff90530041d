import ScanFormats
import ScanModel

extension FuzzTarget {
    /// Raw DEFLATE, or in its zlib wrapper, by both engines.
    static let inflate = FuzzTarget("inflate") { bytes in
        let limit = 1 << 16
        let results = InflateEngine.allCases.map { engine -> [UInt8]? in
            do throws(Problem) {
                return try Inflate.bytes(bytes, limit: limit, engine: engine)
            } catch {
                expect(error.fault == .input, "only the bytes are at fault")
                return nil
            }
        }
        expect(results.allSatisfy { ($0?.count ?? 0) <= limit }, "nothing is larger than its limit")
        if let one = results[0], let other = results[1] { expect(one == other, "both engines give the same bytes") }
    }
}
