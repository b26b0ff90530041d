import Foundation
import ScanModel
import ScanPipeline
import TestSupport
import Testing

@Suite struct OutputStatusTests {
    @Test func everyStanding() throws {
        let fixture = try DiskFixture()
        let inputs = try ["done", "stale", "failed", "running", "left"].map { try fixture.capture($0) }
        let pipeline = try fixture.pipeline()
        let record = RunRecord(state: fixture.state, pipeline: pipeline, inputs: inputs)
        for id in ["done", "stale"] { try fixture.run(fixture.input(id)) }
        try fixture.write("one\n", to: "in/stale/frames.txt", minutesAgo: 20)
        try record.note(
            CaptureOutcome(input: fixture.input("failed"), ending: .failed(Problem(.input, "torn"))),
            fingerprint: Digest.of([]))
        let lock = try StateLock("running", in: fixture.state)
        let entries = OutputStatus(output: fixture.output, programs: fixture.programs).entries
        #expect(entries.map(\.id) == ["done", "failed", "left", "running", "stale"])
        #expect(entries.map(\.standing) == [.done, .failed, .neverRun, .running, .stale])
        #expect(entries.map(\.cause) == [nil, "torn", nil, nil, "\(fixture.path)/in/stale/frames.txt changed"])
        withExtendedLifetime(lock) {}
    }

    /// To Swift the two names are equal, and on disk they are two.
    @Test func aNameOfOtherCompositionWasNotBegun() throws {
        let fixture = try DiskFixture()
        let inputs = try ["cafe\u{301}", "caf\u{e9}"].map { try fixture.capture($0) }
        _ = RunRecord(state: fixture.state, pipeline: try fixture.pipeline(), inputs: inputs)
        try fixture.write("half", to: "out/.scanmill/work/caf\u{e9}.\(StateFolder.host).1.x/deep/b.txt")
        let entries = OutputStatus(output: fixture.output, programs: fixture.programs).entries
        #expect(entries.map(\.standing) == [.neverRun, .neverRun])
        #expect(entries.map(\.cause) == [nil, "it was begun and not finished"])
    }

    /// A result is counted once, by the name that the folder lists, whatever spelling a run had for it; and what failed
    /// does not spoil the result that it had to leave alone.
    @Test func aDiskThatIgnoresCase() throws {
        let fixture = try DiskFixture()
        let ids = ["Scan", "end", "scan", "end."]
        let inputs = try ids.map { try fixture.capture($0) }
        let pipeline = try fixture.pipeline()
        for input in inputs.prefix(2) { try fixture.run(input) }
        let record = RunRecord(state: fixture.state, pipeline: pipeline, inputs: inputs)
        func entries(_ names: OutputNames) -> [OutputStatus.Entry] {
            OutputStatus(output: fixture.output, programs: fixture.programs, names: names).entries
        }
        #expect(entries(OutputNames()).map(\.id) == ["Scan", "end", "end.", "scan"])
        let card = OutputNames(ignoreCase: true, dropLastDots: true)
        #expect(entries(card).map(\.id) == ["Scan", "end"])
        #expect(entries(card).map(\.standing) == [.done, .done])
        try record.note(
            CaptureOutcome(input: inputs[2], ending: .failed(Problem(.usage, "another capture has this name"))),
            fingerprint: Digest.of([]))
        #expect(entries(card).map(\.id) == ["Scan", "end", "scan"])
        #expect(entries(card).map(\.standing) == [.done, .done, .failed])
        #expect(entries(card).map(\.hasOlderResult) == [false, false, false])
    }

    /// What was planned and is no longer there, such as a name that it had while it arrived, is nobody's to run.
    @Test func plannedCapturesThatAreGone() throws {
        let fixture = try DiskFixture()
        let here = fixture.input("here")
        var relative = try fixture.capture("relative")
        relative.path = "in/relative"
        for input in [try fixture.capture("here"), try fixture.capture("arriving.part"), relative] {
            _ = RunRecord(state: fixture.state, pipeline: try fixture.pipeline(), inputs: [input])
        }
        func entries() -> [String] {
            OutputStatus(output: fixture.output, programs: fixture.programs).entries.map(\.id)
        }
        #expect(entries() == ["arriving.part", "here"])
        #expect(rename("\(fixture.path)/in/arriving.part", "\(fixture.path)/in/arrived") == 0)
        #expect(entries() == ["here"])
        try fixture.run(here)
        try FileManager.default.removeItem(atPath: here.path)
        // Its result is all that there is.
        let gone = OutputStatus(output: fixture.output, programs: fixture.programs).entries
        #expect(gone.map(\.standing) == [.done] && gone.map(\.isCaptureGone) == [true])
        #expect(gone.map(\.cause) == ["\(here.path) is gone"])
    }

