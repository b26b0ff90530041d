import Foundation
import ScanModel
import ScanPipeline
import TestSupport
import Testing

/// What runs and plans take a capture to need of memory.
@Suite struct RunMemoryTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for id in ["a", "b"] {
            var mini = MiniCapture()
            mini.id = "in/\(id)"
            try mini.write(in: folder)
        }
    }

    private func scanmill(_ words: String...) throws -> CommandResult {
        try folder.write("name: t\nstages: [read, decompress]\n", to: "t.yaml")
        return try Scanmill.run([words[0], "t.yaml", "in", "-o", "out"] + words.dropFirst(), in: folder.path)
    }

    /// Writes down that a capture of the only run took so much.
    private func remember(_ bytes: Int64) throws {
        let runs = "\(folder.path)/out/.scanmill/runs"
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: runs).first)
        let path = "out/.scanmill/runs/\(name)/outcome.json"
        let text = String(decoding: try folder.bytes(path), as: UTF8.self)
        let changed = text.replacing(#/"peak-bytes": \d+/#, with: "\"peak-bytes\": \(bytes)")
        try #require(changed != text)
        try folder.write(changed, to: path)
    }

    @Test func planGoesByEarlierRuns() throws {
        #expect(try scanmill("plan").output.contains("; a capture usually takes up to 200.0 MB of memory\n"))
        #expect(try scanmill("run").status == 0)
        try remember(3_000_000_000)
        let plan = try scanmill("plan", "--force")
        #expect(plan.output.contains("; captures of earlier runs took up to 3.0 GB of memory\n"), "\(plan.output)")
        let json = try JSONValue.parse(Array(try scanmill("plan", "--json").output.utf8), file: "")
        #expect(json["peak-memory-bytes"]?.integer == 3_000_000_000)
    }

    /// Two captures of 3 GB each do not run side by side in 4 GB.
    @Test func aBudgetGoesByEarlierRuns() throws {
        #expect(try scanmill("run").status == 0)
        func events(_ bytes: Int64) throws -> [String] {
            try remember(bytes)
            try? FileManager.default.removeItem(atPath: "\(folder.path)/log")
            let run = try scanmill("run", "--force", "--jobs", "2", "--max-memory", "4G", "--log", "log", "--no-report")
            try #require(run.status == 0, "\(run.errors)")
            try newestOnly()
            return String(decoding: try folder.bytes("log"), as: UTF8.self).split(separator: "\n").compactMap { line in
                let event = try? JSONValue.parse(Array(line.utf8), file: "log")["event"]?.string
                return event?.hasPrefix("run") == true ? nil : event
            }
        }
        #expect(try events(3_000_000_000) == ["began", "ended", "began", "ended"])
        #expect(try events(1_000_000_000).prefix(2) == ["began", "began"])
    }

    private func newestOnly() throws {
        let runs = "\(folder.path)/out/.scanmill/runs"
        for name in try FileManager.default.contentsOfDirectory(atPath: runs).sorted().dropLast() {
            try FileManager.default.removeItem(atPath: "\(runs)/\(name)")
        }
    }
}
