import ScanModel
import TestSupport
import Testing

/// Programs read receipts by key, so the manual explains each. The tests of stages and of ready pipelines look through
/// the receipts of their runs; here stand what no run of theirs may leave, and whether the look finds fault.
@Suite struct ReceiptKeyTests {
    private static let manual = ReceiptManual.committed

    @Test func everyKeyInTheSourcesIsExplained() throws {
        let files = try SourceFile.all(below: "Sources")
        let keys = files.flatMap { file in
            file.text.matches(of: #/(?:findings\[|(?:count|record)\(\s*)"([a-z0-9_-]+)"/#).map { String($0.1) }
        }
        #expect(keys.count > 100)
        let missing = Set(keys).filter { !Self.manual.names($0) }
        #expect(missing == [])
    }

    /// The receipt that the page shows.
    private static func example() throws -> String {
        let texts = ReceiptManual.records.split(separator: "```json\n").dropFirst()
        return String(try #require(texts.first).prefix { $0 != "`" })
    }

    private static func unexplained(in text: String, _ manual: ReceiptManual = manual) throws -> [String] {
        manual.unexplained(in: try JSONValue.parse(Array(text.utf8), file: "receipt.json"))
    }

    @Test(arguments: [
        ("kept", "left", "frames.left"), ("variant", "system", "capture.system"), ("sha256", "crc", "files.crc"),
        ("voxels", "cubes", "voxel-downsample: cubes"),
        // This one is explained, but of other stages.
        ("voxels", "scores", "voxel-downsample: scores"),
    ]) func aKeyThatIsNotExplainedIsFound(_ key: String, _ other: String, _ missing: String) throws {
        let example = try Self.example()
        #expect(try Self.unexplained(in: example) == [])
        let changed = example.replacing("\"\(key)\"", with: "\"\(other)\"")
        #expect(try Self.unexplained(in: changed).first == missing)
    }

    @Test(arguments: [
        ("seal", ["seal"]), ("frames.kept", ["frames.kept"]), ("files", ["files.bytes", "files.path", "files.sha256"]),
        ("recognised-by", ["capture.recognised-by"]),
        ("points", ["voxel-downsample: points", "voxel-downsample: voxels"]),
    ]) func aLineThatGoesIsMissed(_ key: String, _ missing: [String]) throws {
        let lines = ReceiptManual.records.split(separator: "\n", omittingEmptySubsequences: false)
        let manual = ReceiptManual(records: lines.filter { !$0.hasPrefix("| `\(key)`") }.joined(separator: "\n"))
        #expect(try Self.unexplained(in: try Self.example(), manual) == missing)
    }
}
