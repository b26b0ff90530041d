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
            try MiniCapture(id: "in/\(id)").write(in: folder)
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
        // Another pipeline's captures may take anything.
        try folder.write("name: other\nstages: [read, decompress]\n", to: "other.yaml")
        let other = try Scanmill.run(["plan", "other.yaml", "in", "-o", "out"], in: folder.path)
        #expect(other.output.contains("; a capture usually takes up to 200.0 MB of memory\n"), "\(other)")
    }

    /// What the log tells of the captures of a run after which only that run is remembered.
    /// - Parameter command: what runs the tool.
    private func night(_ options: String..., by command: [String] = []) throws -> (events: [String], errors: String) {
        try? FileManager.default.removeItem(atPath: "\(folder.path)/log")
        try folder.write("name: t\nstages: [read, decompress]\n", to: "t.yaml")
        let run = try runCommand(
            command + [Scanmill.path, "run", "t.yaml", "in", "-o", "out", "--force", "--log", "log", "--no-report"]
                + options,
            in: folder.path)
        try #require(run.status == 0, "\(run.errors)")
        try newestOnly()
        let lines = String(decoding: try folder.bytes("log"), as: UTF8.self).split(separator: "\n")
        let events = lines.compactMap { try? JSONValue.parse(Array($0.utf8), file: "log")["event"]?.string }
        return (events.filter { !$0.hasPrefix("run") }, run.errors)
    }

    /// Two captures of 3 GB each do not run side by side in 4 GB.
    @Test func aBudgetGoesByEarlierRuns() throws {
        #expect(try scanmill("run").status == 0)
        func events(_ bytes: Int64, in budget: String = "4G") throws -> [String] {
            try remember(bytes)
            return try night("--jobs", "2", "--max-memory", budget).events
        }
        #expect(try events(3_000_000_000) == ["began", "ended", "began", "ended"])
        #expect(try events(1_000_000_000).prefix(2) == ["began", "began"])
        // Small captures of earlier nights promise nothing of tonight's.
        #expect(try events(1_000_000, in: "300M") == ["began", "ended", "began", "ended"])
    }

    /// Nobody has two million gigabytes.
    @Test func withoutABudgetTheMachinesMemoryIsOne() throws {
        #expect(try scanmill("run").status == 0)
        try remember(2_000_000_000_000_000)
        let run = try night("--jobs", "2")
        #expect(run.events == ["began", "ended", "began", "ended"])
        let start = "warning: captures of earlier runs took up to 2000.0 TB of memory, and there are "
        #expect(
            run.errors.contains(start) && run.errors.contains(" GB: one capture runs at a time\n"), "\(run.errors)")
    }

    /// As Slurm leaves a job only some of a machine's.
    @Test func onlyCoresThatTheProcessMayUseCount() throws {
        let oneCore = ["taskset", "-c", "0"]
        guard try runCommand(oneCore + ["true"]).status == 0 else {
            return print("SKIPPED: a run on one core of several, because the first one may not be used")
        }
        #expect(try night(by: oneCore).events == ["began", "ended", "began", "ended"])
    }

    /// Of several runs the one that took most counts.
    @Test func planGoesByTheLargestOfTheLastRuns() throws {
        let runs = "\(folder.path)/out/.scanmill/runs"
        for _ in 0..<2 { #expect(try scanmill("run", "--force", "--no-report").status == 0) }
        for (name, bytes) in zip(
            try FileManager.default.contentsOfDirectory(atPath: runs).sorted(), [3_000_000_000, 1_000_000_000])
        {
            let path = "out/.scanmill/runs/\(name)/outcome.json"
            let text = String(decoding: try folder.bytes(path), as: UTF8.self)
            try folder.write(text.replacing(#/"peak-bytes": \d+/#, with: "\"peak-bytes\": \(bytes)"), to: path)
        }
        let plan = try scanmill("plan", "--force").output
        #expect(plan.contains("; captures of earlier runs took up to 3.0 GB of memory\n"), "\(plan)")
    }

    /// Runs a capture with a video, for which another ffmpeg is in the place of the real one.
    private func runVideo(_ more: [String], ffmpeg: String) throws -> CommandResult {
        try MiniCapture(id: "video", pictures: .mp4).write(in: folder)
        let path = try folder.fakeFFmpeg(else: ffmpeg)
        return try folder.run(
            "read, filter-blur: {window: 3}, write-transforms", ["video", "-o", "out", "--no-report"] + more,
            environment: path)
    }

    /// Also before its first frame is through.
    @Test func aCaptureThatTakesTooMuchIsEnded() throws {
        let result = try runVideo(["--capture-memory", "1M", "--patience", "10s"], ffmpeg: "exec sleep 1000")
        #expect(result.status == 3)
        #expect(result.errors.contains("the capture took more than 1.0 MB of memory"), "\(result.errors)")
        #expect(result.errors.contains("trying video again does not help: raise the limit with --capture-memory"))
        #expect(!result.errors.contains("to try it again"))
    }

    /// Which the capture's own process does not know.
    @Test func theMemoryOfFfmpegCounts() throws {
        let greed = #"python3 -c 'import time; x = b"1" * 400000000; time.sleep(1)'"#
        let result = try runVideo([], ffmpeg: "[ -e fed ] || { touch fed; \(greed); }; exec FFMPEG \"$@\"")
        #expect(result.status == 0, "\(result.errors)")
        let runs = "\(folder.path)/out/.scanmill/runs"
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: runs).first)
        let outcome = try StateJSON.read("\(runs)/\(name)/outcome.json")
        let peak = try #require(outcome["captures"]?.array?.first?["peak-bytes"]?.integer)
        #expect(peak > 400_000_000)
    }

    private func newestOnly() throws {
        let runs = "\(folder.path)/out/.scanmill/runs"
        for name in try FileManager.default.contentsOfDirectory(atPath: runs).sorted().dropLast() {
            try FileManager.default.removeItem(atPath: "\(runs)/\(name)")
        }
    }
}
