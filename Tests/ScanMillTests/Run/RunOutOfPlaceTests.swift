import Foundation
import ScanFormats
import ScanModel
import ScanPipeline
import TestSupport
import Testing

/// Commands whose folders are not what their user thinks.
@Suite struct RunOutOfPlaceTests {
    private let folder: TemporaryFolder

    /// A capture `caps/a` and its result in `out`.
    init() throws {
        folder = try TemporaryFolder()
        try folder.write(
            "name: cloud\nstages:\n  - read\n  - decompress\n  - unproject\n  - write-ply\n", to: "cloud.yaml")
        for command in [sample("caps/a"), ["run", "cloud.yaml", "caps", "-o", "out"]] {
            let run = try Scanmill.run(command, in: folder.path)
            try #require(run.status == 0, "\(run.errors)")
        }
    }

    private func sample(_ path: String, _ more: [String] = []) -> [String] {
        ["sample", path, "--frames", "2", "--set", "synthesize.depth-width=16", "--set", "synthesize.depth-height=12"]
            + more
    }

    /// Runs a command that has to be refused before anything is written.
    private func refusal(_ command: [String]) throws -> String {
        let run = try Scanmill.run(command, in: folder.path)
        #expect(run.status == 2, "\(run.errors)")
        let verified = try Scanmill.run(["verify", "out"], in: folder.path)
        #expect(verified.status == 0, "\(verified.errors)")
        return run.errors
    }

    @Test func aSampleDoesNotReplaceAResult() throws {
        for path in ["out/a", "out/a/below", "./out/../out/a"] {
            #expect(try refusal(sample(path)).contains("the sample would be written into the result"))
        }
    }

    /// A run would take what is half done there for left over, and remove it.
    @Test func nothingElseIsMadeBesideResults() throws {
        #expect(symlink("out", folder.url("link").path) == 0)
        for command in [sample("out/b"), sample("link/b"), ["inspect", "caps/a", "--pictures", "out/look"]] {
            #expect(try refusal(command).contains(" would be written among results"), "\(command)")
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url("out").path)
        #expect(names.sorted() == [".scanmill", "a"])
    }

    @Test(arguments: ["--log", "--metrics"]) func nothingIsWrittenIntoAResult(_ option: String) throws {
        let errors = try refusal(["run", "cloud.yaml", "caps", "-o", "out", option, "out/a/night.txt"])
        #expect(errors.contains("the file would be written into the result"))
        #expect(errors.contains("fix: name a file outside of it"))
    }

    @Test(arguments: ["--log", "--metrics"]) func noFileTakesAResultsPlace(_ option: String) throws {
        let errors = try refusal(["run", "cloud.yaml", "caps", "-o", "new", option, "new/a"])
        #expect(errors.contains("the file would take the place of the result of a"), "\(errors)")
    }

    /// A night is not spent for figures that cannot be written.
    @Test func figuresThatHaveNoPlace() throws {
        try folder.write("", to: "empty/nested/file")
        for (path, words) in [("away/night.prom", "there is no folder "), ("empty", "this is a folder")] {
            let run = try Scanmill.run(["run", "cloud.yaml", "caps", "-o", "new", "--metrics", path], in: folder.path)
            #expect(run.status == 3 && run.output == "", "\(run)")
            #expect(run.errors.contains(words) && !run.errors.contains("cannot make the file"), "\(run)")
        }
        try folder.write("", to: "new.prom")
        #expect(symlink("new.prom", folder.url("link.prom").path) == 0)
        let run = try Scanmill.run(
            ["run", "cloud.yaml", "caps", "-o", "new", "--metrics", "link.prom"], in: folder.path)
        #expect(run.status == 0, "\(run.errors)")
        let figures = String(decoding: try folder.bytes("new.prom"), as: UTF8.self).withoutOwner
        #expect(figures.contains("scanmill_captures_salvaged 0.0\n"))
    }

    /// A night is not spent for these either.
    @Test func figuresThatMayNotBeWritten() throws {
        try folder.write("", to: "shut/old.prom")
        #expect(chmod(folder.path, 0o777) == 0 && chmod(folder.url("shut").path, 0o555) == 0)
        defer { chmod(folder.url("shut").path, 0o755) }
        #expect(mkfifo(folder.url("pipe").path, 0o444) == 0)
        let what = "figures that may not be written"
        guard let tool = try Scanmill.commandOfNobody(in: folder.path, for: what) else { return }
        for path in ["shut/old.prom", "pipe"] {
            let words = ["run", "cloud.yaml", "caps", "-o", "new", "--metrics", path]
            let run = try runCommand(tool + words, in: folder.path)
            #expect(run.status == 3 && run.output == "", "\(run)")
            #expect(run.errors.contains("error: the figures cannot be written: Permission denied\n"), "\(run)")
        }
    }

