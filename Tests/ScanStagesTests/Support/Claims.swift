import ScanModel
import ScanPipeline
import TestSupport
import Testing

/// The paths that stages say they write, by which the order check finds two stages that would write the same one, and
/// the keys of receipts, by which programs read what stages found.
enum Claims {
    /// Fails the test for each file of a result that no stage has claimed, and for each key that nobody explains.
    static func check(_ receipt: JSONValue, of pipeline: Pipeline) {
        let id = receipt["capture"]?["id"]?.string ?? ""
        let claims = pipeline.steps.flatMap(\.uses.claims).map { $0.replacing("{id}", with: id) }
        let paths = (receipt["files"]?.array ?? []).compactMap { $0["path"]?.string }
        let strays = paths.filter { path in
            !claims.contains { $0.hasSuffix("/") ? path.hasPrefix($0) : path == $0 || path.hasPrefix($0 + "/") }
        }
        #expect(strays == [], "no stage claims these files: \(claims)")
        let unexplained = ReceiptManual.committed.unexplained(in: receipt)
        #expect(unexplained == [], "these keys stand neither in Records.md nor on their stage's page")
    }
}
