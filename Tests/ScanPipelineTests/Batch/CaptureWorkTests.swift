import Foundation
import ScanModel
import ScanPipeline
import Synchronization
import TestSupport
import Testing

@Suite struct CaptureWorkTests {
    @Test func aCaptureIsDoneOnceAndThenUpToDate() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        guard case .done(let summary) = try fixture.run(input) else { Issue.record("not done"); return }
        #expect(summary.framesKept == 2 && summary.frameCount == 2 && summary.fileCount == 1)
        let results = fixture.results()
        #expect(results.keys.sorted() == ["a/deep/a.txt", "a/receipt.json"])
        #expect(results["a/deep/a.txt"] == Array("2 frames".utf8))
        #expect(try fixture.run(input) == .upToDate)
        #expect(fixture.results() == results)
        #expect(FileSystem.names(in: fixture.output + "/.scanmill/work") == [])
    }

    /// To Swift they are equal.
    @Test func namesThatDifferOnlyInUnicodeForm() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        for (name, age) in [("caf\u{E9}", 1_000_000), ("cafe\u{301}", 2_000_000)] {
            let path = "\(input.path)/\(name)"
            #expect(mkdir(path, 0o755) == 0)
            let time = timeval(tv_sec: age, tv_usec: 0)
            #expect(utimes(path, [time, time]) == 0)
        }
        guard case .done = try fixture.run(input) else { Issue.record("not done"); return }
        #expect(try fixture.run(input) == .upToDate)
    }

    /// No path leads to what lies deepest, so no reader opens it.
    @Test func foldersDeeperThanAnyPath() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        defer { FileSystem.removeTree("\(input.path)/\(String(repeating: "d", count: 250))") }
        try runPython(
            """
            import os, sys
            os.chdir(sys.argv[1])
            for level in range(20):
                os.mkdir('d' * 250)
                os.chdir('d' * 250)
            """, [input.path]
        ).require(0)
        guard case .done = try fixture.run(input) else { Issue.record("not done"); return }
        #expect(try fixture.run(input) == .upToDate)
    }

    @Test func aForcedRunGivesTheSameBytes() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        let results = fixture.results()
        guard case .done = try fixture.run(input, forced: true) else { Issue.record("not done"); return }
        #expect(fixture.results() == results)
    }

    /// A digest that is kept in `.scanmill` and wrong would otherwise make false results for good.
    @Test func whoForcesTrustsNoKeptDigest() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        func key() -> String? { PublishedResult("a", in: fixture.output)?.key?.text }
        let (right, path) = (key(), fixture.state.inputs("a"))
        let digest = Digest.of(Array("one\ntwo\n".utf8)).hex
        let text = String(decoding: try FileSystem.bytes(of: path, limit: .max), as: UTF8.self)
        let wrong = text.replacing(digest, with: String(digest.reversed()))
        try #require(wrong != text)
        try FileSystem.replace(path, with: Array(wrong.utf8))
        // It is believed, as long as the file is as it was.
        guard case .done = try fixture.run(input, "stages: [read, write: {level: 2}]") else {
            Issue.record("nothing was done")
            return
        }
        try fixture.run(input, forced: true)
        #expect(key() == right)
    }

    /// Whatever decides a result decides whether it is made again.
    @Test func whateverDecidesAResultMakesItAnew() throws {
        let fixture = try DiskFixture()
        let text = "stages: [read, pick: {file: list.txt}, write]"
        try fixture.write("0", to: "list.txt")
        let input = try fixture.capture("a")
        var key: ResultKey?
        func isAnew(_ text: String = text) throws -> Bool {
            let ending = try fixture.run(input, text)
            let fresh = PublishedResult("a", in: fixture.output)?.key
            defer { key = fresh }
            guard case .done = ending else { return false }
            #expect(fresh != nil && fresh != key)
            return true
        }
        #expect(try isAnew())
        #expect(try !isAnew())
        try fixture.write("1", to: "list.txt")
        #expect(try isAnew())
        #expect(try !isAnew())
        // Another time, and the same bytes.
        try fixture.write("1", to: "list.txt", minutesAgo: 50)
        #expect(try !isAnew())
        try fixture.write("one\ntwo\nthree\n", to: "in/a/frames.txt", minutesAgo: 40)
        #expect(try isAnew())
        fixture.versions.withLock { $0.tool = "2" }
        #expect(try isAnew())
        fixture.versions.withLock { $0.format = 2 }
        #expect(try isAnew())
        fixture.versions.withLock { $0.stage = 2 }
        #expect(try isAnew())
        #expect(try isAnew("stages: [read, pick: {file: list.txt}, write: {level: 2}]"))
        #expect(try !isAnew("stages: [read, pick: {file: list.txt}, write: {level: 2}]"))
    }

    @Test func aDamagedResultIsMadeAnew() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        let results = fixture.results()
        for damage in ["rm deep/a.txt", "truncate -s 3 deep/a.txt", "rm receipt.json", "echo x > receipt.json"] {
            _ = try runCommand(["sh", "-c", damage], in: fixture.output + "/a")
            guard damage != "rm receipt.json" else {
                // Without its receipt it is no result any more, and is left alone.
                #expect(problem { try fixture.run(input) }?.fault == .usage)
                try FileManager.default.removeItem(atPath: fixture.output + "/a")
                try fixture.run(input)
                continue
            }
            guard case .done = try fixture.run(input) else { Issue.record("\(damage)"); continue }
            #expect(fixture.results() == results)
        }
    }

    /// It may still have the key, and files that are whole: what a run called up to date would be known for good.
    @Test func aDamagedReceiptIsMadeAnew() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        let results = fixture.results()
        let receipt = "\(fixture.output)/a/receipt.json"
        let text = try String(contentsOfFile: receipt, encoding: .utf8)
        for damaged in [text.replacing("\"kept\": 2", with: "\"kept\": 3"), text + "\n"] {
            try #require(damaged != text)
            try damaged.write(toFile: receipt, atomically: false, encoding: .utf8)
            guard case .done(let summary) = try fixture.run(input) else {
                Issue.record("the damaged receipt was taken for good")
                continue
            }
            // Nor are its numbers.
            #expect(summary.framesBefore == nil)
            #expect(fixture.results() == results)
            #expect(try fixture.plan([input]) == [.upToDate])
        }
        // What earlier versions wrote has no seal.
        try text.withoutSeal.write(toFile: receipt, atomically: false, encoding: .utf8)
        #expect(try fixture.run(input) == .upToDate)
    }

    /// Files that stand as they stood are not digested again.
    @Test func digestsAreRemembered() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        #expect(fixture.log.count("frames.txt") == 1)
        try fixture.run(input, "stages: [read, write: {level: 2}]")
        try fixture.run(input)
        #expect(fixture.log.count("frames.txt") == 1)
        try fixture.write("one\n", to: "in/a/frames.txt", minutesAgo: 30)
        try fixture.run(input)
        #expect(fixture.log.count("frames.txt") == 2)
        // What changed a moment ago may have changed again without its time showing it.
        try fixture.write("two\n", to: "in/a/frames.txt", minutesAgo: 0)
        try fixture.run(input, isAtOnce: true)
        try fixture.run(input, isAtOnce: true)
        #expect(fixture.log.count("frames.txt") == 4)
        // A cache that is gone, or damaged, costs work and nothing else.
        for text in ["", "{\"inputs\": 3}", "[]"] {
            try fixture.write(text, to: "out/.scanmill/inputs/a.json")
            #expect(try fixture.run(input) == .upToDate)
        }
    }

    /// A copy was torn, and is mended: the result that was there all the time is of it.
    @Test func aMendedCaptureHasNotFailed() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        let record = RunRecord(state: fixture.state, pipeline: try fixture.pipeline(), inputs: [input])
        try record.note(
            CaptureOutcome(input: input, ending: .failed(Problem(.input, "torn"))), fingerprint: Digest.of([]))
        #expect(fixture.state.failed == ["a"])
        #expect(try fixture.run(input) == .upToDate)
        #expect(fixture.state.failed == [])
    }

    /// A copy that lost its end takes the place of a good result.
    @Test func aPoorerResultIsSaid() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        func before(_ ending: CaptureEnding) -> Int?? {
            if case .done(let summary) = ending { summary.framesBefore } else { nil }
        }
        try fixture.write("one\n", to: "in/a/frames.txt", minutesAgo: 20)
        #expect(before(try fixture.run(input)) == .some(2))
        try fixture.write("one\ntwo\nthree\n", to: "in/a/frames.txt", minutesAgo: 10)
        #expect(before(try fixture.run(input)) == .some(nil))
        try fixture.write("eins\nzwei\ndrei\n", to: "in/a/frames.txt", minutesAgo: 5)
        #expect(before(try fixture.run(input)) == .some(nil))
        // Another pipeline wants other frames.
        try fixture.write("0", to: "list.txt")
        #expect(before(try fixture.run(input, "stages: [read, pick: {file: list.txt}, write]")) == .some(nil))
    }

    /// While it waited for the others.
    @Test func aCaptureThatWasMovedAway() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        FileSystem.removeTree(input.path)
        let failure = try #require(problem { try fixture.run(input) })
        #expect(failure.fault == .environment)
        #expect(failure.summary == "the capture was moved away after the run had found it")
    }

    /// A result that was moved away for a new one, which never came.
    @Test func anOlderResultIsPutBack() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        let results = fixture.results()
        _ = try FileSystem.makeFolders(fixture.output + "/.scanmill/trash")
        try FileManager.default.moveItem(
            atPath: fixture.output + "/a", toPath: fixture.output + "/.scanmill/trash/a.1x2y")
        #expect(try fixture.run(input) == .upToDate)
        #expect(fixture.results() == results)
        #expect(FileSystem.names(in: fixture.output + "/.scanmill/trash") == [])
    }

    /// `--replace` in another run: what this one has not published yet it never publishes.
    @Test func resultsThatAnotherPipelineTookOver() throws {
        let fixture = try DiskFixture()
        let (mine, other) = ("{name: mine, stages: [read, write]}", "{name: other, stages: [read, write]}")
        let inputs = try ["a", "b"].map { try fixture.capture($0) }
        _ = try fixture.state.claim(for: try fixture.pipeline(mine), replacing: false)
        let record = RunRecord(state: fixture.state, pipeline: try fixture.pipeline(mine), inputs: inputs)
        let pipeline = try fixture.pipeline(other)
        let hold = Mutex<RunHold?>(nil)
        let late = try #require(
            problem {
                _ = try CaptureWork.run(
                    fixture.job(inputs[0], mine), library: fixture.library, tool: fixture.programs.tool
                ) { _ in hold.withLock { $0 = try? fixture.state.claim(for: pipeline, replacing: true) } }
            })
        #expect(late.fault == .usage)
        #expect(late.summary == "the pipeline `other` has taken the results over from `mine`")
        #expect(late.notes == ["nothing was published for a"])
        #expect(problem { try fixture.run(inputs[1], mine) }?.summary == late.summary)
        #expect(fixture.results().isEmpty)
        #expect(FileSystem.names(in: fixture.output + "/.scanmill/work") == [])
        // Nor does it leave a note beside the other one's results.
        try record.note(CaptureOutcome(input: inputs[0], ending: .failed(late)), fingerprint: Digest.of([]))
        #expect(fixture.state.failed == [])
        guard case .done = try fixture.run(inputs[0], other) else { Issue.record("not done"); return }
    }

    /// A disk that goes away in the night leaves the folder below its mount point: results would go where nobody looks.
    @Test(arguments: [false, true]) func anOutputFolderThatWentAway(_ isMeanwhile: Bool) throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        let job = fixture.job(input)
        let away = { @Sendable in try FileManager.default.removeItem(atPath: fixture.output) }
        if !isMeanwhile { try away() }
        let failure = try #require(
            problem {
                _ = try CaptureWork.run(job, library: fixture.library, tool: "") { _ in
                    if isMeanwhile { try? away() }
                }
            })
        #expect(failure.fault == .environment)
        #expect(failure.summary == "this is not the folder that the run began with")
        #expect(failure.place.file == fixture.output)
        #expect(!FileSystem.exists(fixture.output + "/a"))
    }

    @Test func aCaptureThatAnotherRunnerWorksOnIsLeft() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        let lock = try StateLock("a", in: fixture.state)
        #expect(lock != nil)
        #expect(try fixture.run(input) == .busy)
        #expect(fixture.results().isEmpty)
        withExtendedLifetime(lock) {}
    }

    @Test func aFailureLeavesTheOlderResult() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        let missing = try #require(problem { try fixture.run(input, "stages: [read, pick: {file: no.txt}, write]") })
        #expect(missing.notes.last == "nothing was published for a")
        try fixture.run(input)
        let results = fixture.results()
        try fixture.write("bad\nbad\nbad\n", to: "in/a/frames.txt")
        let failure = try #require(problem { try fixture.run(input) })
        #expect(failure.notes.last == "nothing was published for a; the last good result is unchanged")
        #expect(fixture.results() == results)
        #expect(FileSystem.names(in: fixture.output + "/.scanmill/work") == [])
    }

    @Test func leftoversOfAKilledRunnerGo() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.write("half", to: "out/.scanmill/work/a.\(StateFolder.host).1.x/deep/a.txt")
        try fixture.write("half", to: "out/.scanmill/work/a.b.\(StateFolder.host).1.x/deep/a.txt")
        try fixture.run(input)
        #expect(FileSystem.names(in: fixture.output + "/.scanmill/work") == ["a.b.\(StateFolder.host).1.x"])
    }

    @Test func aPipelineThatIsNotValid() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        #expect(problem { try fixture.run(input, "stages: [reed]") }?.summary == "there is no stage `reed`")
        var job = fixture.job(input)
        job.settings = ["write.level=3", "level"]
        #expect(
            problem { _ = try CaptureWork.run(job, library: fixture.library, tool: "") { _ in } }?.summary
                == "`--set level` is not of the form stage.option=value: the `=` is missing")
        job.settings = ["write.level=3"]
        _ = try CaptureWork.run(job, library: fixture.library, tool: "") { _ in }
        #expect(
            PublishedResult("a", in: fixture.output)?.receipt["stages"]?.array?.last?["options"]?["level"] == .of(3))
    }
}
