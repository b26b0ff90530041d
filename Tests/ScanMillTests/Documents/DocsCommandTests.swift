import Foundation
import TestSupport
import Testing

/// The committed pages and the schema are what the stages say of themselves.
@Suite struct DocsCommandTests {
    @Test func committedPagesAreUpToDate() throws {
        let folder = try TemporaryFolder()
        let result = try Scanmill.run(["docs", folder.path])
        #expect(result.status == 0)
        let made = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        let pages = SharedData.checkout.appendingPathComponent("Sources/ScanStages/ScanStages.docc/Stages")
        let committed = try FileManager.default.contentsOfDirectory(atPath: pages.path).sorted()
        // Only what differs is printed, not what all pages hold.
        let odd = Set(made.filter { $0.hasSuffix(".md") }).symmetricDifference(committed)
        #expect(odd == [], "run `make docs` and commit what it wrote")
        for name in committed where !odd.contains(name) {
            let page = try Data(contentsOf: pages.appendingPathComponent(name))
            let isSame = try folder.bytes(name) == [UInt8](page)
            #expect(isSame, "\(name) is not what `scanmill docs` writes; run `make docs`")
        }
        let schema = try Data(contentsOf: SharedData.checkout.appendingPathComponent("pipelines/pipeline.schema.json"))
        let isSame = try folder.bytes("pipeline.schema.json") == [UInt8](schema)
        #expect(isSame, "run `make docs` and commit the schema")
    }

    /// The page of commands, and the article for unattended nights, know the same exit codes.
    @Test func exitCodesAreTheSameEverywhere() throws {
        let articles = SharedData.checkout.appendingPathComponent("Sources/ScanStages/ScanStages.docc")
        let commands = try String(contentsOf: articles.appendingPathComponent("Stages/commands.md"), encoding: .utf8)
        let night = try String(contentsOf: articles.appendingPathComponent("EveryNight.md"), encoding: .utf8)
        let rows = commands.components(separatedBy: "## Exit codes").last?.split(separator: "\n")
            .filter { $0.hasPrefix("| ") }.dropFirst(2)
        #expect(rows?.map { $0.dropFirst(2).prefix { $0 != " " && $0 != "," } } == ["0", "1", "2", "3", "75", "129"])
        for row in rows ?? [] { #expect(night.contains(row), "\(row)") }
    }

    @Test func aFolderThatCannotBeMadeIsTheEnvironmentsFault() throws {
        let folder = try TemporaryFolder()
        try folder.write("a file", to: "taken")
        let result = try Scanmill.run(["docs", "\(folder.path)/taken/below"])
        #expect(result.status == 3)
        #expect(result.errors.contains("cannot make the folder: a file stands in its way"))
    }
}
