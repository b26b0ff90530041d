import ScanFormats
import ScanModel

extension FuzzTarget {
    /// The box of a capture; a box that was read can be written and read again.
    static let boundingBox = FuzzTarget("bounding-box") { bytes in
        do throws(Problem) {
            let read = try BoundingBoxJSON(bytes, file: "box")
            expect(read.box.defect == nil, "a box that was read is finite")
            do throws(Problem) {
                _ = try BoundingBoxJSON(try BoundingBoxJSON.text(read.box), file: "box")
            } catch { expect(false, "a box that was read can be written: \(error)") }
        } catch { expect(error.fault == .input, "only the bytes are at fault") }
    }
}
