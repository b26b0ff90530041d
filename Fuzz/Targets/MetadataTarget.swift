import ScanFormats
import ScanModel

extension FuzzTarget {
    /// A capture's metadata: any JSON text, then what a MultiScan capture takes from it.
    static let metadata = FuzzTarget("metadata") { bytes in
        do throws(Problem) {
            let json = try JSONValue.parse(bytes, file: "json")
            for pretty in [false, true] {
                let text = JSONWriter.text(json, pretty: pretty)
                do throws(Problem) {
                    expect(try JSONValue.parse(text, file: "json") == json, "JSON survives being written")
                } catch { expect(false, "what was written can be read: \(error)") }
            }
            let metadata = try ScanMetadata(json, file: "json")
            for size in metadata.streams.compactMap(\.size) {
                let sides = 1...ScanMetadata.sideLimit
                expect(sides.contains(size.width) && sides.contains(size.height), "sizes are within the limit")
            }
        } catch { expect(error.fault == .input, "only the bytes are at fault") }
    }
}
