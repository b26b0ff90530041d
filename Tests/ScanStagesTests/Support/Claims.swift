import ScanModel
import ScanPipeline
import Testing

/// The paths that stages say they write, by which the order check finds two stages that would write the same one.
enum Claims {
    /// Fails the test for each file of a result that no stage has claimed.
    static func check(_ receipt: JSONValue, of pipeline: Pipeline) {
        let id = receipt["capture"]?["id"]?.string ?? ""
        let claims = pipeline.steps.flatMap(\.uses.claims).map { $0.replacing("{id}", with: id) }
        let paths = (receipt["files"]?.array ?? []).compactMap { $0["path"]?.string }
        let strays = paths.filter { path in
            !claims.contains { $0.hasSuffix("/") ? path.hasPrefix($0) : path == $0 || path.hasPrefix($0 + "/") }
        }
        #expect(strays == [], "no stage claims these files: \(claims)")
    }
}
