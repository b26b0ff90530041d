import Foundation
import TestSupport
import Testing

/// Calls of the system that fail while a run publishes its results, or that take their time.
@Suite struct RunSystemCallTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Runs a pipeline, one of whose system calls takes as long as strace is told.
    private func run(
        _ stages: String, delaying call: String, _ delay: String, patience: String
    ) throws -> CommandResult {
        try MiniCapture().write(in: folder)
        try folder.write("name: t\nstages: [\(stages)]\n", to: "t.yaml")
        return try runCommand(
            [
                "strace", "-f", "-o", "/dev/null", "-e", "trace=\(call)", "-e", "inject=\(call):\(delay)",
                Scanmill.path, "run", "t.yaml", "mini", "-o", "out", "--patience", patience, "--no-report",
            ], in: folder.path)
    }

    /// The capture is done, and its process takes too long to end.
    @Test func whatWasSaidCountsWhateverComesAfterwards() throws {
        guard Strace.isThere else { return }
        let late = try run("read, decompress", delaying: "exit_group", "delay_enter=5000000", patience: "2s")
        #expect(late.status == 0, "\(late.errors)")
        #expect(late.output.contains("1 capture: 1 done"))
    }

    /// A disk may first have to write what other programs have left to it.
    @Test func waitingForTheDiskIsNoStandstill() throws {
        guard Strace.isThere else { return }
        let slow = try run(
            "read, decompress, unproject, write-ply", delaying: "fsync", "delay_enter=6000000:when=1", patience: "3s")
        #expect(slow.status == 0, "\(slow.errors)")
        #expect(slow.output.contains("1 capture: 1 done"), "\(slow.output)")
    }

    /// libdispatch would set its threads to 0 again, and tell the journal of each that it may not.
    @Test func nobodyUndoesNice() throws {
        guard Strace.isThere else { return }
        try MiniCapture().write(in: folder)
        try folder.write("name: t\nstages: [read, decompress, unproject, write-ply]\n", to: "t.yaml")
        let words = [
            "nice", "-n", "5", Scanmill.path, "run", "t.yaml", "mini", "-o", "out", "--jobs", "2", "--no-report",
        ]
        let traced = ["strace", "-f", "-o", "calls", "-e", "trace=setpriority,execve"] + words
        let result = try runCommand(traced, in: folder.path)
        #expect(result.status == 0, "\(result.errors)")
        let calls = String(decoding: try folder.bytes("calls"), as: UTF8.self)
        let set = calls.split(separator: "\n").filter {
            $0.contains("setpriority(") && !$0.contains("setpriority(PRIO_PROCESS, 0, 5)")
        }
        #expect(calls.contains("execve(") && set == [])
    }

    /// A disk of FAT knows where a renamed folder lies only once that is written itself, and the one that it replaces, too;
    /// and the end of a new folder only once its parent is.
    @Test func foldersAreWrittenInTheOrderThatFATNeeds() throws {
        guard Strace.isThere else { return }
        try MiniCapture().write(in: folder)
        try folder.write("name: t\nstages: [read, decompress, unproject, write-ply]\n", to: "t.yaml")
        let run = [Scanmill.path, "run", "t.yaml", "mini", "-o", "out", "--no-report"]
        #expect(try runCommand(run, in: folder.path).status == 0)
        let traced = ["strace", "-f", "-y", "-o", "calls", "-e", "trace=fsync,rename,renameat2"]
        let again = try runCommand(traced + run + ["--force"], in: folder.path)
        #expect(again.status == 0, "\(again.errors)")
        let calls = String(decoding: try folder.bytes("calls"), as: UTF8.self).split(separator: "\n")
        let exchange = try #require(calls.firstIndex { $0.contains("RENAME_EXCHANGE") })
        func synced(_ calls: ArraySlice<Substring>) -> [String] {
            calls.filter { $0.contains("fsync(") }.compactMap { call in
                let path = call.split(separator: "<").last?.split(separator: ">").first
                return path?.split(separator: "/out").last.map(String.init)
            }
        }
        let work = "/.scanmill/work"
        #expect(synced(calls[..<exchange]).last == work)
        let after = synced(calls[exchange...])
        #expect(after.first == "/mini")
        #expect(after.dropFirst().first?.hasPrefix("\(work)/") == true)
        #expect(after.last == work, "\(after)")
    }

    /// What cannot be listed or looked at may be anybody's, and is no empty place for a result.
    @Test(arguments: [
        ("getdents64", "cannot list the folder"), ("lstat,newfstatat,statx,stat", "cannot look at this path"),
    ])
    func whatCannotBeLookedAtIsLeftAlone(calls: String, complaint: String) throws {
        guard Strace.isThere else { return }
        try MiniCapture().write(in: folder)
        try folder.write("years of work", to: "out/mini/thesis.txt")
        try folder.write("name: t\nstages: [read, decompress, unproject, write-ply]\n", to: "t.yaml")
        let known = try runCommand(["strace", "-e", "trace=" + calls, "true"], in: folder.path).status == 0
        let names = known ? calls : "newfstatat,statx"
        let result = try runCommand(
            [
                "strace", "-f", "-o", "calls", "-P", "\(folder.path)/out/mini", "-e", "trace=\(names)", "-e",
                "inject=\(names):error=EIO", Scanmill.path, "run", "t.yaml", "mini", "-o", "out", "--no-report",
            ], in: folder.path)
        #expect(String(decoding: try folder.bytes("calls"), as: UTF8.self).contains("(INJECTED)"))
        #expect(result.status == 3, "\(result.output)")
        #expect(result.errors.contains("error: \(complaint): Input/output error\n  --> "), "\(result.errors)")
        #expect(result.errors.contains("/out/mini\n"), "\(result.errors)")
        #expect(try folder.bytes("out/mini/thesis.txt") == Array("years of work".utf8))
    }

    /// A backup that links all files at night changes nothing of their bytes.
    @Test func rightsThatChangeWhileFilesAreCopied() throws {
        guard Strace.isThere else { return }
        try MiniCapture(frameCount: 12).write(in: folder)
        try folder.write("name: t\nstages: [read, {write-staging: {depth: source}}]\n", to: "t.yaml")
        // Digests are known of what has stood still for two seconds.
        let old = try runCommand(
            ["sh", "-c", "find mini -exec touch -d '1 hour ago' {} + && sleep 2.5"], in: folder.path)
        #expect(old.status == 0)
        let faults = [
            "strace", "-f", "-o", "calls", "-e", "trace=copy_file_range", "-e",
            "inject=copy_file_range:delay_exit=300000", Scanmill.path,
        ]
        let script = """
            "$@" & run=$!
            i=0
            while kill -0 $run 2> /dev/null; do chmod $((600 + i % 2 * 44)) mini/color/*; i=$((i + 1)); sleep 0.1; done
            wait $run
            """
        let result = try runCommand(
            ["bash", "-c", script, "bash"] + faults
                + ["run", "t.yaml", "mini", "-o", "out", "--no-report", "--jobs", "1"], in: folder.path)
        #expect(result.status == 0 && result.output.hasPrefix("done     mini  12 frames, "), "\(result)")
        let calls = String(decoding: try folder.bytes("calls"), as: UTF8.self)
        if !calls.contains("copy_file_range(") {
            print("SKIPPED: copies that the kernel makes, which it does not here")
        }
    }

    /// A share that went away while the run ended says nothing of what became of the results.
    @Test func digestsOutliveAFolderThatCannotBeListed() throws {
        guard Strace.isThere else { return }
        try MiniCapture().write(in: folder)
        #expect(try folder.run("read, decompress, unproject, write-ply").status == 0)
        let faults = [
            "strace", "-f", "-o", "/dev/null", "-P", "\(folder.path)/out", "-e", "trace=getdents64", "-e",
            "inject=getdents64:error=ESTALE", Scanmill.path,
        ]
        _ = try runCommand(
            faults + ["run", "trouble.yaml", "mini", "-o", "out", "--force", "--no-report"], in: folder.path)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/out/.scanmill/inputs") == ["mini.json"])
        let verify = try runCommand(faults + ["verify", "out"], in: folder.path)
        #expect(verify.status == 3 && verify.errors.hasPrefix("error: cannot list the folder: "), "\(verify.errors)")
    }

    /// sshfs can neither swap two names, nor does it say what keeps it from renaming.
    @Test func anOlderResultIsReplacedWhereItsNameCannotBeTaken() throws {
        guard Strace.isThere else { return }
        try MiniCapture().write(in: folder)
        #expect(try folder.run("read, decompress, unproject, write-ply").status == 0)
        func calls(_ faults: [String]) throws -> [Substring] {
            let options = ["-f", "-o", "calls", "-e", "trace=rename,renameat2"] + faults
            let run = [
                Scanmill.path, "run", "trouble.yaml", "mini", "-o", "out", "--force", "--jobs", "1", "--no-report",
            ]
            // The run's own process may meet the fault too, in its records: what is published decides.
            _ = try runCommand(["strace"] + options + run, in: folder.path)
            return String(decoding: try folder.bytes("calls"), as: UTF8.self).split(separator: "\n")
        }
        // How many names a thread has given when the result's is in turn.
        let usual = try calls([])
        let inTheWay = try #require(usual.firstIndex { $0.contains("/out/mini\") = -1 ENOTEMPTY") })
        let thread = usual[inTheWay].prefix { $0 != " " }
        let turn = usual[...inTheWay].count { $0.hasPrefix("\(thread) ") && $0.contains(" rename(") }
        let before = try runCommand(["ls", "-di", "out/mini"], in: folder.path).output
        let refused = try calls(
            ["-e", "inject=renameat2:error=EINVAL", "-e", "inject=rename:error=EPERM:when=\(turn)"])
        #expect(refused.contains { $0.contains("/out/mini\") = -1 EPERM") }, "\(refused)")
        #expect(try runCommand(["ls", "-di", "out/mini"], in: folder.path).output != before)
        #expect(try Scanmill.run(["verify", "out"], in: folder.path).status == 0)
    }

    /// As on network filesystems, which cannot swap two names: killed between the renames.
    @Test func anOlderResultThatWasMovedAwayIsPutBack() throws {
        guard Strace.isThere else { return }
        try MiniCapture().write(in: folder)
        let cloud = "read, decompress, unproject, write-ply"
        #expect(try folder.run(cloud).status == 0)
        let before = try runCommand(["ls", "-di", "out/mini"], in: folder.path).output
        // The work folder's name ends with the process that fills it, and a random word.
        let killBetween = """
            "$@" &
            for i in $(seq 600); do [ -e out/mini ] || break; sleep 0.05; done
            kill -9 $(ls out/.scanmill/work | awk -F. '{print $(NF - 1)}')
            wait $!
            """
        let faults = ["-P", "\(folder.path)/out/mini", "-e", "inject=renameat2:error=EINVAL"]
        let killed = try runCommand(
            ["bash", "-c", killBetween, "bash", "strace", "-f", "-o", "/dev/null", "-e", "trace=rename,renameat2"]
                + faults + [
                    "-e", "inject=rename:delay_exit=5000000", Scanmill.path, "run", "trouble.yaml", "mini", "-o",
                    "out", "--force", "--jobs", "1", "--no-report",
                ], in: folder.path)
        let last = "nothing was published for mini; the last good result is unchanged"
        let reached = "the capture's process was killed\n  --> mini\n   = it had done 7 of 7 frames of the pass "
        #expect(killed.errors.contains(reached), "\(killed.errors)")
        #expect(killed.errors.contains("\n   = \(last)\n"), "\(killed.errors)")
        #expect(try runCommand(["ls", "-di", "out/mini"], in: folder.path).output == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/out/.scanmill/trash") == [])
        #expect(try Scanmill.run(["verify", "out"], in: folder.path).status == 0)
    }
}
