import Foundation
import ScanModel
import TestSupport
import Testing

/// `status` on results as runs leave them, and what the report calls the same.
@Suite struct StatusCommandTests: StandingSuite, ReportSuite {
    let folder: TemporaryFolder

    init() throws { folder = try Self.captures() }

    /// Sorted.
    private func names(_ path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/\(path)").sorted()
    }

    @Test func everyStandingIsListed() throws {
        try folder.write("{", to: "in/b/desk.json")
        #expect(try scanmill("run", "quick.yaml", "in", "-o", "out").status == 1)
        let status = try scanmill("status", "out")
        #expect(status.output.hasPrefix("failed  b  "))
        #expect(status.output.hasSuffix("1 done, 1 failed\n"))
        try folder.write(try folder.bytes("in/a/desk.jsonl") + [0x0A], to: "in/a/desk.jsonl")
        #expect(try scanmill("status", "out").output.contains("stale   a  "))
    }

    /// What needs something done is not lost among what was left out.
    @Test func failuresComeFirst() throws {
        for name in ["c", "d"] { try folder.copySample("desk", to: "in/\(name)") }
        try folder.write("{", to: "in/d/desk.json")
        #expect(try scanmill("run", "quick.yaml", "in", "-o", "out", "--exclude", "a").status == 1)
        try folder.write(try folder.bytes("in/b/desk.jsonl") + [0x0A], to: "in/b/desk.jsonl")
        let lines = try scanmill("status", "out").output.split(separator: "\n")
        let begins = ["failed    d  ", "stale     b  ", "excluded  a", "1 done, 1 stale, 1 failed, 1 excluded"]
        #expect(lines.count == begins.count && zip(lines, begins).allSatisfy { $0.hasPrefix($1) }, "\(lines)")
        let json = try JSONValue.parse(Array(try scanmill("status", "out", "--json").output.utf8), file: "").array
        #expect(json?.map { $0["id"]?.string } == ["a", "b", "c", "d"])
    }

    /// Once an option has changed, thousands of results are stale for one reason.
    @Test func whatManyHaveInCommonIsSaidOfAFew() throws {
        let ids = (1...7).map { "c\($0)" }
        for id in ids { try folder.copySample("desk", to: "in/\(id)") }
        try folder.write("{", to: "in/b/desk.json")
        #expect(try scanmill("run", "quick.yaml", "in", "-o", "out", "--no-report").status == 1)
        for id in ids {
            let lines = "in/\(id)/desk.jsonl"
            try folder.write(try folder.bytes(lines) + [0x0A], to: lines)
        }
        func lines(_ more: String...) throws -> [Substring] {
            try Scanmill.run(["status", "out"] + more, in: folder.path).output.split(separator: "\n")
        }
        let few = try lines()
        let rest = ["stale   2 more (--all lists them): ", "1 done, "]
        let told = ["failed  b  "] + ids.prefix(5).map { "stale   \($0)  " } + rest
        #expect(few.count == told.count && zip(few, told).allSatisfy { $0.hasPrefix($1) }, "\(few)")
        #expect(few[5].hasSuffix("/in/c5/desk.jsonl changed"), "\(few)")
        #expect(few[6].hasSuffix("/in/…/desk.jsonl changed"), "\(few)")
        #expect(few[7] == "1 done, 7 stale, 1 failed")
        // Who looks for one of them finds it.
        let all = try lines("--all")
        let begins = ["failed  b  "] + ids.map { "stale   \($0)  " } + ["done    a", "1 done, "]
        #expect(all.count == begins.count && zip(all, begins).allSatisfy { $0.hasPrefix($1) }, "\(all)")
        // A line that counts a single one would save none.
        try FileManager.default.removeItem(at: folder.url("in/c7"))
        let six = try lines()
        #expect(six.contains { $0.hasPrefix("stale   c6  ") } && !six.contains { $0.contains("--all") }, "\(six)")
    }