    /// Captures are often deleted once they are converted, and OUT may be copied elsewhere, not always whole.
    @Test func brokenResultsOfCapturesThatAreGone() throws {
        let fixture = try DiskFixture()
        let inputs = try ["a", "b"].map { try fixture.capture($0) }
        for input in inputs {
            try fixture.run(input)
            FileSystem.removeTree(input.path)
        }
        try FileManager.default.removeItem(atPath: "\(fixture.output)/a/deep/a.txt")
        let receipt = "\(fixture.output)/b/receipt.json"
        let text = try String(contentsOfFile: receipt, encoding: .utf8)
        try text.replacing("\"kept\": 2", with: "\"kept\": 33").write(
            toFile: receipt, atomically: false, encoding: .utf8)
        let entries = OutputStatus(output: fixture.output, programs: fixture.programs).entries
        #expect(entries.map(\.standing) == [.stale, .stale])
        #expect(entries.map(\.isCaptureGone) == [true, true])
        let missing = "deep/a.txt of the result is missing or has another size"
        #expect(
            entries.map(\.cause) == [
                "\(missing), and \(inputs[0].path) is gone",
                "receipt.json of the result is damaged, and \(inputs[1].path) is gone",
            ])
        // No run could bring it up to date.
        #expect(entries.map(\.isBehind) == [false, false])
    }

    /// Captures may be moved to another disk, and be planned from there.
    @Test func aBrokenResultOfACaptureThatWasMoved() throws {
        let fixture = try DiskFixture()
        var input = try fixture.capture("a")
        try fixture.run(input)
        #expect(rename(input.path, "\(fixture.path)/moved") == 0)
        input.path = "\(fixture.path)/moved"
        _ = RunRecord(state: fixture.state, pipeline: try fixture.pipeline(), inputs: [input])
        func entries() -> [OutputStatus.Entry] {
            OutputStatus(output: fixture.output, programs: fixture.programs).entries
        }
        #expect(entries().map(\.standing) == [.done] && entries().map(\.isCaptureGone) == [false])
        FileSystem.removeTree("\(fixture.output)/a/deep")
        #expect(entries().map(\.standing) == [.stale] && entries().map(\.isBehind) == [true])
        #expect(entries().map(\.cause) == ["deep/a.txt of the result is missing or has another size"])
    }

    /// It may be whole: another user's, say, or on a disk that fails. Not even root can look at the end of such a link.
    @Test func aResultWithAFileThatCannotBeLookedAt() throws {
        let fixture = try DiskFixture()
        var input = try fixture.capture("a")
        try fixture.run(input)
        FileSystem.removeTree("\(fixture.output)/a/deep")
        #expect(symlink(String(repeating: "x", count: 300), "\(fixture.output)/a/deep") == 0)
        func entries() -> [OutputStatus.Entry] {
            OutputStatus(output: fixture.output, programs: fixture.programs).entries
        }
        let cause = "deep/a.txt of the result cannot be looked at: File name too long"
        #expect(entries().map(\.standing) == [.unreadable] && entries().map(\.cause) == [cause])
        // A run replaces the result as a whole.
        #expect(try fixture.plan([input]) == [.run(cause)])
        do {
            let lock = try StateLock("a", in: fixture.state)
            #expect(entries().map(\.standing) == [.running] && entries().map(\.isBehind) == [true])
            withExtendedLifetime(lock) {}
        }
        // Planned from another place, gone, and with the receipt alone to tell.
        #expect(rename(input.path, "\(fixture.path)/moved") == 0)
        input.path = "\(fixture.path)/moved"
        _ = RunRecord(state: fixture.state, pipeline: try fixture.pipeline(), inputs: [input])
        #expect(entries().map(\.standing) == [.unreadable] && entries().map(\.cause) == [cause])
        FileSystem.removeTree(input.path)
        #expect(entries().map(\.standing) == [.unreadable] && entries().map(\.isCaptureGone) == [true])
        #expect(entries().map(\.cause) == ["\(cause), and \(fixture.path)/in/a is gone"])
        FileSystem.removeTree(fixture.state.path)
        #expect(entries().map(\.standing) == [.unreadable] && entries().map(\.cause) == [cause])
        // A link that leads back to itself is certainly not the file.
        #expect(unlink("\(fixture.output)/a/deep") == 0 && symlink("deep", "\(fixture.output)/a/deep") == 0)
        #expect(entries().map(\.standing) == [.stale])
    }

    /// One file is certainly missing, whatever there is of another.
    @Test func aResultWithAFileThatIsMissingBesideOneThatCannotBeLookedAt() throws {
        let fixture = try DiskFixture()
        let files = ["a/1.txt", "b.txt"].map { #"{"path": "\#($0)", "bytes": 1, "sha256": ""}"# }
        let receipt = #"{"tool": "scanmill 0", "files": [\#(files.joined(separator: ", "))]}"#
        try fixture.write(receipt, to: "out/scan/receipt.json")
        #expect(symlink(String(repeating: "x", count: 300), "\(fixture.output)/scan/a") == 0)
        let entries = OutputStatus(output: fixture.output, programs: fixture.programs).entries
        #expect(entries.map(\.standing) == [.stale])
        #expect(entries.map(\.cause) == ["b.txt of the result is missing or has another size"])
    }

    /// It cannot be made again before somebody has cleared its place.
    @Test func aResultThatLostItsReceipt() throws {
        let fixture = try DiskFixture()
        let inputs = try ["a", "b"].map { try fixture.capture($0) }
        let record = RunRecord(state: fixture.state, pipeline: try fixture.pipeline(), inputs: inputs)
        let endings = try inputs.map { try fixture.run($0) }
        try record.end(zip(inputs, endings).map { CaptureOutcome(input: $0, ending: $1) }, seconds: 1)
        try FileManager.default.removeItem(atPath: "\(fixture.output)/a/receipt.json")
        FileSystem.removeTree("\(fixture.output)/b")
        let entries = OutputStatus(output: fixture.output, programs: fixture.programs).entries
        #expect(entries.map(\.standing) == [.resultGone, .resultGone])
        let lost = "the result that stands here has lost its receipt.json, and is left alone"
        #expect(entries.map(\.cause) == [lost, nil])
    }

    /// Who moves files elsewhere may leave their folders behind (rsync --remove-source-files).
    @Test func capturesOfWhichFoldersAloneAreLeft() throws {
        let fixture = try DiskFixture()
        let inputs = try ["done", "failed", "planned"].map { try fixture.capture($0) }
        let record = RunRecord(state: fixture.state, pipeline: try fixture.pipeline(), inputs: inputs)
        try fixture.run(inputs[0])
        try record.note(
            CaptureOutcome(input: inputs[1], ending: .failed(Problem(.input, "torn"))), fingerprint: Digest.of([]))
        for input in inputs {
            for name in try FileManager.default.contentsOfDirectory(atPath: input.path) {
                try FileManager.default.removeItem(atPath: "\(input.path)/\(name)")
            }
            try FileManager.default.createDirectory(
                atPath: "\(input.path)/depth/0", withIntermediateDirectories: true)
        }
        BatchPlan(
            [], pipeline: try fixture.pipeline(), output: fixture.output, rules: BatchPlan.Rules(),
            programs: fixture.programs
        ).forgetPastFailures()
        let entries = OutputStatus(output: fixture.output, programs: fixture.programs).entries
        #expect(entries.map(\.id) == ["done"] && entries.allSatisfy(\.isCaptureGone))
        // One that cannot be listed may hold anything, and so may a file.
        #expect(!FileSystem.isGone(fixture.path))
        #expect(FileSystem.isGone("\(fixture.path)/nothing"))
    }

    /// The result of a capture that is gone came back from a backup, of the time when the folder was another pipeline's.
    @Test func aResultOfAnotherPipelineAmongNewOnes() throws {
        let fixture = try DiskFixture()
        let inputs = try ["a", "b"].map { try fixture.capture($0) }
        let (first, second) = ("{name: first, stages: [read, write]}", "{name: second, stages: [read, write]}")
        for input in inputs { try fixture.run(input, first) }
        _ = try runCommand(["cp", "-a", "\(fixture.output)/a", "\(fixture.path)/backup"], in: fixture.path)
        _ = try fixture.state.claim(for: try fixture.pipeline(second), replacing: true)
        for input in inputs { try fixture.run(input, second, replaces: true) }
        FileSystem.removeTree("\(fixture.output)/a")
        _ = try runCommand(["cp", "-a", "\(fixture.path)/backup", "\(fixture.output)/a"], in: fixture.path)
        let entries = { OutputStatus(output: fixture.output, programs: fixture.programs).entries }
        #expect(entries().map(\.standing) == [.stale, .done])
        #expect(
            entries().map(\.cause) == ["the pipeline `first` made it, and the folder is `second`'s now", nil])
        // Nothing can make it again.
        FileSystem.removeTree(inputs[0].path)
        #expect(entries().map(\.standing) == [.done, .done])
        #expect(entries().map(\.isCaptureGone) == [true, false])
    }

    /// Results may be moved to another disk, with links in their place.
    @Test func aResultOnADiskThatIsNotThere() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        let record = RunRecord(state: fixture.state, pipeline: try fixture.pipeline(), inputs: [input])
        try record.end([CaptureOutcome(input: input, ending: .upToDate)], seconds: 1)
        let result = "\(fixture.output)/a"
        #expect(rename(result, "\(fixture.path)/disk") == 0 && symlink("../disk", result) == 0)
        #expect(try fixture.plan([input]) == [.upToDate])
        #expect(rename("\(fixture.path)/disk", "\(fixture.path)/unmounted") == 0)
        let entries = OutputStatus(output: fixture.output, programs: fixture.programs).entries
        #expect(entries.map(\.standing) == [.resultGone])
        #expect(entries.map(\.cause) == ["it is a link to a folder that is not there"])
        let refused = try #require(problem { try fixture.run(input) })
        #expect(refused.fault == .environment)
        #expect(refused.summary == "the result is a link to a folder that is not there")
        #expect(try fixture.plan([input]) == [.obstructed(ResultPlace(result).linkToNothing)])
        #expect(rename("\(fixture.path)/unmounted", "\(fixture.path)/disk") == 0)
        #expect(try fixture.plan([input]) == [.upToDate])
    }

    /// The run that made it is not remembered for ever, and those that found it up to date name it in their outcomes alone.
    @Test func aLostResultWhoseRunIsForgotten() throws {
        let fixture = try DiskFixture()
        let (a, b) = (try fixture.capture("a"), try fixture.capture("b"))
        let maker = try record(fixture, try fixture.pipeline(), [a], minutesAgo: 60)
        try maker.end([CaptureOutcome(input: a, ending: try fixture.run(a))], seconds: 1)
        let later = try record(fixture, try fixture.pipeline(), [b], minutesAgo: 50)
        let outcomes = [
            CaptureOutcome(input: a, ending: .upToDate), CaptureOutcome(input: b, ending: try fixture.run(b)),
        ]
        try later.end(outcomes, seconds: 1)
        for path in [maker.path, "\(fixture.output)/a"] { FileSystem.removeTree(path) }
        let entries = OutputStatus(output: fixture.output, programs: fixture.programs).entries
        #expect(entries.map(\.id) == ["a", "b"])
        #expect(entries.map(\.standing) == [.resultGone, .done])
    }

    /// Who takes finished results elsewhere every morning knows that they were made.
    @Test func resultsThatWereMovedAway() throws {
        let fixture = try DiskFixture()
        let inputs = try ["failed", "made", "moved"].map { try fixture.capture($0) }
        let record = RunRecord(state: fixture.state, pipeline: try fixture.pipeline(), inputs: inputs)
        let endings = [.failed(Problem(.input, "torn"))] + (try inputs.dropFirst().map { try fixture.run($0) })
        try record.end(zip(inputs, endings).map { CaptureOutcome(input: $0, ending: $1) }, seconds: 1)
        FileSystem.removeTree("\(fixture.output)/moved")
        let entries = OutputStatus(output: fixture.output, programs: fixture.programs).entries
        #expect(entries.map(\.id) == ["failed", "made", "moved"])
        #expect(entries.map(\.standing) == [.neverRun, .done, .resultGone])
    }

    /// The record of a run that began so long ago.
    private func record(
        _ fixture: DiskFixture, _ pipeline: Pipeline, _ inputs: [CaptureInput],
        formats: FormatRevisions = FormatRevisions(), minutesAgo: Double
    ) throws -> RunRecord {
        let record = RunRecord(state: fixture.state, pipeline: pipeline, formats: formats, inputs: inputs)
        try fixture.age("out/.scanmill/runs/\(record.name)/plan.json", minutes: minutesAgo)
        return record
    }

    /// Results of the options of before look finished, and are not what the last run was to make.
    @Test(
        arguments: [
            (.left("stopped by SIGTERM"), "; the last run left it: stopped by SIGTERM"),
            (.arriving, "; the last run left it: it was still arriving"),
            (.busy, "; the last run left it: another runner worked on it"),
            (.excluded, "; the last run left it: --exclude named it"), (.failed(Problem(.input, "torn")), ""),
        ] as [(CaptureEnding, String)])
    func aRunThatWasCutShort(_ ending: CaptureEnding, _ reason: String) throws {
        let fixture = try DiskFixture()
        let inputs = try ["a", "b"].map { try fixture.capture($0) }
        let first = try record(fixture, try fixture.pipeline(), inputs, minutesAgo: 60)
        let endings = try inputs.map { try fixture.run($0) }
        try first.end(zip(inputs, endings).map { CaptureOutcome(input: $0, ending: $1) }, seconds: 1)
        let changed = "stages: [read, {write: {level: 3}}]"
        let second = try record(fixture, try fixture.pipeline(changed), inputs, minutesAgo: 30)
        let made = try fixture.run(inputs[0], changed)
        func entries() -> [OutputStatus.Entry] {
            OutputStatus(output: fixture.output, programs: fixture.programs).entries
        }
        // A killed run says nothing more.
        let change = "write.level changed from 1 to 3"
        #expect(entries().map(\.standing) == [.done, .stale])
        #expect(entries().map(\.cause) == [nil, "\(change); the last run of it was cut short, or goes on"])
        try second.end(zip(inputs, [made, ending]).map { CaptureOutcome(input: $0, ending: $1) }, seconds: 1)
        #expect(entries().map(\.standing) == [.done, .stale])
        #expect(entries().map(\.cause) == [nil, change + reason])
        #expect(entries().map(\.isBehind) == [false, true])
        // Without what is known of its files, its receipt tells the same.
        FileSystem.removeTree(fixture.state.inputs("b"))
        #expect(entries().map(\.standing) == [.done, .stale])
        #expect(entries().map(\.cause) == [nil, change + reason])
        // The next run makes it.
        try fixture.run(inputs[1], changed)
        #expect(entries().map(\.standing) == [.done, .done])
    }

    /// Its files changed, and the run that was to make it again did not come to it.
    @Test func aChangedCaptureThatTheLastRunLeft() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        let pipeline = try fixture.pipeline()
        let first = try record(fixture, pipeline, [input], minutesAgo: 60)
        try first.end([CaptureOutcome(input: input, ending: try fixture.run(input))], seconds: 1)
        try fixture.write("one\n", to: "in/a/frames.txt", minutesAgo: 20)
        let second = try record(fixture, pipeline, [input], minutesAgo: 10)
        try second.end([CaptureOutcome(input: input, ending: .left("too late"))], seconds: 1)
        let entries = OutputStatus(output: fixture.output, programs: fixture.programs).entries
        #expect(entries.map(\.standing) == [.stale])
        #expect(entries.map(\.cause) == ["\(input.path)/frames.txt changed; the last run left it: too late"])
    }

    /// The options are the same, and the run of the new version was to make other results of them.
    @Test func anUpdateOfAStageThatWasCutShort() throws {
        let fixture = try DiskFixture()
        let inputs = try ["a", "b"].map { try fixture.capture($0) }
        func entries() -> [OutputStatus.Entry] {
            OutputStatus(output: fixture.output, programs: fixture.programs).entries
        }
        let before = try fixture.pipeline()
        let first = try record(fixture, before, inputs, minutesAgo: 60)
        let endings = try inputs.map { try fixture.run($0) }
        try first.end(zip(inputs, endings).map { CaptureOutcome(input: $0, ending: $1) }, seconds: 1)
        fixture.versions.withLock { $0.stage = 2 }
        // Nothing is stale for an update alone.
        #expect(entries().map(\.standing) == [.done, .done])
        let after = try fixture.pipeline()
        let second = try record(fixture, after, inputs, minutesAgo: 30)
        let made = try fixture.run(inputs[0])
        let stopped = CaptureEnding.left("stopped by SIGINT")
        try second.end(zip(inputs, [made, stopped]).map { CaptureOutcome(input: $0, ending: $1) }, seconds: 1)
        let (change, left) = ("since an update, ScanMill makes different results in", "the last run left it")
        #expect(entries().map(\.standing) == [.done, .stale])
        #expect(entries().map(\.cause) == [nil, "\(change) write; \(left): stopped by SIGINT"])
        #expect(entries().map(\.isBehind) == [false, true])
        // What an earlier version knew of its results does not tell which stage it is.
        try fixture.forgetRevisions(of: "b")
        #expect(entries().map(\.cause) == [nil, "\(change) a stage; \(left): stopped by SIGINT"])
        // Who goes back to the version of before finds it up to date.
        let upToDate = [CaptureOutcome(input: inputs[1], ending: .upToDate)]
        #expect(RunHistory.isToRemember(idleRunWith: upToDate, of: before, in: fixture.state))
        let newlyMade = [CaptureOutcome(input: inputs[0], ending: .upToDate)]
        #expect(!RunHistory.isToRemember(idleRunWith: newlyMade, of: after, in: fixture.state))
        try record(fixture, before, [], minutesAgo: 20).end(upToDate, seconds: 1)
        #expect(entries().map(\.standing) == [.done, .done])
        #expect(!RunHistory.isToRemember(idleRunWith: upToDate, of: before, in: fixture.state))
        // The first bytes of a plan tell which recipe it is of.
        let plan = try String(contentsOfFile: "\(second.path)/plan.json", encoding: .utf8)
        #expect(plan.prefix(256).contains(after.digest.hex))
        #expect(plan.prefix(256).matches(of: #/"[0-9a-f]{64}"/#).count == 2)
    }

    /// An option that came with it is nothing that anybody has changed, unless it is given.
    @Test(arguments: [
        ("write", "since an update, ScanMill makes different results in write"),
        ("write: {sharp: true}", "write.sharp changed from nothing to true"),
        ("write: {level: 2}", "write.level changed from 1 to 2"),
    ]) func anUpdateThatBringsAnOption(stage: String, change: String) throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        let first = try record(fixture, try fixture.pipeline(), [input], minutesAgo: 60)
        try first.end([CaptureOutcome(input: input, ending: try fixture.run(input))], seconds: 1)
        fixture.versions.withLock { $0.stage = 3 }
        let second = try record(fixture, try fixture.pipeline("stages: [read, \(stage)]"), [input], minutesAgo: 30)
        try second.end([CaptureOutcome(input: input, ending: .left("too late"))], seconds: 1)
        let entries = OutputStatus(output: fixture.output, programs: fixture.programs).entries
        #expect(entries.map(\.cause) == ["\(change); the last run left it: too late"])
    }

    /// Nothing but its receipt tells what it was made with, and that has not an option which has come since.
    @Test(arguments: [
        ("write", nil), ("write: {level: 2}", "write.level changed from nothing to 2; the last run left it: late"),
    ])
    func anOptionThatTheReceiptLacks(stage: String, cause: String?) throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        let receipt = try String(contentsOfFile: "\(fixture.output)/a/receipt.json", encoding: .utf8)
        let older = receipt.replacing(#/"level": 1\s*/#, with: "").withoutSeal
        try fixture.write(older, to: "out/a/receipt.json")
        try FileManager.default.removeItem(atPath: fixture.state.inputs("a"))
        let last = try record(fixture, try fixture.pipeline("stages: [read, \(stage)]"), [input], minutesAgo: 30)
        try last.end([CaptureOutcome(input: input, ending: .left("late"))], seconds: 1)
        let entries = OutputStatus(output: fixture.output, programs: fixture.programs).entries
        #expect(entries.map(\.standing) == [cause == nil ? .done : .stale])
        #expect(entries.map(\.cause) == [cause])
    }

    /// The same where a format is read in another way.
    @Test func anUpdateOfAReaderThatWasCutShort() throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        let pipeline = try fixture.pipeline()
        func entries() -> [OutputStatus.Entry] {
            OutputStatus(output: fixture.output, programs: fixture.programs).entries
        }
        func revisions(_ lines: Int, _ others: Int) -> FormatRevisions {
            FormatRevisions(byName: ["lines": lines, "others": others])
        }
        let (before, after) = (revisions(1, 1), revisions(2, 1))
        let first = try record(fixture, pipeline, [input], formats: before, minutesAgo: 60)
        try first.end([CaptureOutcome(input: input, ending: try fixture.run(input))], seconds: 1)
        // Another format's reader is none of its concern.
        let second = try record(fixture, pipeline, [input], formats: revisions(1, 2), minutesAgo: 50)
        try second.end([CaptureOutcome(input: input, ending: .left("too late"))], seconds: 1)
        #expect(entries().map(\.standing) == [.done])
        let third = try record(fixture, pipeline, [input], formats: after, minutesAgo: 40)
        try third.end([CaptureOutcome(input: input, ending: .left("too late"))], seconds: 1)
        #expect(entries().map(\.standing) == [.stale])
        let cause = "since an update, ScanMill reads lines differently; the last run left it: too late"
        #expect(entries().map(\.cause) == [cause])
        let upToDate = [CaptureOutcome(input: input, ending: .upToDate)]
        #expect(RunHistory.isToRemember(idleRunWith: upToDate, of: pipeline, formats: before, in: fixture.state))
        #expect(!RunHistory.isToRemember(idleRunWith: upToDate, of: pipeline, formats: after, in: fixture.state))
        fixture.versions.withLock { $0.format = 2 }
        try fixture.run(input)
        #expect(entries().map(\.standing) == [.done])
    }

    /// Copied elsewhere, or without what was known of their files: the receipts tell what should be there.
    @Test func resultsOfWhichOnlyTheReceiptsTell() throws {
        let fixture = try DiskFixture()
        let inputs = try ["a", "b", "c"].map { try fixture.capture($0) }
        let record = try record(fixture, try fixture.pipeline(), inputs, minutesAgo: 60)
        let endings = try inputs.map { try fixture.run($0) }
        try record.end(zip(inputs, endings).map { CaptureOutcome(input: $0, ending: $1) }, seconds: 1)
        FileSystem.removeTree("\(fixture.state.path)/inputs")
        func entries() -> [OutputStatus.Entry] {
            OutputStatus(output: fixture.output, programs: fixture.programs).entries
        }
        #expect(entries().map(\.standing) == [.done, .done, .done])
        FileSystem.removeTree("\(fixture.output)/a/deep")
        let receipt = "\(fixture.output)/b/receipt.json"
        let text = try String(contentsOfFile: receipt, encoding: .utf8)
        let (missing, damaged) = (
            "deep/a.txt of the result is missing or has another size", "receipt.json of the result is damaged"
        )
        for changed in [String(text.dropLast(20)), text.replacing("\"kept\": 2", with: "\"kept\": 3")] {
            try #require(changed != text)
            try changed.write(toFile: receipt, atomically: false, encoding: .utf8)
            #expect(entries().map(\.standing) == [.stale, .stale, .done])
            #expect(entries().map(\.cause) == [missing, damaged, nil])
            #expect(entries().map(\.isBehind) == [true, true, false])
        }
        // Nothing can make it again.
        FileSystem.removeTree(inputs[0].path)
        #expect(entries().map(\.cause) == ["\(missing), and \(inputs[0].path) is gone", damaged, nil])
        #expect(entries().map(\.isCaptureGone) == [true, false, false])
        // Nor does anything remember where its capture lay.
        FileSystem.removeTree(fixture.state.path)
        #expect(entries().map(\.cause) == [missing, damaged, nil])
        try text.write(toFile: receipt, atomically: false, encoding: .utf8)
        _ = try fixture.state.claim(for: try fixture.pipeline("{name: other, stages: [read, write]}"), replacing: true)
        let another = "the pipeline `p` made it, and the folder is `other`'s now"
        #expect(entries().map(\.cause) == [another, another, another])
        #expect(entries().map(\.standing) == [.stale, .stale, .stale])
    }

    /// Who goes back to the options of before finds all up to date, and that is said in the outcome alone.
    @Test func aRunThatFoundAllUpToDate() throws {
        let fixture = try DiskFixture()
        let (a, b) = (try fixture.capture("a"), try fixture.capture("b"))
        let (before, after) = (try fixture.pipeline(), try fixture.pipeline("stages: [read, {write: {level: 3}}]"))
        let done = [CaptureOutcome(input: a, ending: try fixture.run(a))]
        try record(fixture, before, [a], minutesAgo: 60).end(done, seconds: 1)
        let upToDate = [CaptureOutcome(input: a, ending: .upToDate)]
        #expect(!RunHistory.isToRemember(idleRunWith: upToDate, of: before, in: fixture.state))
        let left = [CaptureOutcome(input: a, ending: .left("too late"))]
        try record(fixture, after, [a], minutesAgo: 50).end(left, seconds: 1)
        #expect(RunHistory.isToRemember(idleRunWith: upToDate, of: before, in: fixture.state))
        func entries() -> [OutputStatus.Standing] {
            OutputStatus(output: fixture.output, programs: fixture.programs).entries.map(\.standing)
        }
        #expect(entries() == [.stale])
        try record(fixture, before, [], minutesAgo: 40).end(upToDate, seconds: 1)
        #expect(entries() == [.done])
        #expect(!RunHistory.isToRemember(idleRunWith: upToDate, of: before, in: fixture.state))
        // Also when a later run was about others.
        let other = [CaptureOutcome(input: b, ending: try fixture.run(b))]
        try record(fixture, after, [b], minutesAgo: 30).end(other, seconds: 1)
        #expect(entries() == [.done, .stale])
        #expect(!RunHistory.isToRemember(idleRunWith: upToDate, of: before, in: fixture.state))
    }

    /// A capture that arrives is told of once, and not every hour anew.
    @Test func aRunInWhichAllArrive() throws {
        let fixture = try DiskFixture()
        let (a, b) = (try fixture.capture("a"), try fixture.capture("b"))
        let pipeline = try fixture.pipeline()
        let arriving = [a, b].map { CaptureOutcome(input: $0, ending: .arriving) }
        #expect(!RunHistory.isToRemember(idleRunWith: [], of: pipeline, in: fixture.state))
        #expect(RunHistory.isToRemember(idleRunWith: arriving, of: pipeline, in: fixture.state))
        try record(fixture, pipeline, [a, b], minutesAgo: 60).end(arriving, seconds: 0)
        #expect(!RunHistory.isToRemember(idleRunWith: arriving, of: pipeline, in: fixture.state))
        let entries = OutputStatus(output: fixture.output, programs: fixture.programs).entries
        #expect(entries.map(\.standing) == [.neverRun, .neverRun])
        #expect(entries.map(\.cause) == ["it was still arriving", "it was still arriving"])
        let third = CaptureOutcome(input: try fixture.capture("c"), ending: .arriving)
        #expect(RunHistory.isToRemember(idleRunWith: arriving + [third], of: pipeline, in: fixture.state))
    }

    /// What is known to be bad does not count as news, until a run takes it in again.
    @Test func whatIsLeftOut() throws {
        let fixture = try DiskFixture()
        let inputs = try ["bad", "made", "new"].map { try fixture.capture($0) }
        let pipeline = try fixture.pipeline()
        let first = try record(fixture, pipeline, inputs, minutesAgo: 60)
        let torn = CaptureOutcome(input: inputs[0], ending: .failed(Problem(.input, "torn")))
        try first.note(torn, fingerprint: Digest.of([]))
        let made = CaptureOutcome(input: inputs[1], ending: try fixture.run(inputs[1]))
        try first.end([torn, made], seconds: 1)
        let excluded = inputs.map { CaptureOutcome(input: $0, ending: .excluded) }
        #expect(RunHistory.isToRemember(idleRunWith: excluded, of: pipeline, in: fixture.state))
        try record(fixture, pipeline, [], minutesAgo: 30).end(excluded, seconds: 0)
        #expect(!RunHistory.isToRemember(idleRunWith: excluded, of: pipeline, in: fixture.state))
        func entries() -> [OutputStatus.Entry] {
            OutputStatus(output: fixture.output, programs: fixture.programs).entries
        }
        #expect(entries().map(\.id) == ["bad", "made", "new"])
        #expect(entries().map(\.standing) == [.excluded, .done, .excluded])
        #expect(entries().map(\.cause) == ["torn", nil, nil])
        let last = try record(fixture, pipeline, [inputs[0]], minutesAgo: 10)
        try last.end([CaptureOutcome(input: inputs[0], ending: .failedBefore(Problem(.input, "torn")))], seconds: 0)
        #expect(entries().first?.standing == .failed)
        // That a result is lost is said all the same.
        try record(fixture, pipeline, [], minutesAgo: 5).end(excluded, seconds: 0)
        FileSystem.removeTree("\(fixture.output)/made")
        #expect(entries().map(\.standing) == [.excluded, .resultGone, .excluded])
    }

    /// A new ScanMill makes nothing stale by itself; only the keys, which a run compares, tell whether it does.
    @Test func otherPrograms() throws {
        let fixture = try DiskFixture()
        try fixture.run(try fixture.capture("a"))
        func entries() -> [OutputStatus.Entry] {
            OutputStatus(output: fixture.output, programs: fixture.programs).entries
        }
        fixture.versions.withLock { $0.scanmill = "scanmill 1" }
        #expect(entries().map(\.standing) == [.done])
        fixture.versions.withLock { $0.tool = "2" }
        #expect(entries().map(\.standing) == [.stale])
        #expect(entries().map(\.cause) == ["since an update, there is 2, and no longer 1"])
    }

    /// To Swift the two names are equal, and on disk they are two.
    @Test func namesOfOtherComposition() throws {
        let fixture = try DiskFixture()
        let names = ["caf\u{e9}", "cafe\u{301}"]
        try fixture.run(try fixture.capture(names[0]))
        let record = RunRecord(state: fixture.state, pipeline: try fixture.pipeline(), inputs: [])
        try record.note(
            CaptureOutcome(input: try fixture.capture(names[1]), ending: .failed(Problem(.input, "torn"))),
            fingerprint: Digest.of([]))
        let entries = OutputStatus(output: fixture.output, programs: fixture.programs).entries
        #expect(entries.map(\.standing) == [.failed, .done])
        #expect(entries.map { Array($0.id.utf8) } == names.reversed().map { Array($0.utf8) })
    }

    @Test func nothingWasEverRun() throws {
        let fixture = try DiskFixture()
        #expect(OutputStatus(output: fixture.output, programs: fixture.programs).entries.isEmpty)
        #expect(!FileSystem.exists(fixture.output))
    }
}
