import Foundation
import ScanModel
import TestSupport
import Testing

/// Which captures a run takes for its inputs, and what it says of the others.
@Suite struct RunInputsTests {
    let quick: QuickRun

    init() throws { quick = try QuickRun() }

    @Test func twoCapturesWithOneIdFailAlone() throws {
        try quick.copySample("a")
        try FileManager.default.createDirectory(
            atPath: "\(quick.folder.path)/in/more", withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: QuickRun.sample, toPath: "\(quick.folder.path)/in/more/a")
        try quick.copySample("b")
        let plan = try Scanmill.run(["plan", "quick.yaml", "in", "-o", "out", "--json"], in: quick.folder.path)
        let planned = try JSONValue.parse(Array(plan.output.utf8), file: "stdout")["captures"]?.array ?? []
        let decisions = planned.map { "\($0["id"]?.string ?? "") \($0["decision"]?.string ?? "")" }
        #expect(decisions.sorted() == ["a cannot run", "b run"])
        let result = try quick.run(["in", "-o", "out"])
        #expect(result.status == 1)
        #expect(result.errors.contains("error: 2 captures are called a"))
        #expect(result.errors.contains("   = one is in/a\n   = one is in/more/a\n"))
        #expect(!result.errors.contains("to try it again"))
        #expect(quick.names("out").filter { !$0.hasPrefix(".") } == ["b"])
        // Whoever asks again hears all of it again.
        let again = try quick.run(["in", "-o", "out", "--retry", "--no-report"])
        #expect(again.status == 1 && again.errors.contains("error: 2 captures are called a"), "\(again)")
    }

    /// Links make OUT's disk look like one that ignores case: there, the later result would replace the other one.
    @Test func namesThatOnlyCaseTellsApart() throws {
        for folder in ["in/one", "in/two"] {
            try FileManager.default.createDirectory(
                atPath: "\(quick.folder.path)/\(folder)", withIntermediateDirectories: true)
        }
        for name in ["one/Scan", "two/scan", "b"] { try quick.copySample(name) }
        #expect(try quick.run(["in/b", "-o", "out", "-q"]).status == 0)
        #expect(symlink(".scanmill", quick.folder.url("out/.SCANMILL").path) == 0)
        #expect(symlink("owner.json", quick.folder.url("out/.scanmill/OWNER.JSON").path) == 0)
        let plan = try Scanmill.run(["plan", "quick.yaml", "in", "-o", "out"], in: quick.folder.path)
        let oneName = "Scan and scan are one name on OUT's disk, which ignores case"
        #expect(plan.output.contains("cannot run Scan  \(oneName)\n"), "\(plan)")
        #expect(plan.output.contains("0 would run, ") && plan.output.contains(", 1 cannot run, "), "\(plan)")
        let result = try quick.run(["in", "-o", "out"])
        #expect(result.status == 1 && result.output.contains("2 captures: 1 up to date, 1 failed"), "\(result)")
        let notes = "   = one is in/one/Scan\n   = one is in/two/scan\n"
        #expect(result.errors.contains(notes), "\(result)")
        #expect(quick.names("out").filter { !$0.hasPrefix(".") } == ["b"])
        let status = try Scanmill.run(["status", "out"], in: quick.folder.path)
        #expect(status.output == "failed  Scan  \(oneName)\n1 done, 1 failed\n", "\(status)")
        // To every other disk they are two.
        let others = try quick.run(["in", "-o", "others", "-q"])
        #expect(others.status == 0 && quick.names("others").contains("scan"), "\(others)")
    }

