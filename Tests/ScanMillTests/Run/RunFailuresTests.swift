import Foundation
import ScanModel
import TestSupport
import Testing

/// What the mail of a night says of captures that fail.
@Suite struct RunFailuresTests {
    private let quick: QuickRun

    init() throws { quick = try QuickRun() }

    /// A sample whose depth stream ends early.
    private func truncated(_ name: String, at byte: Int = 400_000) throws {
        try quick.copySample(name)
        let depth = try quick.folder.bytes("in/\(name)/desk.depth.zlib")
        try quick.folder.write(Array(depth.prefix(byte)), to: "in/\(name)/desk.depth.zlib")
    }

    /// A change of the owner, say, has it tried again; that the same is wrong with it is no news.
    @Test func theSameFailureAgainIsNoNews() throws {
        try truncated("bad")
        let words = ["in", "-o", "out"]
        #expect(try quick.run(words).status == 1)
        func touch() throws { _ = try runCommand(["sh", "-c", "touch in/bad/*"], in: quick.folder.path) }
        try touch()
        let again = try quick.run(words + ["--metrics", "night.prom"])
        #expect(again.status == 1, "\(again)")
        #expect(again.output.contains("failed   bad  as before: depth stream truncated\n"), "\(again)")
        #expect(again.output.contains("1 capture: 1 failed before; "), "\(again)")
        #expect(again.errors.hasPrefix("1 capture failed:\n  1 × depth stream truncated: bad\n      fix: "), "\(again)")
        let figures = String(decoding: try quick.folder.bytes("night.prom"), as: UTF8.self).withoutOwner
        #expect(figures.contains("scanmill_captures{ended=\"failed before\"} 1\n"))
        // It was tried: what is there now is not tried once more.
        let plan = try Scanmill.run(["plan", "quick.yaml"] + words, in: quick.folder.path)
        #expect(plan.output.contains(", 1 failed before "), "\(plan)")
        // Whoever asks is told, and so is whatever else is wrong.
        #expect(try quick.run(words + ["--retry"]).errors.hasPrefix("error: depth stream truncated\n"))
        try FileManager.default.removeItem(atPath: "\(quick.folder.path)/in/bad/desk.jsonl")
        #expect(try quick.run(words).errors.contains("error: the camera lines are missing"))
    }

    /// What one build could not do, the next one may.
    @Test func anotherBuildTriesAgain() throws {
        try truncated("bad")
        #expect(try quick.run(["in", "-o", "out"]).status == 1)
        let program = try Data(contentsOf: URL(fileURLWithPath: Scanmill.path), options: .alwaysMapped)
        // The head of the linker's note: the lengths of its name and of the id, its kind, and its name.
        let head = Data([4, 0, 0, 0, 20, 0, 0, 0, 3, 0, 0, 0]) + Data("GNU\0".utf8)
        let id = try #require(program.range(of: head), "the program has no build id").upperBound
        let byte = String(program[id] ^ 1, radix: 8)
        // By a shell: a program that this process had open for writing could not be started while another test forks.
        let change = "cp \"$1\" other && printf '\\\(byte)' | dd of=other bs=1 seek=\(id) conv=notrunc"
        #expect(try runCommand(["sh", "-c", change, "sh", Scanmill.path], in: quick.folder.path).status == 0)
        func plan(_ program: String) throws -> CommandResult {
            try runCommand([program, "plan", "quick.yaml", "in", "-o", "out"], in: quick.folder.path)
        }
        let (same, other) = (try plan(Scanmill.path), try plan("\(quick.folder.path)/other"))
        #expect(same.output.contains("0 would run, 0 up to date, 1 failed before"), "\(same)")
        #expect(other.output.contains("1 would run"), "\(other)")
    }