    @Test func aPlanSaysWhereNoResultCanLie() throws {
        let plan = try Scanmill.run(["plan", "cloud.yaml", "caps", "-o", "cloud.yaml"], in: folder.path)
        #expect(plan.errors.contains("warning: `run` would refuse this folder: "), "\(plan.errors)")
        #expect(plan.errors.contains("a file stands in its way"))
        // Programs, which read no messages, are told the same, and what the run then ends with.
        func refused(_ pipeline: String, _ output: String, _ more: [String] = []) throws -> JSONValue? {
            let words = [pipeline, "caps", "-o", output] + more
            let json = try Scanmill.run(["plan"] + words + ["--json"], in: folder.path)
            #expect(json.status == 0, "\(json.errors)")
            return try JSONValue.parse(Array(json.output.utf8), file: "stdout")["refused"]
        }
        let inTheWay = try #require(try refused("cloud.yaml", "cloud.yaml"))
        #expect(inTheWay["fault"]?.string == "environment" && inTheWay["file"]?.string == "cloud.yaml")
        #expect(inTheWay["summary"]?.string == "cannot make the folder: a file stands in its way")
        #expect(inTheWay["fix"]?.string == "move the file, or name another folder")
        try folder.write("name: other\nstages:\n  - read\n  - write-frames: {depth: none}\n", to: "other.yaml")
        let foreign = try #require(try refused("other.yaml", "out"))
        #expect(foreign["fault"]?.string == "usage")
        #expect(foreign["summary"]?.string == "out holds results of the pipeline `cloud`, not of `other`")
        #expect(foreign["fix"]?.string == "choose another folder with -o, or replace the results with  --replace")
        #expect(try refused("other.yaml", "out", ["--replace"]) == nil)
        for output in ["out", "new"] { #expect(try refused("cloud.yaml", output) == nil) }
    }

    /// What a sample that was killed left, which no run would sweep up, goes with the next one, or with `gc`.
    @Test func whatAKilledSampleLeftGoes() throws {
        let host = StateFolder.host
        let (left, alive) = ("made/.scanmill/work/big.\(host).999999999.abc", "made/.scanmill/work/big.\(host).1.abc")
        try folder.write("x", to: "\(left)/depth")
        // It may be another container's, as long as something changes in it.
        let early = try Scanmill.run(["gc", "made"], in: folder.path)
        #expect(early.status == 2 && early.output == "")
        #expect(early.errors.hasPrefix("error: a `sample` or an `inspect` may still be at work here\n"))
        #expect(early.errors.contains("  --> made/.scanmill/work\n"), "\(early.errors)")
        let age = ["find", "made", "-exec", "touch", "-d", "2 hours ago", "{}", "+"]
        try runCommand(age, in: folder.path).require(0)
        let foreseen = try Scanmill.run(["gc", "made", "--dry-run"], in: folder.path)
        #expect(foreseen.output == "would remove  \(left)\n1 leftover would be removed\n", "\(foreseen)")
        let swept = try Scanmill.run(["gc", "made"], in: folder.path)
        #expect(swept.output == "removed  \(left)\n1 leftover removed\n", "\(swept)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url("made").path) == [])
        for path in [left, alive] { try folder.write("x", to: "\(path)/depth") }
        try runCommand(age, in: folder.path).require(0)
        let made = try Scanmill.run(sample("made/b"), in: folder.path)
        #expect(made.status == 0, "\(made.errors)")
        let works = try FileManager.default.contentsOfDirectory(atPath: folder.url("made/.scanmill/work").path)
        #expect(works == ["big.\(host).1.abc"])
    }

    @Test(arguments: ["run", "plan"]) func anEmptyWordIsNoPath(_ command: String) throws {
        #expect(try refusal([command, "cloud.yaml", "caps", "-o", ""]).contains("`-o` takes a folder"))
        #expect(try refusal([command, "cloud.yaml", "", "-o", "out"]).contains("INPUT is a path"))
    }

    @Test func aPipelineThatIsNoFile() throws {
        let shell = try runCommand(["mkfifo", "pipe"], in: folder.path)
        try #require(shell.status == 0)
        for (path, fix) in [
            (".", "name a YAML file in it"), ("pipe", "write what it holds to a file, and name that"),
            ("nosuch.yaml", "check the path; `scanmill pipelines` lists the ready-made ones"),
        ] {
            let errors = try refusal(["run", path, "caps", "-o", "out"])
            #expect(errors.contains("\n  fix: \(fix)\n"), "\(errors)")
        }
    }

    /// On disk they are two folders, and on another system they would be one.
    @Test func namesThatLookTheSame() throws {
        for (place, id) in [("x", "caf\u{e9}"), ("y", "cafe\u{301}")] {
            try #require(try Scanmill.run(sample("\(place)/\(id)"), in: folder.path).status == 0)
        }
        let run = try Scanmill.run(["run", "cloud.yaml", "x", "y", "-o", "twins"], in: folder.path)
        #expect(run.status == 1)
        #expect(run.errors.contains("2 captures are called caf"))
        #expect(run.errors.contains("the names look the same, but are spelt with different Unicode characters"))
    }

    @Test func theFormatsNamedAreThoseOfTheCapturesAskedFor() throws {
        let made = try Scanmill.run(sample("caps/p", ["--format", "polycam"]), in: folder.path)
        try #require(made.status == 0, "\(made.errors)")
        let run = try Scanmill.run(
            ["run", "cloud.yaml", "caps", "-o", "other", "--only", "p", "--format", "multiscan"], in: folder.path)
        // As where no capture has the id: nothing is run in silence.
        #expect(run.status == 2)
        let refusal = "error: `--only p`: this capture is in the format polycam, and `--format` asks for multiscan\n"
        #expect(run.errors == refusal + "   = fix: leave one of the two out\n", "\(run.errors)")
        let both = try Scanmill.run(
            ["run", "cloud.yaml", "caps", "-o", "other", "--only", "[ap]", "--format", "tum"], in: folder.path)
        #expect(
            both.errors.contains(
                "`--only [ap]`: these captures are in the formats multiscan and polycam, and `--format` asks for tum\n"),
            "\(both.errors)")
    }

