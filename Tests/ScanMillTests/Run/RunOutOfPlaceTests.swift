import ScanFormats
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

    @Test(arguments: ["--log", "--metrics"]) func nothingIsWrittenIntoAResult(_ option: String) throws {
        let errors = try refusal(["run", "cloud.yaml", "caps", "-o", "out", option, "out/a/night.txt"])
        #expect(errors.contains("the file would be written into the result"))
        #expect(errors.contains("fix: name a file outside of it"))
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
            ("nosuch.yaml", "check the path; ready pipelines are in the folder pipelines/"),
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
        #expect(run.errors.contains("the names look the same, and are spelt with other Unicode characters"))
    }

    @Test func theFormatsNamedAreThoseOfTheCapturesAskedFor() throws {
        let made = try Scanmill.run(sample("caps/p", ["--format", "polycam"]), in: folder.path)
        try #require(made.status == 0, "\(made.errors)")
        let run = try Scanmill.run(
            ["run", "cloud.yaml", "caps", "-o", "other", "--only", "p", "--format", "multiscan"], in: folder.path)
        #expect(run.status == 0)
        #expect(run.errors.contains("no capture is in the format multiscan; those found are in polycam"))
    }

    /// A pipeline that was run first by mistake, and of which nothing came.
    @Test func anOwnerWithoutResultsIsCalledSo() throws {
        try folder.write("not one line of JSON\n", to: "caps/a/a.jsonl")
        #expect(try Scanmill.run(["run", "cloud.yaml", "caps", "-o", "first"], in: folder.path).status == 1)
        try folder.write("name: other\nstages:\n  - read\n  - write-frames: {depth: none}\n", to: "other.yaml")
        let other = ["run", "other.yaml", "caps", "-o"]
        let words = "first belongs to the pipeline `cloud`, without any result in it"
        #expect(try refusal(other + ["first"]).contains("\(words), not to `other`"))
        let plan = try Scanmill.run(["plan", "other.yaml", "caps", "-o", "first"], in: folder.path)
        #expect(plan.errors.contains("warning: \(words); `run` refuses it without --replace"))
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