    /// Of a command in which captures differ, each has its own.
    @Test func eachCaptureHasItsFix() throws {
        for (name, byte) in [("d1", 150_000), ("d2", 60_000), ("room", 400_000)] { try truncated(name, at: byte) }
        let run = try quick.run(["in", "-o", "out", "-q"])
        let fixes = run.errors.matches(of: #/\n      fix for (.*): copy the file again .* --set read.min-whole=(.*)/#)
        #expect(run.errors.contains("\n  3 × depth stream truncated: d1, d2, room\n"), "\(run)")
        #expect(fixes.map { $0.1 }.sorted() == ["d1", "d2"] && Set(fixes.map { $0.2 }).count == 2, "\(run)")
        #expect(run.errors.contains("\n      fix for room: copy the file again "), "\(run)")
    }

    /// So it is where the command names the capture.
    @Test func eachCaptureIsNamedInItsOwnCommand() throws {
        for name in ["d1", "d2"] {
            try quick.copySample(name)
            let lines = String(decoding: try quick.folder.bytes("in/\(name)/desk.jsonl"), as: UTF8.self)
            let still = lines.replacing(#/"transform":\[[^\]]*\]/#) { _ in
                "\"transform\":[\(Array(repeating: "0", count: 16).joined(separator: ","))]"
            }
            try quick.folder.write(still, to: "in/\(name)/desk.jsonl")
        }
        let run = try quick.run(["in", "-o", "out", "-q", "--set", "read.bad-frame-limit=1"])
        for name in ["d1", "d2"] {
            let fix = "\n      fix for \(name): see what is wrong with it with  scanmill inspect in/\(name)\n"
            #expect(run.errors.contains(fix), "\(run)")
        }
    }

    /// Whatever a capture is called, what is wrong with it is what is wrong with the others.
    @Test func anIDThatIsAWordOfTheMessage() throws {
        for name in ["depth", "stream", "room"] { try truncated(name) }
        let run = try quick.run(["in", "-o", "out", "-q"])
        #expect(run.errors.contains("\n  3 × depth stream truncated: "), "\(run)")
        let page = try Scanmill.run(["report", "out"], in: quick.folder.path).output.dropLast()
        let json = try StateJSON.read("\(quick.folder.path)/\(page.replacing("report.html", with: "report.json"))")
        #expect(json["findings"]?.array?.map { $0["captures"]?.array?.count } == [3])
    }

    /// Five of them are named, and all are counted.
    @Test func whatManyCapturesShareIsCounted() throws {
        let archives = (0..<6).map { "cut\($0).zip" }
        for archive in archives { try quick.folder.write("PK\u{3}\u{4} and then nothing", to: archive) }
        let result = try quick.folder.run("read, decompress", archives + ["-o", "out", "--no-report"])
        #expect(result.status == 1)
        #expect(result.errors.contains("6 captures failed:\n  6 × "), "\(result.errors)")
        #expect(result.errors.contains(": cut0, cut1, cut2, cut3, cut4 and 1 more\n"), "\(result.errors)")
    }

    /// A bad night does not say hundreds of times how to mend the same thing, nor warn of it hundreds of times.
    @Test func whatManyCapturesShareIsSaidInFullOfAFew() throws {
        let archives = (0..<7).map { "cut\($0).zip" }
        for archive in archives { try quick.folder.write("PK\u{3}\u{4} and then nothing", to: archive) }
        let failed = try quick.folder.run("read, decompress", archives + ["-o", "out", "--no-report"])
        #expect(failed.errors.split(separator: "error: ").count - 1 == 7, "\(failed.errors)")
        #expect(failed.errors.split(separator: "= nothing was published").count - 1 == 5, "\(failed.errors)")
        let ids = (0..<7).map { "mini\($0)" }
        var mini = MiniCapture()
        mini.hasMotion = false
        try mini.write(ids, in: quick.folder)
        for id in ids { try quick.folder.write("", to: "\(id)/recorded.rot/not-a-file") }
        let warned = try quick.folder.run("read, decompress", ids + ["-o", "out2", "--no-report"])
        #expect(warned.status == 0, "\(warned.errors)")
        #expect(warned.errors.split(separator: "warning: mini").count - 1 == 5, "\(warned.errors)")
        #expect(warned.errors.contains("warning: 2 more captures: recorded.rot is a folder"), "\(warned.errors)")
    }

    /// Wherever they lie, and whatever else is noted of each.
    @Test func whatCapturesOfManyFoldersShareIsSaidInFullOfAFew() throws {
        let places = ["anna/lamp", "bob/shoe", "carl/cup", "dora/vase", "emil/chair", "fritz/desk", "gina/sofa"]
        for place in places {
            try quick.folder.write("PK\u{3}\u{4}\(String(repeating: "-", count: 900)) \(place)", to: "in/\(place).zip")
        }
        let failed = try quick.folder.run("read, decompress", ["in", "-o", "out", "--no-report", "--jobs", "1"])
        #expect(failed.errors.split(separator: "= nothing was published").count - 1 == 5, "\(failed.errors)")
        #expect(failed.errors.contains("error: sofa: the archive is cut off (in/gina/sofa.zip"), "\(failed.errors)")
        #expect(failed.errors.contains("\n  7 × the archive is cut off: "), "\(failed.errors)")
        #expect(failed.output.split(separator: "failed   ").count == 7, "\(failed.output)")
    }
}