    /// A pipeline that was run first by mistake, and of which nothing came, keeps no other out.
    @Test func whatIsAnotherPipelines() throws {
        try folder.write("name: other\nstages:\n  - read\n  - write-frames: {depth: none}\n", to: "other.yaml")
        let other = ["run", "other.yaml", "caps", "-o"]
        let lines = try String(contentsOf: folder.url("caps/a/a.jsonl"), encoding: .utf8)
        try folder.write("not one line of JSON\n", to: "caps/a/a.jsonl")
        #expect(try Scanmill.run(["run", "cloud.yaml", "caps", "-o", "first"], in: folder.path).status == 1)
        try folder.write(lines, to: "caps/a/a.jsonl")
        let plan = try Scanmill.run(["plan", "other.yaml", "caps", "-o", "first"], in: folder.path)
        #expect(plan.errors == "", "\(plan.errors)")
        #expect(try Scanmill.run(other + ["first"], in: folder.path).status == 0)
        let words = "first holds results of the pipeline `other`"
        #expect(
            try refusal(["run", "cloud.yaml", "caps", "-o", "first"]).contains("\(words), not of `cloud`"))
        func note(_ output: String) throws -> String {
            try Scanmill.run(["plan", "other.yaml", "caps", "-o", output, "--replace"], in: folder.path).errors
        }
        let taken =
            "note: out holds results of the pipeline `cloud`; --replace takes it over: 1 result would be replaced"
        #expect(try note("out").contains("\(taken)\n"))
        try FileManager.default.copyItem(at: folder.url("out/a"), to: folder.url("out/b"))
        #expect(try note("out").contains("\(taken), and 1 other would stay\n"))
        try FileManager.default.removeItem(at: folder.url("out/b"))
        #expect(try refusal(other + ["out"]).contains("out holds results of the pipeline `cloud`, not of `other`"))
    }

    /// Lost output is the machine's trouble, which outranks a capture's.
    @Test func outputThatIsLostOutranksAFailedCapture() throws {
        try folder.write("not one line of JSON\n", to: "caps/a/a.jsonl")
        let command = ["run", "cloud.yaml", "caps", "-o", "out"]
        #expect(try Scanmill.run(command, in: folder.path).status == 1)
        let words = "'\(Scanmill.path)' run cloud.yaml caps -o out --retry > /dev/full"
        let shell = try runCommand(["sh", "-c", words], in: folder.path)
        #expect(shell.status == 3, "\(shell.errors)")
        #expect(shell.errors.contains("what was printed is not complete"))
    }
}