    /// A result with less than the app recorded is done, and should not pass for any other.
    @Test func doubtfulResultsAreListed() throws {
        let depth = try folder.bytes("in/a/desk.depth.zlib")
        try folder.write(Array(depth.prefix(depth.count / 2)), to: "in/a/desk.depth.zlib")
        let run = ["run", "quick.yaml", "in", "-o", "out", "--no-report", "--set", "read.truncated=keep-whole"]
        let made = try Scanmill.run(run, in: folder.path)
        #expect(
            made.status == 0 && made.errors.contains("\n1 of the results is doubtful: a (see the warnings)\n"),
            "\(made)")
        let quiet = try Scanmill.run(run + ["--force", "-q"], in: folder.path)
        #expect(quiet.status == 0 && !quiet.errors.contains("doubtful"), "\(quiet)")
        let told = "salvaged  a  only the whole frames of a damaged copy were kept\n2 done (1 of them doubtful)\n"
        #expect(try scanmill("status", "out").output == told)
        let json = try JSONValue.parse(Array(try scanmill("status", "out", "--json").output.utf8), file: "").array
        for key in ["salvaged", "doubtful"] {
            #expect(json?.map { $0[key] } == [.bool(true), .bool(false)], "\(key)")
        }
    }

    /// A folder that was made for results is no mistyped one.
    @Test func noCaptureWasRunYet() throws {
        #expect(try scanmill("run", "quick.yaml", "in", "-o", "out", "--format", "polycam").status == 0)
        let report = try scanmill("report", "out")
        #expect(report.status == 2)
        #expect(report.errors.hasPrefix("error: no capture has been run into this folder yet\n  --> out\n"))
        #expect(try scanmill("status", "out").output == "no capture has been run into out\n")
    }

    /// It may lead to a capture again tomorrow, under this name or, if what it leads to holds several, under others.
    @Test func aLinkThatLeadsNowhere() throws {
        #expect(symlink("../away", folder.url("in/c").path) == 0)
        let told = "failed  c  this is a link to nothing\n"
        for news in ["failed   c  this is", "failed   c  as before: this is"] {
            let run = try scanmill("run", "quick.yaml", "in", "-o", "out", "--no-report")
            #expect(run.status == 3 && run.output.contains(news), "\(run)")
            #expect(try scanmill("status", "out").output.hasPrefix(told))
        }
        // The next run may start in another folder.
        let note = String(decoding: try folder.bytes("out/.scanmill/failures/c.json"), as: UTF8.self)
        #expect(note.contains("/in/c\\n") && !note.contains("/in/in/c"), "\(note)")
        // A run that is not about it leaves it as it is.
        #expect(try scanmill("run", "quick.yaml", "in/a", "-o", "out", "--no-report").status == 0)
        #expect(try scanmill("status", "out").output.hasPrefix(told))
        try FileManager.default.createDirectory(at: folder.url("away"), withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: QuickRun.sample, toPath: folder.url("away/d").path)
        #expect(try scanmill("run", "quick.yaml", "in", "-o", "out", "--no-report").status == 0)
        #expect(try scanmill("status", "out").output == "3 done\n")
    }

    /// Two of one name, and names that no result can have: nothing of them runs, and it is not forgotten.
    @Test func capturesThatAreRefusedAreListed() throws {
        for path in ["one/a", "two/a", "one/.hidden"] {
            try FileManager.default.createDirectory(atPath: "\(folder.path)/one", withIntermediateDirectories: true)
            try FileManager.default.createDirectory(atPath: "\(folder.path)/two", withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: QuickRun.sample, toPath: "\(folder.path)/\(path)")
        }
        #expect(try scanmill("run", "quick.yaml", "one/a", "two/a", "one/.hidden", "-o", "out").status == 1)
        let status = try scanmill("status", "out")
        #expect(
            status.output == """
                failed  .hidden  `.hidden` cannot be a capture's id: it begins with a dot
                failed  a  2 captures are called a
                2 failed

                """)
        func runs() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/out/.scanmill/runs").count
        }
        #expect(try runs() == 1)
        // The next night nothing is new, until a third of the name comes.
        let second = try scanmill("run", "quick.yaml", "one/a", "two/a", "one/.hidden", "-o", "out")
        #expect(second.status == 1 && second.output.contains("failed   a  as before: 2 captures are called a"))
        #expect(second.errors.contains("2 captures failed:") && !second.errors.contains("error:"), "\(second)")
        #expect(try runs() == 1)
        try folder.write("x", to: "three/a/color/0.jpg")
        let third = try scanmill("run", "quick.yaml", "one/a", "two/a", "three/a", "-o", "out")
        #expect(third.status == 1 && third.errors.contains("error: 3 captures are called a"), "\(third)")
        #expect(try runs() == 2)
        // All but one of them are gone, and so is the mistake.
        for path in ["two/a", "three/a", "one/.hidden"] {
            try FileManager.default.removeItem(atPath: "\(folder.path)/\(path)")
        }
        #expect(try scanmill("run", "quick.yaml", "one/a", "-o", "out").status == 0)
        #expect(try scanmill("status", "out").output == "1 done\n")
    }

    /// Where another folder's captures are run.
    @Test func failuresAreKeptFromAnotherFolder() throws {
        try folder.write("{", to: "in/b/desk.json")
        #expect(try scanmill("run", "quick.yaml", "in", "-o", "out").status == 1)
        try FileManager.default.createDirectory(atPath: "\(folder.path)/else", withIntermediateDirectories: false)
        let there = try Scanmill.run(
            ["run", "../quick.yaml", "../in/a", "-o", "../out"], in: folder.path + "/else")
        #expect(there.status == 0)
        #expect(try scanmill("status", "out").output.hasPrefix("failed  b  "))
    }

    /// To whoever needs the result, that is not the same as none.
    @Test func aFailureBesideAnOlderResult() throws {
        #expect(try scanmill("run", "quick.yaml", "in/a", "-o", "out").status == 0)
        for id in ["a", "b"] { try folder.write("{", to: "in/\(id)/desk.json") }
        #expect(try scanmill("run", "quick.yaml", "in", "-o", "out").status == 1)
        let lines = try scanmill("status", "out").output.split(separator: "\n")
        #expect(lines.map { $0.hasSuffix(" (an older result is there)") } == [true, false, false], "\(lines)")
        func expectOneOlderResult() throws {
            let output = try scanmill("status", "out", "--json").output
            let entries = try JSONValue.parse(Array(output.utf8), file: "").array
            #expect(entries?.map { $0["older-result"] } == [.bool(true), .bool(false)])
        }
        try expectOneOlderResult()
        // Nor where the capture is left out for what is wrong with it.
        #expect(try scanmill("run", "quick.yaml", "in", "-o", "out", "--exclude", "a").status == 1)
        #expect(try scanmill("status", "out").output.contains("\nexcluded  a  "))
        try expectOneOlderResult()
    }

    /// A folder that another pipeline has taken over holds results of the earlier one until they are run again.
    @Test func resultsOfAnotherPipelineAreStale() throws {
        #expect(try scanmill("run", "quick.yaml", "in", "-o", "out").status == 0)
        #expect(
            try scanmill("run", "quick.yaml", "in/a", "-o", "out", "--set", "voxel-downsample.size=0.1").status == 0)
        #expect(try scanmill("status", "out").output == "2 done\n")
        try folder.write(QuickRun.cloud.replacing("name: quick", with: "name: other"), to: "other.yaml")
        #expect(try scanmill("run", "other.yaml", "in/a", "-o", "out", "--replace").status == 0)
        let status = try scanmill("status", "out")
        #expect(
            status.output.hasPrefix("stale  b  the pipeline `quick` made it, and the folder is `other`'s now\n"),
            "\(status.output)")
    }

    /// Why the last run did not come to a capture stands in its record.
    @Test func whatARunDidNotComeTo() throws {
        try folder.write("now\n", to: "in/b/notes.txt")
        _ = try runCommand(["find", "in/a", "-exec", "touch", "-d", "2 hours ago", "{}", "+"], in: folder.path)
        #expect(try scanmill("run", "quick.yaml", "in", "-o", "out", "--settle", "30m").status == 0)
        #expect(
            try scanmill("status", "out").output == "never run  b  it was still arriving\n1 done, 1 never run\n")
        #expect(try scanmill("run", "quick.yaml", "in", "-o", "out", "--min-free", "9000T").status == 0)
        #expect(try scanmill("status", "out").output.hasPrefix("never run  b  only "))
        #expect(try scanmill("run", "quick.yaml", "in", "-o", "out").status == 0)
        #expect(try scanmill("status", "out").output == "2 done\n")
    }

    /// A run with other options that did not come to its captures leaves results of the old ones, which look finished.
    @Test func aRunThatWasCutShort() throws {
        // What has stood still is known without a look at its bytes, for which a run would leave a record.
        _ = try runCommand(["sleep", "2.5"], in: folder.path)
        #expect(try scanmill("run", "quick.yaml", "in", "-o", "out").status == 0)
        let coarse = ["run", "quick.yaml", "in", "-o", "out", "--set", "voxel-downsample.size=0.1"]
        #expect(try Scanmill.run(coarse + ["--only", "a"], in: folder.path).status == 0)
        #expect(try Scanmill.run(coarse + ["--min-free", "9000T"], in: folder.path).status == 0)
        let status = try scanmill("status", "out")
        let start = "stale  b  voxel-downsample.size changed from 0.05 to 0.1; the last run left it: only "
        #expect(status.output.hasPrefix(start), "\(status.output)")
        #expect(status.output.hasSuffix("\n1 done, 1 stale\n"), "\(status.output)")
        let report = try report()
        #expect(report["verdict"]?.string == "1 of 2 captures is ready.")
        #expect(report["summary"]?["waiting"]?.integer == 1 && report["summary"]?["older-results"]?.integer == 1)
        let waiting = report["captures"]?.array?.first { $0["id"]?.string == "b" }
        #expect(waiting?["status"]?.string == "waiting")
        #expect(waiting?["waits-for"]?.string?.hasPrefix("voxel-downsample.size changed") == true, "\(report)")
        // With the options of before, that one is what it should be, and the other is not.
        #expect(try scanmill("run", "quick.yaml", "in/b", "-o", "out").output.contains("1 capture: 1 up to date"))
        #expect(try scanmill("status", "out").output == "2 done\n")
        let runs = try names("out/.scanmill/runs")
        #expect(try scanmill("run", "quick.yaml", "in/b", "-o", "out").status == 0)
        #expect(try names("out/.scanmill/runs") == runs)
    }

    /// What the report calls ready, `status` calls done.
    @Test func whatIsStaleIsNotReady() throws {
        #expect(try scanmill("run", "quick.yaml", "in", "-o", "out").status == 0)
        try folder.write(try folder.bytes("in/a/desk.jsonl") + [0x0A], to: "in/a/desk.jsonl")
        #expect(try scanmill("status", "out").output.hasSuffix("1 done, 1 stale\n"))
        let report = try report()
        let states = report["captures"]?.array?.map { $0["status"]?.string }
        #expect(states == ["waiting", "ready"] && report["verdict"]?.string == "1 of 2 captures is ready.")
    }

    /// Two lists of captures, each with one that is left out, are run into one folder in turn.
    @Test func twoRunsThatLeaveOthersOut() throws {
        for name in ["c", "d"] {
            try FileManager.default.createDirectory(at: folder.url("more"), withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: QuickRun.sample, toPath: folder.url("more/\(name)").path)
        }
        // What has stood still is known without a look at its bytes, for which a run would leave a record.
        _ = try runCommand(["sleep", "2.5"], in: folder.path)
        func runBoth() throws -> [String] {
            for (list, bad) in [("in", "b"), ("more", "d")] {
                let run = try scanmill("run", "quick.yaml", list, "-o", "out", "--exclude", bad)
                #expect(run.status == 0, "\(run.errors)")
            }
            return try names("out/.scanmill/runs")
        }
        // The first runs make results, and the second ones are remembered for what they leave out.
        _ = try runBoth()
        let runs = try runBoth()
        #expect(try runBoth() == runs)
        let status = try scanmill("status", "out").output
        #expect(status.contains("excluded  b") && status.hasSuffix("2 done, 2 excluded\n"), "\(status)")
    }

    /// A night in which everything is still being copied is remembered, and once.
    @Test func aRunInWhichAllArrive() throws {
        for name in ["a", "b"] { try folder.write("now\n", to: "in/\(name)/notes.txt") }
        let run = ["run", "quick.yaml", "in", "-o", "out", "--settle", "1h"]
        #expect(try Scanmill.run(run, in: folder.path).status == 0)
        let status = try scanmill("status", "out").output
        #expect(
            status
                == "never run  a  it was still arriving\nnever run  b  it was still arriving\n2 never run\n")
        let report = try report()
        #expect(report["verdict"]?.string == "Neither capture is ready.")
        #expect(report["captures"]?.array?.map { $0["status"]?.string } == ["waiting", "waiting"])
        let runs = try names("out/.scanmill/runs")
        #expect(try Scanmill.run(run, in: folder.path).status == 0)
        #expect(try names("out/.scanmill/runs") == runs && runs.count == 1)
    }

    /// What is archived after the night, captures or results, is not called work to be done.
    @Test func whatWasMovedAway() throws {
        #expect(try scanmill("run", "quick.yaml", "in", "-o", "out").status == 0)
        try FileManager.default.removeItem(atPath: "\(folder.path)/in/a")
        try FileManager.default.removeItem(atPath: "\(folder.path)/out/b")
        #expect(
            try scanmill("status", "out").output
                == "result gone  b\n1 done, 1 result gone; of 1 result the capture is gone\n")
        let entries = try JSONValue.parse(Array(try scanmill("status", "out", "--json").output.utf8), file: "").array
        #expect(entries?.map { $0["status"]?.string } == ["done", "result gone"])
        #expect(entries?.first?["cause"]?.string == "\(folder.path)/in/a is gone")
        // It is made again where it is asked for.
        #expect(try scanmill("run", "quick.yaml", "in", "-o", "out").output.contains("1 capture: 1 done"))
    }

    /// A run with other options did not come to it, and now none can.
    @Test func whatWasLeftAndMovedAway() throws {
        let run = ["run", "quick.yaml", "in/a", "-o", "out", "--no-report"]
        #expect(try Scanmill.run(run, in: folder.path).status == 0)
        let coarse = run + ["--set", "voxel-downsample.size=0.1", "--min-free", "9000T"]
        #expect(try Scanmill.run(coarse, in: folder.path).status == 0)
        try FileManager.default.removeItem(atPath: "\(folder.path)/in/a")
        #expect(try scanmill("status", "out").output == "1 done; of 1 result the capture is gone\n")
        let report = try report()
        #expect(report["captures"]?.array?.map { $0["status"]?.string } == ["ready"], "\(report)")
    }

    /// Relative inputs are those of the run, wherever `status` is asked.
    @Test func fromAnotherFolder() throws {
        #expect(try scanmill("run", "quick.yaml", "in", "-o", "out").status == 0)
        let elsewhere = try TemporaryFolder()
        let status = try Scanmill.run(["status", "\(folder.path)/out"], in: elsewhere.path)
        #expect(status.output == "2 done\n", "\(status.output)")
        try folder.write(try folder.bytes("in/a/desk.jsonl") + [0x0A], to: "in/a/desk.jsonl")
        let stale = try Scanmill.run(["status", "\(folder.path)/out"], in: elsewhere.path)
        #expect(stale.output.hasPrefix("stale  a  "), "\(stale.output)")
        // A run names its files as they are given to it.
        let plan = try scanmill("plan", "quick.yaml", "in", "-o", "out")
        #expect(plan.output.hasPrefix("run        a  in/a/desk.jsonl changed\n"), "\(plan.output)")
        // No machine's path is in what is published.
        let receipt = String(decoding: try folder.bytes("out/a/receipt.json"), as: UTF8.self)
        #expect(!receipt.contains(folder.path))
    }
}