    /// Before the night rather than after it.
    @Test func aPlanTellsWhatThePipelineMisses() throws {
        for id in ["boxed", "flat", "plain"] { try quick.copySample(id) }
        try FileManager.default.removeItem(at: quick.folder.url("in/plain/boundingbox.json"))
        try FileManager.default.removeItem(at: quick.folder.url("in/flat/desk.depth.zlib"))
        let stages = "[read, decompress, unproject, cull-by-box, write-ply]"
        try quick.folder.write("name: boxes\nstages: \(stages)\n", to: "boxes.yaml")
        func command(_ name: String, _ more: [String] = []) throws -> CommandResult {
            try Scanmill.run([name, "boxes.yaml", "in", "-o", "out"] + more, in: quick.folder.path)
        }
        let plan = try command("plan")
        let lack = "cull-by-box needs box, and this capture has none"
        let rows = "run        boxed  new\ncannot run flat  decompress needs "
        let counts = "cannot run plain  \(lack)\n1 would run, 0 up to date, 2 cannot run, "
        for words in [rows, counts, "\nfix for plain: "] { #expect(plan.output.contains(words), "\(plan)") }
        #expect(quick.names("").contains("out") == false)
        #expect(try command("plan", ["--unopened"]).output.contains("\n3 would run, 0 up to date, 0 cannot run, "))
        let run = try command("run")
        #expect(run.status == 1 && run.errors.contains("  1 × \(lack): plain\n"), "\(run)")
        #expect(try command("plan", ["--retry"]).output.contains(", 2 cannot run, "))
    }

    /// The result of a pipeline is replaced as a whole, and what lies in it is gone then.
    @Test func outLiesInNoResult() throws {
        try quick.copySample("desk")
        #expect(try quick.run(["in", "-o", "out"]).status == 0)
        for place in ["out/desk", "out/desk/more", "out/desk/more/still"] {
            let refused = try quick.run(["in", "-o", place])
            #expect(refused.status == 2)
            #expect(refused.errors.contains("the results would be written into the result "), "\(refused)")
        }
        #expect(quick.names("out/desk").sorted() == ["desk.ply", "receipt.json"])
        #expect(try quick.run(["in", "-o", "out/more"]).status == 0)
    }

    /// In an output folder results are at home; elsewhere somebody put them, and may think that they are run.
    @Test func resultsAmongCapturesAreNamed() throws {
        try quick.copySample("desk")
        #expect(try quick.run(["in", "-o", "in/out"]).status == 0)
        #expect(try quick.run(["in", "-o", "in/out"]).errors == "")
        try FileManager.default.copyItem(
            atPath: "\(quick.folder.path)/in/out/desk", toPath: "\(quick.folder.path)/in/copied")
        let result = try quick.run(["in", "-o", "in/out"])
        #expect(result.status == 0)
        #expect(
            result.errors == """
                warning: a result of ScanMill lies among the captures, and was passed over: in/copied
                   = fix: if it is to be run, name it as INPUT: in/copied

                """)
    }

