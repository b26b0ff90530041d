import ScanFormats
import ScanModel

extension FuzzTarget {
    /// A motion file in any of its layouts.
    static let motion = FuzzTarget("motion") { bytes in
        let kind = bytes.count % 2 == 0 ? MotionKind.gravity : nil
        do throws(Problem) {
            var count = 0
            let facts = try MotionStream.read(MemorySource(bytes, name: "motion", chunk: 37), kind: kind) { _ in
                count += 1
            }
            expect(facts.sampleCount == count && count <= bytes.count / 32, "all samples are given out, and no more")
            expect(facts.rate.map { $0.isFinite && $0 > 0 } ?? true, "a rate is a number")
            expect(facts.warnings.allSatisfy { !$0.isEmpty }, "warnings say something")
        } catch { expect(error.fault == .input, "only the bytes are at fault") }
    }
}
