import Foundation
import ScanFormats
import TestSupport
import Testing

/// Runs that the machine keeps from beginning: somebody waits for the word of each night.
@Suite struct RunUnbegunTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try MiniCapture().write(in: folder)
        try folder.write("", to: "file")
    }

    private func run(_ arguments: [String]) throws -> CommandResult {
        try folder.run(
            "read, decompress", arguments + ["--on-finish", "echo \"$SCANMILL_OUT ended with $SCANMILL_STATUS\""])
    }

    private func text(_ path: String) throws -> String {
        String(decoding: try folder.bytes(path), as: UTF8.self).withoutOwner
    }

    @Test func aFolderThatCannotBeMade() throws {
        let run = try run(["mini", "-o", "file/out", "--metrics", "figures", "--log", "log"])
        #expect(run.status == 3)
        #expect(run.errors.contains("a file stands in its way"), "\(run.errors)")
        #expect(run.errors.hasSuffix("file/out ended with 3\n"), "\(run.errors)")
        let whole = String(decoding: try folder.bytes("figures"), as: UTF8.self)
        #expect(whole.contains("scanmill_run_status{pipeline=\"trouble\",output=\"\(folder.path)/file/out\"} 3.0\n"))
        let figures = whole.withoutOwner
        #expect(figures.contains("scanmill_run_status 3.0\n"))
        #expect(figures.contains("scanmill_captures{ended=\"done\"} 0\n"))
        let events = try text("log").split(separator: "\n")
        #expect(events.count == 2)
        #expect(events.first?.contains(#""event":"run-began""#) == true)
        #expect(events.last?.contains(#""event":"run-ended","status":3"#) == true)
    }

    /// `.scanmill` may be written, and every capture would be processed before it turned out that none can be published.
    @Test func aFolderIntoWhichNoResultCanBeMoved() throws {
        #expect(try folder.run("read, decompress").status == 0)
        try runCommand(["chmod", "-R", "a+rwX", "out/.scanmill"], in: folder.path).require(0)
        #expect(chmod(folder.path, 0o755) == 0 && chmod("\(folder.path)/out", 0o555) == 0)
        defer { chmod("\(folder.path)/out", 0o755) }
        let what = "a folder into which no result can be moved"
        guard let tool = try Scanmill.commandOfNobody(in: folder.path, for: what) else { return }
        let rest = ["trouble.yaml", "mini", "-o", "out"]
        let refused = try runCommand(tool + ["run"] + rest + ["--force"], in: folder.path)
        #expect(refused.status == 3 && refused.output.isEmpty, "\(refused)")
        let cause = "cannot write into the folder: Permission denied"
        #expect(refused.errors.contains("error: \(cause)\n  --> \(folder.path)/out\n"), "\(refused.errors)")
        let plan = try runCommand(tool + ["plan"] + rest + ["--force"], in: folder.path)
        #expect(plan.errors.contains("warning: `run` would refuse this folder: \(cause)"), "\(plan)")
        // With nothing to do, nothing has to be written.
        let idle = try runCommand(tool + ["run"] + rest + ["--no-report"], in: folder.path)
        #expect(idle.status == 0 && idle.output.contains("1 up to date"), "\(idle)")
    }

    @Test func aLogThatCannotBeOpened() throws {
        let run = try run(["mini", "-o", "out", "--log", "nosuch/log"])
        #expect(run.status == 3)
        #expect(run.errors.contains("cannot open the log"))
        #expect(run.errors.components(separatedBy: "cannot open the log").count == 2, "it is said once")
        #expect(run.errors.hasSuffix("out ended with 3\n"), "\(run.errors)")
    }

    /// It may lie on a disk that is away, or another user may have written it.
    @Test func aPipelineThatCannotBeRead() throws {
        try folder.write("stages: [read, decompress]\n", to: "closed.yaml")
        // The figures are written here.
        #expect(chmod(folder.path, 0o777) == 0 && chmod("\(folder.path)/closed.yaml", 0o000) == 0)
        let what = "a run whose pipeline may not be read"
        guard let tool = try Scanmill.commandOfNobody(in: folder.path, for: what) else { return }
        let rest = ["closed.yaml", "mini", "-o", "out", "--metrics", "figures"]
        let hook = ["--on-finish", "echo \"ended with $SCANMILL_STATUS\""]
        let run = try runCommand(tool + ["run"] + rest + hook, in: folder.path)
        let said = """
            closed.yaml: error: cannot read the file: Permission denied
              fix: check the owner and the permissions of the file and of its folders
            nothing was run
            ended with 3

            """
        #expect(run.status == 3 && run.errors == said, "\(run)")
        // The pipeline's name is not known.
        let figures = String(decoding: try folder.bytes("figures"), as: UTF8.self)
        #expect(figures.contains("scanmill_run_status{output=\"\(folder.path)/out\"} 3.0\n"), "\(figures)")
        #expect(try runCommand(tool + ["plan"] + rest.prefix(4), in: folder.path).status == 3)
    }

    /// Who typed it reads the message.
    @Test func mistakesOfUsageTellNobody() throws {
        let run = try run(["nosuch", "-o", "out", "--metrics", "figures", "--log", "log"])
        #expect(run.status == 2)
        #expect(!run.errors.contains("ended with"))
        #expect(throws: (any Error).self) { try folder.bytes("figures") }
        #expect(throws: (any Error).self) { try folder.bytes("log") }
    }

    @Test func howTheLastRunEnded() throws {
        #expect(try run(["mini", "-o", "out", "--metrics", "figures"]).status == 0)
        #expect(try text("figures").contains("scanmill_run_status 0.0\n"))
        try folder.write("{", to: "mini/recorded.json")
        #expect(try run(["mini", "-o", "out", "--metrics", "figures"]).status == 1)
        #expect(try text("figures").contains("scanmill_run_status 1.0\n"))
    }
}