    @Test func aNameThatBeginsWithADashIsNoOption() throws {
        try quick.copySample("-dash")
        let refused = try Scanmill.run(
            ["run", "../quick.yaml", "-dash", "-o", "../out"], in: "\(quick.folder.path)/in")
        #expect(refused.status == 2)
        #expect(
            refused.errors == """
                error: -dash is there, but a name that begins with a dash is taken for an option
                   = fix: name it  ./-dash

                """)
        #expect(
            try Scanmill.run(["run", "../quick.yaml", "./-dash", "-o", "../out"], in: "\(quick.folder.path)/in").status
                == 0)
        #expect(
            try Scanmill.run(["run", "../quick.yaml", "-o", "../out", "--", "-dash"], in: "\(quick.folder.path)/in")
                .status
                == 0)
    }

    /// What is suggested for it can be typed as it stands.
    @Test func aFolderWithADashThatHoldsNothing() throws {
        try quick.folder.write("x", to: "-empty/notes.txt")
        let result = try Scanmill.run(["run", "-o", "out", "--", "quick.yaml", "-empty"], in: quick.folder.path)
        let fix = "   = fix: `scanmill inspect ./-empty` says what it holds\n"
        #expect(result.status == 2 && result.errors.hasSuffix(fix), "\(result)")
    }

    @Test func aFormatThatNobodyHasIsSaid() throws {
        try quick.copySample("desk")
        let result = try quick.run(["in", "-o", "out", "--format", "polycam"])
        #expect(result.status == 0)
        #expect(
            result.errors.contains("warning: no capture is in the format polycam; those found are in multiscan"),
            "\(result)")
    }

    /// Whatever is left out is said, by every command, and whether `--format` takes the outer capture or not.
    @Test func capturesInACaptureAreNamed() throws {
        try quick.copySample("desk")
        try quick.folder.copySample("polycam", to: "in/desk/more")
        let warning = """
            warning: in/desk is one capture, but there are more in it: in/desk/more
               = fix: if these are to be run, move what makes in/desk itself a capture out of it, or name them one by one

            """
        func plan(_ more: String...) throws -> CommandResult {
            try Scanmill.run(["plan", "quick.yaml", "in", "-o", "out"] + more, in: quick.folder.path)
        }
        #expect(try plan().errors == warning)
        let named = try plan("in/desk/more")
        #expect(named.errors == "" && named.output.contains("run        more  new\n"), "\(named)")
        let none = try plan("--format", "tum")
        #expect(none.errors.hasPrefix(warning), "\(none)")
        #expect(none.output == "0 would run, 0 up to date, 0 cannot run, 0 still arriving, \(Self.one)\n")
        let quiet = try quick.run(["in", "-o", "out", "-q", "--format", "multiscan"])
        #expect(quiet.status == 0 && quiet.errors == warning, "\(quiet)")
        // What is asked for is run.
        let inner = try plan("--format", "polycam", "--json")
        let planned = try JSONValue.parse(Array(inner.output.utf8), file: "stdout")
        #expect(planned["captures"]?.array?.map { $0["id"]?.string } == ["more"] && inner.errors == "", "\(inner)")
        #expect(planned["other-formats"]?.integer == 1)
        let run = try quick.run(["in", "-o", "out", "--format", "polycam"])
        #expect(run.status == 0 && run.output.contains("; results are in out\n\(Self.one)\n"), "\(run)")
    }

    /// Five of them are told in full.
    @Test func manyCapturesWithOthersInThemAreCounted() throws {
        for number in 0..<7 {
            try MiniCapture(id: "in/c\(number)").write(in: quick.folder)
            _ = try quick.folder.copySample("polycam", to: "in/c\(number)/more")
        }
        let plan = try Scanmill.run(["plan", "quick.yaml", "in", "-o", "out", "--unopened"], in: quick.folder.path)
        let warnings = plan.errors.split(separator: "\n").filter { $0.hasPrefix("warning: ") }
        #expect(warnings.count == 6, "\(plan)")
        #expect(warnings.first == "warning: in/c0 is one capture, but there are more in it: in/c0/more")
        #expect(warnings.last == "warning: 2 more captures hold others: in/c5, in/c6")
    }

    private static let one = "1 capture of another format passed over"

    @Test func picturesBesideCapturesAreNamed() throws {
        try quick.folder.write("x", to: "in/bob/images/1.jpg")
        try quick.copySample("bob/desk")
        let result = try quick.run(["in", "-o", "out", "--format", "multiscan", "-q"])
        let warning = """
            warning: files among captures were passed over, though they may be a capture: in/bob (images/ holds 1 picture)
               = fix: if they are to be run, move them into a folder of their own

            """
        #expect(result.status == 0 && result.errors == warning, "\(result)")
        #expect(quick.names("out").filter { !$0.hasPrefix(".") } == ["desk"])
    }

    /// A result as the next pipeline's input: what several of its writers made is one capture.
    @Test func theCaptureInAResultIsTakenInOneFormat() throws {
        try quick.copySample("desk")
        try quick.folder.write("stages: [read, write-transforms, write-colmap]\n", to: "datasets.yaml")
        let made = try Scanmill.run(["run", "datasets.yaml", "in", "-o", "made", "-q"], in: quick.folder.path)
        #expect(made.status == 0, "\(made)")
        try quick.folder.write("stages: [read, write-tum]\n", to: "tum.yaml")
        func again(_ options: String...) throws -> CommandResult {
            try Scanmill.run(
                ["run", "tum.yaml", "made/desk", "-o", "again", "--set", "read.rate=30"] + options,
                in: quick.folder.path)
        }
        let refused = try again()
        #expect(refused.status == 1)
        #expect(refused.errors.contains("error: 2 captures are called desk"), "\(refused)")
        // One that was copied there by mistake would not be seen.
        #expect(refused.errors.contains("made/desk/receipt.json makes them parts of one result"), "\(refused)")
        #expect(refused.errors.contains("take one of them with  --format transforms  (or colmap)"), "\(refused)")
        #expect(refused.output.contains("1 capture: 1 failed"))
        #expect(try again("--format", "colmap").status == 0)
        // A pipeline that says what it reads needs no option.
        #expect(try again("--set", "read.format=transforms", "--force").status == 0)
        #expect(quick.names("again").filter { !$0.hasPrefix(".") } == ["desk"])
        // What the pipeline reads is not there.
        let none = try again("--set", "read.format=polycam")
        #expect(none.status == 1)
        #expect(none.errors.contains("the result holds no capture in the format polycam\n  --> made/desk/"), "\(none)")
        #expect(none.errors.contains("\n   = made/desk holds transforms and colmap\n"), "\(none)")
    }

    /// What is there is not denied: another format is recognised first in the files that two writers put side by side.
    @Test func twoCapturesInTheResultsOwnFolder() throws {
        try quick.copySample("desk")
        let stages = "[read, {write-staging: {depth: source}}, {write-capture: {format: arkitscenes}}, write-colmap]"
        try quick.folder.write("stages: \(stages)\n", to: "both.yaml")
        let made = try Scanmill.run(["run", "both.yaml", "in", "-o", "made", "-q"], in: quick.folder.path)
        #expect(made.status == 0, "\(made)")
        try quick.folder.write("stages: [read: {format: arkitscenes}, write-tum]\n", to: "ark.yaml")
        func run(_ input: String) throws -> CommandResult {
            try Scanmill.run(["run", "ark.yaml", input, "-o", "again"], in: quick.folder.path)
        }
        let refused = try run("made/desk")
        #expect(refused.status == 1)
        let said = "the result's own files are taken for multiscan, and not for arkitscenes\n  --> made/desk"
        #expect(refused.errors.contains(said), "\(refused)")
        #expect(refused.errors.contains("lowres_wide.traj holds poses"), "\(refused)")
        // As the fix says.
        let alone = "\(quick.folder.path)/ark/desk"
        try FileManager.default.createDirectory(atPath: alone, withIntermediateDirectories: true)
        let names = quick.names("made/desk").filter { name in
            ["confidence", "wide", "lowres"].contains { name.hasPrefix($0) }
        }
        for name in names {
            try FileManager.default.createSymbolicLink(
                atPath: "\(alone)/\(name)", withDestinationPath: "\(quick.folder.path)/made/desk/\(name)")
        }
        let read = try run("ark/desk")
        #expect(read.status == 0, "\(read)")
    }

    /// An archive that a stage wrote lies in its result, as folders do.
    @Test func anArchiveAndADatasetInOneResult() throws {
        try quick.copySample("desk")
        let stages = "[read, write-zip, write-transforms: {dialect: instant-ngp}]"
        try quick.folder.write("stages: \(stages)\n", to: "both.yaml")
        let made = try Scanmill.run(["run", "both.yaml", "in", "-o", "made", "-q"], in: quick.folder.path)
        #expect(made.status == 0, "\(made)")
        try quick.folder.write("stages: [read, write-transforms]\n", to: "again.yaml")
        let refused = try Scanmill.run(["run", "again.yaml", "made/desk", "-o", "again"], in: quick.folder.path)
        #expect(refused.errors.contains("take one of them with  --format nerfcapture  (or transforms)"), "\(refused)")
        let command = ["run", "again.yaml", "made/desk", "-o", "again", "--format", "transforms"]
        let again = try Scanmill.run(command, in: quick.folder.path)
        #expect(again.status == 0, "\(again)")
    }

    /// What lies in a result is called after it, whatever its folder is called.
    @Test func twoDatasetsOfOneResult() throws {
        try quick.copySample("desk")
        try quick.folder.write(
            "stages: [read, write-transforms, write-transforms: {dialect: instant-ngp}]\n",
            to: "datasets.yaml")
        let made = try Scanmill.run(["run", "datasets.yaml", "in", "-o", "made", "-q"], in: quick.folder.path)
        #expect(made.status == 0, "\(made)")
        let refused = try quick.run(["made/desk", "-o", "again"])
        #expect(refused.status == 1)
        let fix = "= fix: name the folder of the one that is meant, such as  made/desk/"
        let named = try #require(refused.errors.components(separatedBy: "\n").first { $0.contains(fix) }, "\(refused)")
        let part = try #require(named.components(separatedBy: "such as  ").last)
        try quick.folder.write("stages: [read, write-transforms]\n", to: "again.yaml")
        let again = try Scanmill.run(["run", "again.yaml", part, "-o", "parts"], in: quick.folder.path)
        #expect(again.status == 0 && again.output.hasPrefix("done     desk"), "\(again)")
    }

    /// What may not be looked at is not what is not there.
    @Test func anInputOutOfReach() throws {
        try quick.copySample("desk")
        for path in ["", "in"] { #expect(chmod("\(quick.folder.path)/\(path)", 0o755) == 0) }
        let what = "captures that are out of reach"
        guard let tool = try Scanmill.commandOfNobody(in: quick.folder.path, for: what, isAnother: true) else { return }
        #expect(chmod("\(quick.folder.path)/in", 0o700) == 0)
        let result = try runCommand(tool + ["plan", "quick.yaml", "in/desk", "-o", "out"], in: quick.folder.path)
        #expect(result.status == 3)
        #expect(result.errors.contains("cannot look at this path: Permission denied"), "\(result.errors)")
    }

    /// What lies among captures and cannot be looked at may be one, whatever it is called.
    @Test func aNeighbourOutOfReachIsNamed() throws {
        try quick.copySample("desk")
        for path in ["", "in"] { #expect(chmod("\(quick.folder.path)/\(path)", 0o755) == 0) }
        let what = "a capture behind a folder that is out of reach"
        guard let tool = try Scanmill.commandOfNobody(in: quick.folder.path, for: what, isAnother: true) else { return }
        try FileManager.default.createDirectory(
            atPath: quick.folder.url("away/scan-1").path, withIntermediateDirectories: true)
        #expect(chmod(quick.folder.url("away").path, 0o700) == 0)
        #expect(symlink("../away/notes.txt", quick.folder.url("in/notes.txt").path) == 0)
        #expect(symlink("../away/scan-1", quick.folder.url("in/scan-1").path) == 0)
        let result = try runCommand(tool + ["plan", "quick.yaml", "in", "-o", "out"], in: quick.folder.path)
        #expect(result.output.contains("cannot run scan-1  cannot look at this: Permission denied"), "\(result)")
        #expect(result.output.contains("\n1 would run, 0 up to date, 1 cannot run, 0 still arriving\n"), "\(result)")
    }

    /// A slash and a combining mark behind it are one character to people, and two to the kernel.
    @Test func aSlashIsOneWhateverStandsBehindIt() throws {
        try quick.copySample("desk")
        let refused = try Scanmill.run(
            ["run", "quick.yaml", "in/desk", "-o", "in/desk/\u{301}out"], in: quick.folder.path)
        #expect(refused.status == 2)
        #expect(refused.errors.contains("the results would be written into the capture"), "\(refused.errors)")
        let outside = try Scanmill.run(
            ["run", "quick.yaml", "in/desk", "-o", "out", "--set", "write-ply.file=../\u{301}a/x.ply"],
            in: quick.folder.path)
        #expect(outside.status == 2)
        #expect(outside.errors.contains("`file` is no plain path in the result's folder"), "\(outside.errors)")
    }

    /// Nobody opens what lies below a name that is no text, and nobody takes it for a change.
    @Test func aFolderInACaptureWhoseNameIsNoText() throws {
        try quick.copySample("desk")
        let made = try runCommand(
            ["python3", "-c", "import os; os.mkdir(b'in/desk/caf\\xe9')"], in: quick.folder.path)
        try #require(made.status == 0, "\(made.errors)")
        let result = try Scanmill.run(["run", "quick.yaml", "in", "-o", "out"], in: quick.folder.path)
        #expect(result.status == 0, "\(result.errors)")
    }

    /// Paths still lead out of it, and nowhere up from there.
    @Test func aWorkingDirectoryThatIsGone() throws {
        try quick.copySample("desk")
        let tool = Scanmill.path
        let script = "mkdir gone; cd gone; rmdir ../gone; timeout 20 \"$0\" plan ../quick.yaml ../in/desk -o ../out"
        let result = try runCommand(["sh", "-c", script, tool], in: quick.folder.path)
        #expect(result.status == 0 && result.output.contains("\n1 would run, "), "\(result)")
    }

    @Test func asManyCoresAsANumberCanSay() throws {
        try quick.copySample("desk")
        let result = try Scanmill.run(
            ["run", "quick.yaml", "in", "-o", "out", "--jobs", String(Int.max)], in: quick.folder.path)
        #expect(result.status == 0, "\(result.errors)")
    }

    /// Who fetched archives that are not read learns that, also where there is nothing else.
    @Test func onlyArchivesOfOtherKinds() throws {
        for name in ["room.tgz", "scan.sens.gz"] { try quick.folder.write("x", to: "in/\(name)") }
        let result = try Scanmill.run(["run", "quick.yaml", "in", "-o", "out"], in: quick.folder.path)
        #expect(result.status == 2)
        #expect(
            result.errors.hasPrefix(
                "warning: archives of other kinds than ZIP were passed over: in/room.tgz, in/scan.sens.gz\n"
                    + "   = fix: unpack them"), "\(result.errors)")
    }

    /// One is not several.
    @Test func oneOfWhatIsPassedOver() throws {
        try quick.copySample("desk")
        for name in ["room.tgz", "walk.mp4"] { try quick.folder.write("x", to: "in/\(name)") }
        let said = """
            warning: an archive of another kind than ZIP was passed over: in/room.tgz
               = fix: unpack it, or pack the capture as ZIP
            warning: a video without poses was passed over: in/walk.mp4
               = fix: for its pictures alone, such as for COLMAP, take it with  --format video

            """
        #expect(try quick.run(["in", "-o", "out"]).errors == said)
    }

    /// A video by itself is run where it is asked for, and the rest is run.
    @Test func videosWithoutPosesAreNamed() throws {
        try quick.copySample("desk")
        for name in ["walk.mp4", "again.mov"] { try quick.folder.write("x", to: "in/\(name)") }
        let result = try quick.run(["in", "-o", "out"])
        #expect(result.status == 0 && result.output.contains("1 capture: 1 done"), "\(result)")
        let warning = """
            warning: videos without poses were passed over: in/again.mov, in/walk.mp4
               = fix: for their pictures alone, such as for COLMAP, take them with  --format video

            """
        #expect(result.errors == warning)
    }

    /// Also by different paths.
    @Test func whatIsFoundTwiceIsSaidOnce() throws {
        try quick.copySample("desk")
        try quick.folder.copySample("polycam", to: "in/desk/more")
        for name in ["room.tgz", "notes/text.txt"] { try quick.folder.write("x", to: "in/\(name)") }
        func plan(_ inputs: String...) throws -> CommandResult {
            try Scanmill.run(["plan", "quick.yaml"] + inputs + ["-o", "out"], in: quick.folder.path)
        }
        let once = try plan("in")
        for what in ["there are more in it: in/desk/more\n", "over: in/room.tgz\n", "no capture in in/notes\n"] {
            #expect(once.errors.contains(what), "\(once)")
        }
        let twice = try plan("in", "./in", "in/notes")
        #expect(twice.status == 0 && twice.errors == once.errors, "\(twice)")
        // What is named by itself is run, and not left out.
        let inner = try plan("in/desk", "./in/desk/more")
        #expect(inner.errors == "" && inner.output.contains("run        more  new\n"), "\(inner)")
    }

    /// By the command line, by the pipeline, or by their names; what needs more than pictures says so.
    @Test func videosThatAreAskedForAreRun() throws {
        try quick.copySample("desk")
        var mini = MiniCapture()
        mini.pictures = .mp4
        try mini.write(in: quick.folder)
        let film = try quick.folder.bytes("mini/recorded.mp4")
        try quick.folder.write(film, to: "in/walk.MOV")
        try quick.folder.write(film, to: "more/again.mp4")
        let stages = ["filter-blur: {count: 3}", "write-frames: {depth: none}"].map { "  - \($0)\n" }.joined()
        try quick.folder.write("stages:\n  - read\n\(stages)", to: "pictures.yaml")
        try quick.folder.write("stages:\n  - read: {format: video}\n\(stages)", to: "films.yaml")
        func run(_ arguments: String...) throws -> CommandResult {
            try Scanmill.run(["run"] + arguments + ["-q"], in: quick.folder.path)
        }
        let asked = try run("pictures.yaml", "in", "--format", "video", "-o", "asked")
        #expect(asked.status == 0 && asked.errors == "", "\(asked)")
        let named = try run("pictures.yaml", "in/walk.MOV", "-o", "named")
        #expect(named.status == 0 && named.errors == "", "\(named)")
        let read = try run("films.yaml", "more", "-o", "read")
        #expect(read.status == 0 && read.errors == "", "\(read)")
        for result in ["asked/walk", "named/walk", "read/again"] {
            #expect(quick.names(result + "/outputs/color") == ["0.jpg", "1.jpg", "2.jpg"], "\(result)")
        }
        #expect(quick.names("asked").filter { !$0.hasPrefix(".") } == ["walk"])
        let cloud = try quick.run(["in/walk.MOV", "-o", "out"])
        #expect(cloud.status == 1 && cloud.errors.contains("a video by itself has none"), "\(cloud)")
        #expect(cloud.errors.contains("video-frames.yaml"), "\(cloud)")
        // Nothing else tells what frames there are, and another night they may be read.
        let bare = try Scanmill.run(
            ["run", "pictures.yaml", "in/walk.MOV", "-o", "bare"], in: quick.folder.path,
            environment: ["PATH": quick.folder.path])
        #expect(bare.status == 3 && bare.errors.contains("error: ffmpeg was not found\n"), "\(bare)")
    }

    @Test func namesWithLineFeedsAreShownInOneLine() throws {
        try quick.copySample("two\nlines")
        let plan = try Scanmill.run(["plan", "quick.yaml", "in", "-o", "out"], in: quick.folder.path)
        #expect(plan.output.hasPrefix("cannot run two\\u{a}lines  "), "\(plan)")
    }

    // MARK: - Left out by name

    /// A capture that is known to be bad wakes nobody, and does not count as news the next morning.
    @Test func capturesThatAreLeftOut() throws {
        for id in ["bad", "desk"] { try quick.copySample(id) }
        let depth = try quick.folder.bytes("in/bad/desk.depth.zlib")
        try quick.folder.write(Array(depth.prefix(depth.count / 2)), to: "in/bad/desk.depth.zlib")
        #expect(try quick.run(["in", "-o", "out", "-q"]).status == 1)
        let words = ["in", "-o", "out", "--exclude", "bad"]
        let plan = try Scanmill.run(["plan", "quick.yaml"] + words, in: quick.folder.path)
        #expect(plan.output.contains("excluded   bad\n") && plan.output.contains(", 1 excluded\n"), "\(plan)")
        let planned = try Scanmill.run(["plan", "quick.yaml", "--json"] + words, in: quick.folder.path)
        let entries = try JSONValue.parse(Array(planned.output.utf8), file: "stdout")["captures"]?.array ?? []
        #expect(entries.count == 2 && entries.last?["decision"]?.string == "excluded", "\(planned)")
        let night = try quick.run(words + ["--force", "--metrics", "night.prom", "--log", "log"])
        #expect(night.status == 0 && night.errors == "", "\(night)")
        #expect(night.output.contains("excluded bad\n"), "\(night)")
        #expect(night.output.contains("2 captures: 1 done, 1 excluded; results are in out\n"), "\(night)")
        let figures = String(decoding: try quick.folder.bytes("night.prom"), as: UTF8.self).withoutOwner
        #expect(figures.contains("scanmill_captures{ended=\"excluded\"} 1\n"))
        let log = String(decoding: try quick.folder.bytes("log"), as: UTF8.self)
        #expect(log.contains(#""captures":2"#) && log.contains(#""id":"bad","input":"in/bad","status":"excluded"}"#))
        let status = try Scanmill.run(["status", "out"], in: quick.folder.path).output
        #expect(status.hasPrefix("excluded  bad  ") && status.hasSuffix("\n1 done, 1 excluded\n"), "\(status)")
        let show = "cat \"$('\(Scanmill.path)' report out)\""
        let html = try runCommand(["sh", "-c", show], in: quick.folder.path).output
        #expect(html.contains("<p>It has no result: --exclude left it out.</p>"))
        #expect(html.contains("</b> left out</a>") && !html.contains("</b> failed</a>"))
        #expect(try quick.run(words).output.contains("2 captures: 1 up to date, 1 excluded; "))
    }

    /// It lies there every night.
    @Test func aFolderWithoutACaptureThatIsKnown() throws {
        try quick.copySample("desk")
        try quick.folder.write("bring the cable", to: "in/notes/todo.txt")
        let run = try quick.run(["in", "-o", "out", "-q", "--log", "log", "--metrics", "night.prom"])
        #expect(run.status == 0 && run.errors.hasPrefix("warning: there is no capture in in/notes\n"), "\(run)")
        // All of them, for programs.
        let log = String(decoding: try quick.folder.bytes("log"), as: UTF8.self)
        #expect(log.contains("\"without-capture\":[\"in/notes\"]"), "\(log)")
        let figures = String(decoding: try quick.folder.bytes("night.prom"), as: UTF8.self).withoutOwner
        #expect(figures.contains("\nscanmill_without_capture 1.0\n"))
        func without(_ command: String, _ more: String...) throws -> JSONValue? {
            let words = [command, "quick.yaml", "in", "-o", "out", "--json"] + more
            let output = try Scanmill.run(words, in: quick.folder.path).output
            return try JSONValue.parse(Array(output.utf8), file: "stdout")["without-capture"]
        }
        #expect(try without("plan") == .of(["in/notes"]) && without("run") == .of(["in/notes"]))
        #expect(try without("plan", "--exclude", "notes") == .array([]))
        let silent = try quick.run(["in", "-o", "out", "-q", "--exclude", "notes"])
        #expect(silent.status == 0 && silent.errors == "", "\(silent)")
    }

    @Test func aWordOfExcludeThatFitsNothingEndsNoNight() throws {
        try quick.copySample("desk")
        let run = try quick.run(["in", "-o", "out", "-q", "--exclude", "dsek", "--exclude", "old*"])
        let warnings = """
            warning: `--exclude dsek`: no capture has this id
               = fix: did you mean `desk`?
            warning: `--exclude old*`: no capture has this id
               = fix: `scanmill plan` without `--exclude` lists the captures and their ids

            """
        #expect(run.status == 0 && run.errors == warnings, "\(run)")
    }

    /// A capture that is gone is not called like one that is there, and good: whoever believed that would leave it out.
    @Test func anotherNumberIsNoSlip() throws {
        for id in ["scan_0321", "scan_0402"] { try quick.copySample(id) }
        func suggestion(for word: String) throws -> String? {
            let plan = try Scanmill.run(
                ["plan", "quick.yaml", "in", "-o", "out", "--unopened", "--exclude", word], in: quick.folder.path)
            return plan.errors.firstMatch(of: #/did you mean `(.*)`\?/#).map { String($0.1) }
        }
        #expect(try suggestion(for: "scan_7321") == nil)
        #expect(try suggestion(for: "Scan-0322") == nil)
        // Without the zeros in front it is the same number.
        #expect(try suggestion(for: "scan_402") == "scan_0402")
        #expect(try suggestion(for: "scna_0321") == "scan_0321")
    }

    /// The mail of every night has them, and most are of captures that are gone.
    @Test func wordsOfExcludeThatFitNothingAreToldAtOnce() throws {
        try quick.copySample("desk")
        func warnings(_ words: String...) throws -> String {
            let options = words.flatMap { ["--exclude", $0] }
            return try Scanmill.run(
                ["plan", "quick.yaml", "in", "-o", "out", "--unopened"] + options, in: quick.folder.path
            ).errors
        }
        let fix = "   = fix: leave out those whose captures are gone for good\n"
        let many = "no capture has these ids of `--exclude`"
        let slip = "warning: `--exclude dsek`: no capture has this id\n   = fix: did you mean `desk`?\n"
        #expect(
            try warnings("gone1", "dsek", "gone2")
                == "\(slip)warning: \(many): gone1, gone2\n\(fix)")
        #expect(
            try warnings("gone1", "dsek", "gone2", "gone3", "gone4", "gone5", "gone6")
                == "warning: \(many): gone1, dsek, gone2, gone3, gone4 and 2 more\n\(fix)"
        )
    }

    @Test func manyInputsWithoutACaptureAreCounted() throws {
        let inputs = (1...7).map { "empty\($0)" }
        for input in inputs { try quick.folder.write("ply\n", to: "\(input)/cloud.ply") }
        let result = try quick.run(inputs + ["-o", "out", "--format", "ply"])
        let message = """
            error: there is no capture in empty1, empty2, empty3, empty4, empty5 and 2 more
               = fix: folders are not searched for PLY files; name them:  empty1/*.ply empty2/*.ply empty3/*.ply \
            empty4/*.ply empty5/*.ply …

            """
        #expect(result.status == 2 && result.errors == message, "\(result)")
    }

    /// Hundreds of them would push what else there is off the screen, every night.
    @Test func manyThatAreLeftOutAreCounted() throws {
        let ids = (1...8).map { "old\($0)" }
        for id in ids + ["desk"] { try quick.copySample(id) }
        let words = ["in", "-o", "out", "--exclude", "old*"]
        let five = { (begin: String) in ids.prefix(5).map { "\(begin)\($0)\n" }.joined() }
        let plan = try Scanmill.run(["plan", "quick.yaml"] + words, in: quick.folder.path)
        let planned = "run        desk  new\n\(five("excluded   "))excluded   3 more (--all lists them)\n1 would run, "
        #expect(plan.output.hasPrefix(planned), "\(plan)")
        let all = try Scanmill.run(["plan", "quick.yaml", "--all"] + words, in: quick.folder.path)
        #expect(all.output.contains("\nexcluded   old8\n1 would run, "), "\(all)")
        let night = try quick.run(words + ["--no-report"])
        #expect(night.output.hasPrefix(five("excluded ")) && !night.output.contains("old6"), "\(night)")
        #expect(night.output.contains("\nexcluded 3 more captures\n9 captures: 1 done, 8 excluded; "), "\(night)")
    }

    /// The ids that a run would take.
    private func planned(_ options: String...) throws -> [String] {
        let plan = try Scanmill.run(
            ["plan", "quick.yaml", "in", "-o", "out", "--json"] + options, in: quick.folder.path)
        let captures = try JSONValue.parse(Array(plan.output.utf8), file: "stdout")["captures"]?.array ?? []
        return captures.filter { $0["decision"]?.string == "run" }.compactMap { $0["id"]?.string }.sorted()
    }

    /// To fnmatch, each byte is a character.
    @Test func patternsAreMadeOfCharacters() throws {
        for id in ["a1", "b12", "e\u{301}1", "\u{e9}2"] { try quick.copySample(id) }
        #expect(try planned("--only", "?1") == ["a1", "\u{e9}1"])
        #expect(try planned("--only", "[\u{e0}-\u{fc}][0-9]") == ["\u{e9}1", "\u{e9}2"])
        #expect(try planned("--only", "[!a-z]*") == ["\u{e9}1", "\u{e9}2"])
        #expect(try planned("--only", "[^a-z]*") == ["\u{e9}1", "\u{e9}2"])
        #expect(try planned("--only", "[]b]*") == ["b12"])
        #expect(try planned("--only", "[[:alpha:]][0-9]?") == ["b12"])
        #expect(try planned("--only", "??") == ["a1", "\u{e9}1", "\u{e9}2"])
        #expect(try planned("--only", "\\a*1") == ["a1"])
        #expect(try planned("--exclude", "a[12]", "--exclude", "\u{e9}?") == ["b12"])
    }

    /// Browsers give a second download such a name, and the capture of the pattern would be left out in its stead.
    @Test func anIDThatIsGoneIsNoPattern() throws {
        for id in ["a1", "a2"] { try quick.copySample(id) }
        #expect(try planned("--exclude", "a[1]") == ["a1", "a2"])
        let plan = try Scanmill.run(
            ["plan", "quick.yaml", "in", "-o", "out", "--exclude", "a[1]"], in: quick.folder.path)
        #expect(plan.errors.contains("warning: `--exclude a[1]`: no capture has this id\n"), "\(plan)")
        try quick.copySample("a[1]")
        #expect(try planned("--exclude", "a[1]") == ["a1", "a2"])
    }

    /// An id that looks like a pattern names itself.
    @Test func capturesByPattern() throws {
        for id in ["scene01_a", "scene01_b", "scene02_a", "scene0?"] { try quick.copySample(id) }
        #expect(try planned("--only", "scene01*") == ["scene01_a", "scene01_b"])
        #expect(try planned("--only", "scene0?") == ["scene0?"])
        #expect(try planned("--only", "scene*", "--exclude", "*_a") == ["scene01_b", "scene0?"])
        let none = try quick.run(["in", "-o", "out", "--only", "room*"])
        #expect(none.status == 2)
        #expect(none.errors.hasPrefix("error: `--only room*`: no capture has this id\n"), "\(none)")
    }
}
