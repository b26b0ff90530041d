import Foundation
import TestSupport
import Testing

/// Paths that are not what a command takes: what was meant is said as a command or a name that works.
@Suite struct NamedPathTests {
    private let quick: QuickRun

    init() throws {
        quick = try QuickRun()
        try quick.copySample("desk")
    }

    private func errors(_ arguments: String...) throws -> String {
        let result = try Scanmill.run(arguments, in: quick.folder.path)
        #expect(result.status == 2 && result.output == "", "\(result)")
        return result.errors
    }

    /// The command that a fix ends with.
    private func command(in errors: String) throws -> [String] {
        let line = try #require(errors.split(separator: "\n").last { $0.contains("= fix: ") })
        let start = try #require(line.range(of: "  scanmill "))
        return line[start.upperBound...].split(separator: " ").map(String.init)
    }

    @Test(arguments: ["run", "plan"]) func thePipelineComesFirst(_ name: String) throws {
        let said = try errors(name, "in", "quick.yaml", "-o", "in-out", "--set", "voxel-downsample.size=0.1")
        #expect(
            said == """
                error: in stands where the pipeline should, and the pipeline among the captures
                   = fix: name the pipeline first:  scanmill \(name) quick.yaml in -o in-out --set voxel-downsample.size=0.1

                """)
        #expect(quick.names("in-out").isEmpty)
        let again = try Scanmill.run(try command(in: said), in: quick.folder.path)
        #expect(again.status == 0, "\(again)")
    }

    /// The folder for the results, ids and further captures keep their names, whatever else is called so.
    @Test func onlyWhatStandsInTheWrongPlaceIsExchanged() throws {
        let said = try errors("run", "-o", "in", "--only", "in", "in", "quick.yaml", "in")
        #expect(said.hasSuffix("  scanmill run -o in --only in quick.yaml in in\n"), "\(said)")
    }

    /// They are the command's own words, whatever a folder is called.
    @Test(arguments: ["--format", "--set", "--log", "--jobs", "--on-finish", "--settle"])
    func valuesOfOptionsStay(_ option: String) throws {
        try FileManager.default.moveItem(at: quick.folder.url("in"), to: quick.folder.url("10"))
        let said = try errors("run", option, "10", "10", "quick.yaml", "-o", "out")
        #expect(said.hasSuffix("  scanmill run \(option) 10 quick.yaml 10 -o out\n"), "\(said)")
    }

    /// What is not text would become another name, and results would go to a folder that nobody named.
    @Test func aWordThatIsNoText() throws {
        let made = try runCommand(
            ["bash", "-c", "'\(Scanmill.path)' run quick.yaml in -o $'out\\xff'"], in: quick.folder.path)
        #expect(made.status == 2, "\(made)")
        #expect(
            made.errors == """
                error: a word of the command is not UTF-8: out\u{FFFD}
                   = fix: rename what it names

                """)
        #expect(quick.names("").sorted() == ["in", "quick.yaml"])
    }

    /// A pipeline may have any name, and notes among captures any ending.
    @Test func aPipelineOfAnotherNameIsOne() throws {
        try quick.folder.write(QuickRun.cloud, to: "cloud.txt")
        try quick.folder.write("a: 1\n", to: "notes.yaml")
        let plan = try Scanmill.run(["plan", "cloud.txt", "in", "notes.yaml", "-o", "out"], in: quick.folder.path)
        #expect(plan.status == 0 && plan.output.hasPrefix("run        desk  new\n"), "\(plan)")
    }

    @Test(arguments: ["desk.json", "desk.jsonl", "color/000000.jpg"])
    func aFileOfACaptureIsNoCapture(_ file: String) throws {
        let looked = try errors("inspect", "in/desk/\(file)")
        #expect(
            looked.hasSuffix("   = fix: it is one of the files of in/desk; name that:  scanmill inspect in/desk\n"),
            "\(looked)")
        let said = try errors("run", "quick.yaml", "in/desk/\(file)", "-o", "out")
        #expect(try command(in: said) == ["run", "quick.yaml", "in/desk", "-o", "out"])
    }

    /// Parts of a dataset that look like one themselves.
    @Test func theWholeCaptureIsNamed() throws {
        let sample = SharedData.checkout.appendingPathComponent("samples/colmap").path
        try FileManager.default.copyItem(atPath: sample, toPath: quick.folder.url("model").path)
        let said = try errors("inspect", "model/sparse/0/cameras.txt")
        #expect(try command(in: said) == ["inspect", "model"])
    }

    @Test(arguments: [
        (["inspect", "in/dsek"], "in/desk"), (["inspect", "im/desk"], "in/desk"),
        (["inspect", "in/DESK"], "in/desk"), (["plan", "quick.yaml", "in/desk1", "-o", "out"], "in/desk"),
        (["plan", "quik.yaml", "in", "-o", "out"], "quick.yaml"), (["check", "quick"], "quick.yaml"),
        (["check", "ready.yaml"], "pipelines/ready.yaml"), (["check", "ready"], "pipelines/ready.yaml"),
        (["check", "b"], "b.yaml"), (["check", "room-mash"], "room-mesh"),
    ]) func aNameThatIsNearlyRight(_ arguments: [String], _ meant: String) throws {
        try quick.folder.write(QuickRun.cloud, to: "pipelines/ready.yaml")
        // As near as a slip, but without its extension it is the other one's name.
        try quick.folder.write("", to: "a")
        try quick.folder.write(QuickRun.cloud, to: "b.yaml")
        let result = try Scanmill.run(arguments, in: quick.folder.path)
        #expect(result.status == 2)
        #expect(result.errors.contains("fix: did you mean `\(meant)`?\n"), "\(result.errors)")
    }

    @Test func aCaptureIsNoPipeline() throws {
        let result = try Scanmill.run(["check", "in/desk"], in: quick.folder.path)
        let fix = "fix: name a pipeline's YAML file; `scanmill pipelines` lists the ready-made ones"
        #expect(result.status == 2 && result.errors.contains(fix), "\(result.errors)")
    }

    /// Results are no captures, but there are commands for looking at them.
    @Test func resultsThatAreTakenForCaptures() throws {
        try #require(try quick.run(["in", "-o", "out"]).status == 0)
        let fix = "fix: `scanmill status out` lists the results, and `scanmill report out` makes a page about them"
        for (path, what) in [("out/", "the folder of a run's results"), ("out/desk", "a result")] {
            let said = try errors("inspect", path)
            #expect(said.hasPrefix("error: this is \(what), not a capture\n"), "\(said)")
            #expect(said.contains(fix), "\(said)")
        }
    }

    /// What the name tells of a file is said of it alone as of one among captures.
    @Test(arguments: [
        ("scan.tgz", "an archive of another kind than ZIP", "unpack it, or pack the capture as ZIP"),
        ("scan.7z", "an archive of another kind than ZIP", "unpack it, or pack the capture as ZIP"),
        ("scan.zip.part", "a copy that has not arrived as a whole", "wait for it, or fetch it again"),
        ("walk.insv", "a 360° video", "export views of it as flat videos"),
    ])
    func filesThatHoldACaptureUnread(name: String, what: String, fix: String) throws {
        try quick.folder.write("x", to: name)
        let said = "error: this is \(what)\n  --> \(name)\n   = fix: \(fix)\n"
        let inspected = try Scanmill.run(["inspect", name], in: quick.folder.path)
        #expect(inspected.status == 2 && inspected.errors == said, "\(inspected)")
        #expect(try errors("run", "quick.yaml", name, "-o", "out") == said)
    }

    /// The folder for results that was meant, whichever command asks for one.
    @Test(arguments: ["status", "verify", "report", "gc"]) func theFolderOfResults(_ name: String) throws {
        let run = try quick.run(["in", "-o", "out-room"])
        #expect(run.status == 0, "\(run)")
        let slip = try errors(name, "out-rom")
        #expect(
            slip == """
                error: there is no folder at this path
                  --> out-rom
                   = fix: did you mean `out-room`?

                """)
        let result = try errors(name, "out-room/desk")
        #expect(
            result == """
                error: this is a result of out-room, not the folder of all results
                  --> out-room/desk
                   = fix: name that folder:  scanmill \(name) out-room

                """)
        let again = try Scanmill.run(try command(in: result), in: quick.folder.path)
        #expect(again.status == 0, "\(again)")
        let file = try errors(name, "out-room/desk/receipt.json")
        #expect(file.hasPrefix("error: this is part of a result of /"), "\(file)")
        let whole = try Scanmill.run(try command(in: file), in: quick.folder.path)
        #expect(whole.status == 0, "\(whole)")
    }

    /// As an unset variable in a script gives it.
    @Test(arguments: ["run", "plan"]) func anEmptyWordIsNoPipeline(_ name: String) throws {
        let said = try errors(name, "", "in", "-o", "out")
        #expect(said.hasPrefix("Error: PIPELINE is a YAML file, and was given as an empty word.\n"), "\(said)")
    }
}
