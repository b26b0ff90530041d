import Foundation
import ScanModel
import ScanPipeline
import TestSupport
import Testing

/// `status`, `verify` and `gc` on results as runs leave them.
@Suite struct StatusCommandTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(QuickRun.cloud, to: "quick.yaml")
        for name in ["a", "b"] {
            try FileManager.default.createDirectory(atPath: "\(folder.path)/in", withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: QuickRun.sample, toPath: "\(folder.path)/in/\(name)")
        }
    }

    private func scanmill(_ arguments: String...) throws -> CommandResult {
        try Scanmill.run(arguments, in: folder.path)
    }

    @Test func everyStandingIsListed() throws {
        try folder.write("{", to: "in/b/desk.json")
        #expect(try scanmill("run", "quick.yaml", "in", "-o", "out").status == 1)
        let status = try scanmill("status", "out")
        #expect(status.output.hasPrefix("failed  b  "))
        #expect(status.output.hasSuffix("1 done, 1 failed\n"))
        try folder.write(try folder.bytes("in/a/desk.jsonl") + [0x0A], to: "in/a/desk.jsonl")
        #expect(try scanmill("status", "out").output.contains("stale  a  "))
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
        let report = try newestReport()
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
        let report = try newestReport()
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
        let report = try newestReport()
        #expect(report["verdict"]?.string == "Neither capture is ready.")
        #expect(report["captures"]?.array?.map { $0["status"]?.string } == ["waiting", "waiting"])
        let runs = try names("out/.scanmill/runs")
        #expect(try Scanmill.run(run, in: folder.path).status == 0)
        #expect(try names("out/.scanmill/runs") == runs && runs.count == 1)
    }

    /// A folder that was made for results is no mistyped one.
    @Test func noCaptureWasRunYet() throws {
        #expect(try scanmill("run", "quick.yaml", "in", "-o", "out", "--format", "polycam").status == 0)
        let report = try scanmill("report", "out")
        #expect(report.status == 2)
        #expect(report.errors.hasPrefix("error: no capture has been run into this folder yet\n  --> out\n"))
        #expect(try scanmill("status", "out").output == "no capture has been run into out\n")
    }

    private func newestReport() throws -> JSONValue {
        let page = try scanmill("report", "out").output.dropLast()
        return try StateJSON.read("\(folder.path)/\(page.dropLast("html".count))json")
    }

    /// Sorted.
    private func names(_ path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/\(path)").sorted()
    }

    /// To whoever needs the result, that is not the same as none.
    @Test func aFailureBesideAnOlderResult() throws {
        #expect(try scanmill("run", "quick.yaml", "in/a", "-o", "out").status == 0)
        for id in ["a", "b"] { try folder.write("{", to: "in/\(id)/desk.json") }
        #expect(try scanmill("run", "quick.yaml", "in", "-o", "out").status == 1)
        let lines = try scanmill("status", "out").output.split(separator: "\n")
        #expect(lines.map { $0.hasSuffix(" (an older result is there)") } == [true, false, false], "\(lines)")
        let entries = try JSONValue.parse(Array(try scanmill("status", "out", "--json").output.utf8), file: "").array
        #expect(entries?.map { $0["older-result"] } == [.bool(true), .bool(false)])
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
        let report = try newestReport()
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

    /// A mistyped path must not pass for a folder in which all is well.
    @Test(arguments: ["status", "verify", "gc", "report"]) func aFolderThatIsNotThere(_ command: String) throws {
        let result = try scanmill(command, "nosuch")
        #expect(result.status == 2)
        #expect(result.errors.contains("nosuch"), "\(result.errors)")
        try folder.write("", to: "file")
        #expect(try scanmill(command, "file").status == 2)
        let other = try scanmill(command, "in")
        #expect(other.status == 2)
        #expect(other.errors.contains("nothing has been run into this folder"), "\(other.errors)")
    }

    @Test func resultsThatWereCopiedElsewhereAreRead() throws {
        #expect(try scanmill("run", "quick.yaml", "in", "-o", "out").status == 0)
        try FileManager.default.createDirectory(atPath: "\(folder.path)/copy", withIntermediateDirectories: true)
        try FileManager.default.moveItem(atPath: "\(folder.path)/out/a", toPath: "\(folder.path)/copy/a")
        #expect(try scanmill("verify", "copy").output == "1 result: 1 sound, 0 damaged\n")
        #expect(try scanmill("status", "copy").output == "1 done\n")
    }

    @Test func verifyFindsAFlippedByteAMissingFileAndAStranger() throws {
        #expect(try scanmill("run", "quick.yaml", "in", "-o", "out").status == 0)
        #expect(try scanmill("verify", "out").output == "2 results: 2 sound, 0 damaged\n")

        var ply = try folder.bytes("out/a/a.ply")
        ply[ply.count / 2] ^= 1
        try folder.write(ply, to: "out/a/a.ply")
        let flipped = try scanmill("verify", "out")
        #expect(flipped.status == 3)
        #expect(
            flipped.errors.contains(
                "error: a file of the result holds other bytes than were written\n  --> out/a/a.ply\n"))

        try FileManager.default.removeItem(atPath: "\(folder.path)/out/a/a.ply")
        #expect(try scanmill("verify", "out").errors.contains("a file of the result is missing"))
        try folder.write("?", to: "out/b/notes.txt")
        let both = try scanmill("verify", "out")
        #expect(both.errors.contains("that its receipt does not list"))
        #expect(both.output == "2 results: 0 sound, 2 damaged\n")
    }

    /// A folder without a receipt is nobody's, unless a run remembers it.
    @Test func verifyFindsAResultWithoutItsReceipt() throws {
        #expect(try scanmill("run", "quick.yaml", "in", "-o", "out").status == 0)
        try FileManager.default.removeItem(atPath: "\(folder.path)/out/a/receipt.json")
        try folder.write("mine", to: "out/notes/today.txt")
        let damaged = try scanmill("verify", "out")
        #expect(damaged.status == 3 && damaged.output == "2 results: 1 sound, 1 damaged\n", "\(damaged)")
        let lost = "error: the result that stands here has lost its receipt.json, and is left alone\n  --> out/a\n"
        #expect(damaged.errors.hasPrefix(lost))
        // Who removes a result as a whole does not want it.
        try FileManager.default.removeItem(atPath: "\(folder.path)/out/a")
        #expect(try scanmill("verify", "out").output == "1 result: 1 sound, 0 damaged\n")
    }

    /// Without it, nothing tells what the result should hold.
    @Test func verifyFindsAReceiptThatCannotBeRead() throws {
        #expect(try scanmill("run", "quick.yaml", "in", "-o", "out").status == 0)
        try folder.write("{", to: "out/a/receipt.json")
        let damaged = try scanmill("verify", "out")
        #expect(damaged.status == 3 && damaged.output == "2 results: 1 sound, 1 damaged\n", "\(damaged)")
        let message = """
            error: the receipt cannot be read
              --> out/a/receipt.json
               = fix: let the user who runs scanmill read it; if it is damaged, run the capture again

            """
        #expect(damaged.errors == message)
        let json = try scanmill("verify", "out", "--json")
        #expect(json.status == 3 && json.errors == "", "\(json)")
        let entries = try JSONValue.parse(Array(json.output.utf8), file: "").array ?? []
        #expect(entries.map { $0["id"]?.string } == ["a", "b"])
        #expect(entries.map { $0["sound"] } == [.bool(false), .bool(true)])
        let problems = entries.map { ($0["problems"]?.array ?? []).compactMap(\.string) }
        #expect(problems == [["the receipt cannot be read (out/a/receipt.json)"], []])
        // As it says.
        #expect(try scanmill("run", "quick.yaml", "in", "-o", "out").output.contains("1 done, 1 up to date"))
        #expect(try scanmill("verify", "out").status == 0)
    }

    /// It is nobody's to remove but its owner's.
    @Test func aFolderInTheReceiptsPlace() throws {
        #expect(try scanmill("run", "quick.yaml", "in", "-o", "out").status == 0)
        try FileManager.default.removeItem(atPath: "\(folder.path)/out/a/receipt.json")
        try folder.write("mine", to: "out/a/receipt.json/notes.txt")
        let what = "this is no receipt of a result, which is left alone"
        let fix = "put the receipt back, or remove the folder: the next run makes it again"
        let verified = try scanmill("verify", "out")
        #expect(verified.status == 3 && verified.output == "2 results: 1 sound, 1 damaged\n", "\(verified)")
        #expect(verified.errors == "error: \(what)\n  --> out/a/receipt.json\n   = fix: \(fix)\n")
        #expect(try scanmill("status", "out").output == "result gone  a  \(what)\n1 done, 1 result gone\n")
        let refused = try scanmill("run", "quick.yaml", "in", "-o", "out", "--no-report")
        #expect(refused.status == 3 && refused.output.contains("failed   a  \(what)\n"), "\(refused)")
        #expect(try folder.bytes("out/a/receipt.json/notes.txt") == Array("mine".utf8))
        // As it says.
        try FileManager.default.removeItem(atPath: "\(folder.path)/out/a")
        let again = try scanmill("run", "quick.yaml", "in", "-o", "out", "--no-report")
        #expect(again.status == 0 && again.output.contains("1 done, 1 up to date"), "\(again)")
    }

    @Test func aDamagedResultIsMadeAgain() throws {
        #expect(try scanmill("run", "quick.yaml", "in", "-o", "out").status == 0)
        let good = try folder.bytes("out/a/a.ply")
        try FileManager.default.removeItem(atPath: "\(folder.path)/out/a/a.ply")
        let again = try scanmill("run", "quick.yaml", "in", "-o", "out")
        #expect(again.output.contains("2 captures: 1 done, 1 up to date"))
        #expect(try folder.bytes("out/a/a.ply") == good)
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

    /// A colleague asks, and the night ran under a umask that shuts others out: that is not the same as nothing.
    @Test(arguments: ["status", "verify", "gc", "report"]) func resultsThatMayNotBeRead(_ command: String) throws {
        let run = try runCommand(
            ["sh", "-c", "umask 077 && exec \"$0\" run quick.yaml in -o out", Scanmill.path], in: folder.path)
        #expect(run.status == 0, "\(run.errors)")
        #expect(chmod(folder.path, 0o755) == 0)
        let what = "results that may not be read"
        guard let tool = try Scanmill.commandOfNobody(in: folder.path, for: what, isAnother: true) else { return }
        for (mode, shut) in [(mode_t(0o700), "out"), (0o755, "out/.scanmill")] {
            #expect(chmod("\(folder.path)/out", mode) == 0)
            let result = try runCommand(tool + [command, "out"], in: folder.path)
            #expect(result.status == 3)
            // A report learns of it where it would be written.
            let isReport = command == "report" && shut == "out/.scanmill"
            let expected =
                "error: cannot \(isReport ? "make" : "list") the folder: Permission denied\n"
                + "  --> \(folder.path)/\(shut)\(isReport ? "/runs/" : "\n")"
            #expect(result.errors.hasPrefix(expected), "\(result.errors)")
        }
    }

    /// As a colleague, to whom that is not the same as a folder without the result.
    @Test func aResultThatMayNotBeLookedInto() throws {
        #expect(try scanmill("run", "quick.yaml", "in", "-o", "out").status == 0)
        // What the root of a disk holds is no result.
        try folder.write("", to: "out/lost+found/x")
        #expect(chmod(folder.path, 0o755) == 0 && chmod("\(folder.path)/out/lost+found", 0) == 0)
        defer { for name in ["a", "b", "lost+found"] { chmod("\(folder.path)/out/\(name)", 0o755) } }
        let what = "a result that may not be looked into"
        guard let tool = try Scanmill.commandOfNobody(in: folder.path, for: what) else { return }
        #expect(try runCommand(tool + ["verify", "out"], in: folder.path).output == "2 results: 2 sound, 0 damaged\n")

        #expect(chmod("\(folder.path)/out/a", 0) == 0)
        let cause = "cannot tell whether a result stands here: Permission denied"
        let verify = try runCommand(tool + ["verify", "out"], in: folder.path)
        #expect(verify.status == 3)
        #expect(verify.output == "1 result: 1 sound, 0 damaged; 1 folder could not be looked into\n")
        #expect(verify.errors.hasPrefix("error: \(cause)\n  --> \(folder.path)/out/a\n"), "\(verify.errors)")
        let json = try runCommand(tool + ["verify", "out", "--json"], in: folder.path)
        let entries = try JSONValue.parse(Array(json.output.utf8), file: "").array
        #expect(json.status == 3 && entries?.map { $0["sound"] } == [.bool(true), .bool(false)])
        let status = try runCommand(tool + ["status", "out"], in: folder.path)
        #expect(status.status == 0 && status.output == "unreadable  a  \(cause)\n1 done, 1 unreadable\n", "\(status)")
        let plan = try runCommand(tool + ["plan", "quick.yaml", "in", "-o", "out"], in: folder.path)
        #expect(plan.output.contains("cannot run a  \(cause)\n"), "\(plan)")

        // Where nothing else tells that there are results at all.
        #expect(chmod("\(folder.path)/out/b", 0) == 0)
        for name in ["runs", "inputs"] {
            try FileManager.default.removeItem(atPath: "\(folder.path)/out/.scanmill/\(name)")
        }
        let unknown = try runCommand(tool + ["status", "out"], in: folder.path)
        #expect(unknown.status == 0 && unknown.output.hasSuffix("\n2 unreadable\n"), "\(unknown)")
        try FileManager.default.removeItem(atPath: "\(folder.path)/out/.scanmill")
        for command in ["status", "verify"] {
            let result = try runCommand(tool + [command, "out"], in: folder.path)
            #expect(result.status == 3)
            #expect(result.errors.contains("   = nothing else in out is a result\n"), "\(result.errors)")
        }
    }

    /// To its own user, too: only the receipt tells whose result this is, so that a run makes it again.
    @Test func aReceiptThatMayNotBeRead() throws {
        for path in ["", "in", "in/a", "in/b"] { #expect(chmod("\(folder.path)/\(path)", 0o777) == 0) }
        _ = try runCommand(["find", "in", "-exec", "touch", "-d", "2 hours ago", "{}", "+"], in: folder.path)
        let what = "a receipt that may not be read"
        guard let tool = try Scanmill.commandOfNobody(in: folder.path, for: what) else { return }
        let run = tool + ["run", "quick.yaml", "in/a", "-o", "out", "--no-report"]
        #expect(try runCommand(run, in: folder.path).output.contains("1 done"))
        #expect(try runCommand(run, in: folder.path).output.contains("1 up to date"))
        #expect(chmod("\(folder.path)/out/a/receipt.json", 0) == 0)
        let status = try runCommand(tool + ["status", "out"], in: folder.path).output
        let cause = "receipt.json of the result cannot be read: Permission denied"
        #expect(status.hasPrefix("unreadable  a  "), "\(status)")
        let plan = try runCommand(tool + ["plan", "quick.yaml", "in/a", "-o", "out"], in: folder.path).output
        #expect(plan.hasPrefix("run        a  \(cause)\n"), "\(plan)")
        #expect(try runCommand(run, in: folder.path).output.contains("1 done"))
        #expect(try runCommand(tool + ["status", "out"], in: folder.path).output == "1 done\n")
    }

    /// They are neither gone nor done, whatever is known of them.
    @Test func resultsThatMayNotBeEntered() throws {
        #expect(try scanmill("run", "quick.yaml", "in", "-o", "out").status == 0)
        #expect(chmod(folder.path, 0o755) == 0)
        let what = "results that may not be entered"
        guard let tool = try Scanmill.commandOfNobody(in: folder.path, for: what, isAnother: true) else { return }
        #expect(chmod("\(folder.path)/out/a", 0o700) == 0 && chmod("\(folder.path)/out/b/receipt.json", 0o600) == 0)
        for gone in [nil, "out/.scanmill/inputs", "out/.scanmill/runs"] {
            if let gone { try FileManager.default.removeItem(atPath: "\(folder.path)/\(gone)") }
            let status = try runCommand(tool + ["status", "out"], in: folder.path)
            let lines = status.output.split(separator: "\n")
            #expect(status.status == 0 && lines.count == 3, "\(status)")
            #expect(lines.first?.hasPrefix("unreadable  a  ") == true, "\(lines)")
            #expect(lines.dropLast().allSatisfy { $0.hasSuffix(": Permission denied") }, "\(lines)")
            #expect(lines.last == "2 unreadable")
        }
        let json = try runCommand(tool + ["status", "out", "--json"], in: folder.path).output
        let entries = try JSONValue.parse(Array(json.utf8), file: "").array
        #expect(entries?.map { $0["status"]?.string } == ["unreadable", "unreadable"])
        // Their owner sees them as they are.
        #expect(try scanmill("status", "out").output == "2 done\n")
    }

    /// As a user who may not remove it.
    @Test func whatCannotBeCollectedIsSaid() throws {
        #expect(try scanmill("run", "quick.yaml", "in", "-o", "out").status == 0)
        try folder.write("old", to: "out/.scanmill/trash/old/f")
        for path in ["", "out/.scanmill/locks"] { #expect(chmod("\(folder.path)/\(path)", 0o777) == 0) }
        for path in ["trash", "trash/old"] { #expect(chmod("\(folder.path)/out/.scanmill/\(path)", 0o555) == 0) }
        defer {
            for path in ["trash", "trash/old"] { chmod("\(folder.path)/out/.scanmill/\(path)", 0o755) }
        }
        let what = "leftovers that may not be removed"
        guard let tool = try Scanmill.commandOfNobody(in: folder.path, for: what) else { return }
        let result = try runCommand(tool + ["gc", "out"], in: folder.path)
        #expect(result.status == 3)
        #expect(result.output == "0 leftovers removed\n")
        #expect(
            result.errors.hasPrefix(
                "error: 1 leftover could not be removed, such as this one\n  --> out/.scanmill/trash/old\n"),
            "\(result.errors)")
    }

    /// What cannot be looked into is not empty.
    @Test(arguments: ["work", "trash"]) func leftoversThatCannotBeListed(_ part: String) throws {
        #expect(try scanmill("run", "quick.yaml", "in", "-o", "out").status == 0)
        let path = "out/.scanmill/\(part)"
        try folder.write("old", to: "\(path)/old/f")
        #expect(chmod(folder.path, 0o755) == 0 && chmod("\(folder.path)/\(path)", 0) == 0)
        defer { chmod("\(folder.path)/\(path)", 0o755) }
        let what = "leftovers that may not be listed"
        guard let tool = try Scanmill.commandOfNobody(in: folder.path, for: what) else { return }
        for more in [[], ["--dry-run"]] {
            let result = try runCommand(tool + ["gc", "out"] + more, in: folder.path)
            #expect(result.status == 3 && result.output == "", "\(result)")
            let refusal = "error: cannot list the folder: Permission denied\n  --> \(folder.path)/\(path)\n"
            #expect(result.errors.hasPrefix(refusal), "\(result)")
        }
    }

    @Test func leftoversAreCollected() throws {
        #expect(try scanmill("run", "quick.yaml", "in", "-o", "out").status == 0)
        try folder.write("half", to: "out/.scanmill/work/a.\(StateFolder.host).1.xyz/a.ply")
        try folder.write("old", to: "out/.scanmill/trash/b/b.ply")
        try folder.write("older", to: "out/.scanmill/trash/c.x/receipt.json")
        let (host, base) = (StateFolder.host, "out/.scanmill")
        func named(_ removed: String, _ putBack: String) -> String {
            "\(removed)  \(base)/work/a.\(host).1.xyz\n\(removed)  \(base)/trash/b\n\(putBack)  \(base)/trash/c.x\n"
        }
        let would = named("would remove", "would put back")
        let foreseen = try scanmill("gc", "out", "--dry-run")
        #expect(foreseen.status == 0)
        #expect(
            foreseen.output == would + "2 leftovers would be removed, 1 older result would be put back\n", "\(foreseen)"
        )
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/out/.scanmill/trash").count == 2)
        let done = named("removed", "put back")
        #expect(try scanmill("gc", "out").output == done + "2 leftovers removed, 1 older result put back\n")
        #expect(FileManager.default.fileExists(atPath: "\(folder.path)/out/c/receipt.json"))
        try FileManager.default.removeItem(atPath: "\(folder.path)/out/c")
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/out/.scanmill/work") == [])
        #expect(try scanmill("verify", "out").status == 0)
        // A file stands where the older result would be put back.
        try folder.write("old", to: "\(base)/trash/d.x/d.ply")
        try folder.write("mine", to: "out/d")
        let stuck = try scanmill("gc", "out", "--dry-run")
        #expect(stuck.status == 3 && stuck.output == "0 leftovers would be removed\n", "\(stuck)")
        #expect(stuck.errors.hasPrefix("error: 1 leftover would stay, such as this one\n"), "\(stuck.errors)")
        // What others keep where a link leads stays.
        try folder.write("mine", to: "kept/b.ply")
        FileSystem.removeTree("\(folder.path)/\(base)/trash")
        #expect(symlink("../../kept", "\(folder.path)/\(base)/trash") == 0)
        let linked = try scanmill("gc", "out")
        #expect(linked.output == "0 leftovers removed\n")
        #expect(linked.errors == "warning: \(base)/trash is a link: nothing behind it is removed\n")
        #expect(FileSystem.names(in: "\(folder.path)/kept") == ["b.ply"])
    }
}
