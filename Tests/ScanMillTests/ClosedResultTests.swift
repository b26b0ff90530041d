import Foundation
import ScanModel
import TestSupport
import Testing

/// Commands about results that are not there, or that whoever asks may not read.
@Suite struct ClosedResultTests: StandingSuite {
    let folder: TemporaryFolder

    init() throws { folder = try Self.captures() }

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
        let cause = "cannot tell whether there is a result here: Permission denied"
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
}
