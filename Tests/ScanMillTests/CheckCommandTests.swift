import Glibc
import ScanModel
import TestSupport
import Testing

@Suite struct CheckCommandTests {
    @Test func allMistakesAreShownAtOnce() throws {
        let folder = try TemporaryFolder()
        try folder.write(
            """
            nmae: typo
            stages:
              - read: {mismatch: longest}
              - mask-range: {near: 5, far: 1}
              - unproject
              - filter-blur

            """, to: "bad.yaml")
        let result = try Scanmill.run(["check", "bad.yaml"], in: folder.path)
        #expect(result.status == 2)
        #expect(result.output == "bad.yaml: 5 mistakes\n")
        for line in [
            "bad.yaml:1:1: error: unknown key `nmae`", "did you mean `name`?",
            "bad.yaml:3:12: error: read: `mismatch` is `longest`, which is not one of auto, shortest, fail",
            "error: mask-range: `near`, 5, is not below `far`, 1",
            "bad.yaml:4:5: error: `mask-range` needs depth, which no stage before it makes",
            "error: filter-blur: one of `at-least`, `keep`, `window`, `seconds`, `count` is needed",
        ] { #expect(result.errors.contains(line), "\(line) is missing in \(result.errors)") }
    }

    /// The file's line was sound, and to swap them would put one into the other's place.
    @Test(arguments: [
        ("mask-range.near=9", "set a smaller `near`, or a larger `far` too"),
        ("mask-range.far=0.1", "set a larger `far`, or a smaller `near` too"),
    ]) func aSettingThatDoesNotSuitTheFile(_ setting: String, _ fix: String) throws {
        let folder = try TemporaryFolder()
        let text = "stages:\n  - read\n  - decompress\n  - mask-range: {near: 0.2, far: 5}\n  - write-frames\n"
        try folder.write(text, to: "range.yaml")
        let result = try Scanmill.run(["check", "range.yaml", "--set", setting], in: folder.path)
        #expect(result.status == 2)
        #expect(result.errors.hasPrefix("error: mask-range: `near`, "), "\(result.errors)")
        #expect(result.errors.hasSuffix("  note: asked for by  --set \(setting)\n  fix: \(fix)\n"), "\(result.errors)")
        let both = ["--set", "mask-range.near=9", "--set", "mask-range.far=8"]
        let swapped = try Scanmill.run(["check", "range.yaml"] + both, in: folder.path)
        #expect(swapped.errors.hasSuffix("  fix: swap them\n"), "\(swapped.errors)")
    }

    /// A key that is there twice hides none of the others.
    @Test func aRepeatedKeyIsOneOfSeveralMistakes() throws {
        let folder = try TemporaryFolder()
        try folder.write("stages:\n  - read\n  - mask-range: {near: 1, near: 2}\n  - unprojekt\n", to: "twice.yaml")
        let result = try Scanmill.run(["check", "twice.yaml"], in: folder.path)
        #expect(result.status == 2)
        #expect(result.errors.contains("twice.yaml:3:18: error: the key `near` occurs here more than once"))
        #expect(result.errors.contains("twice.yaml:4:5: error: there is no stage `unprojekt`"), "\(result.errors)")
    }

    /// YAML takes the stage for a part of the name above it, and nothing that it makes may be missed.
    @Test func aDashThatIsIndentedOtherwiseIsTheOnlyMistake() throws {
        let folder = try TemporaryFolder()
        let text = "stages:\n  - read\n   - decompress\n  - write-frames: {depth: png16}\n"
        try folder.write(text, to: "dash.yaml")
        let result = try Scanmill.run(["check", "dash.yaml"], in: folder.path)
        #expect(result.status == 2 && result.output == "dash.yaml: 1 mistake\n")
        let said = """
            dash.yaml:3:4: error: this dash stands in column 4, and the first one in column 3
                 - decompress
                 ^
              fix: indent all dashes alike

            """
        #expect(result.errors == said, "\(result.errors)")
    }

    /// An unset variable, and an option's value that the shell has parted from it.
    @Test func wordsThatAreNoPipeline() throws {
        let folder = try TemporaryFolder()
        let empty = try Scanmill.run(["check", ""], in: folder.path)
        #expect(empty.status == 2)
        #expect(empty.errors.contains("PIPELINE is a YAML file, and was given as an empty word."), "\(empty.errors)")
        let parted = try Scanmill.run(["check", "--set", "crop.above", "3"], in: folder.path)
        #expect(parted.status == 2 && parted.output == "3: 2 mistakes\n", "\(parted)")
        let lack = "error: `--set crop.above` is not of the form stage.option=value: the `=` is missing\n"
        #expect(parted.errors.hasPrefix(lack), "\(parted.errors)")
    }

    /// Other paths than whole ones may lie in the captures.
    @Test func aFileThatIsNotThereIsWarnedOf() throws {
        let folder = try TemporaryFolder()
        let text = "stages:\n  - read\n  - decompress\n  - cull-by-box: {depth: true, box: FILE}\n  - write-frames\n"
        try folder.write(text.replacing("FILE", with: "/nowhere/box.json"), to: "whole.yaml")
        try folder.write(text.replacing("FILE", with: "nowhere/box.json"), to: "part.yaml")
        try MiniCapture().write(in: folder)
        for command in [["check", "whole.yaml"], ["plan", "whole.yaml", "mini", "-o", "out"]] {
            let result = try Scanmill.run(command, in: folder.path)
            let warning = "whole.yaml:4:32: warning: cull-by-box: there is no file at /nowhere/box.json\n"
            #expect(result.status == 0 && result.errors.hasPrefix(warning), "\(result)")
        }
        #expect(try Scanmill.run(["check", "part.yaml"], in: folder.path).errors == "")
        // Another file for each capture.
        try folder.write(text.replacing("FILE", with: "\"/nowhere/{id}.json\""), to: "each.yaml")
        #expect(try Scanmill.run(["check", "each.yaml"], in: folder.path).errors == "")
        let set = ["check", "part.yaml", "--set", "cull-by-box.box=\(folder.path)/part.yaml"]
        #expect(try Scanmill.run(set, in: folder.path).errors == "")
    }

    @Test func theOrderIsCheckedOnceTheRestIsRight() throws {
        let folder = try TemporaryFolder()
        try folder.write("stages: [read, unproject, decompress, write-ply, write-ply]", to: "order.yaml")
        let result = try Scanmill.run(["check", "order.yaml", "--json"], in: folder.path)
        #expect(result.status == 2)
        let json = try JSONValue.parse(Array(result.output.utf8), file: "stdout")
        let messages = json["mistakes"]?.array?.compactMap { $0["message"]?.string } ?? []
        #expect(messages.contains("`unproject` needs depth, which no stage before it makes"))
        #expect(messages.contains("`write-ply[2]` and `write-ply[1]` both write {id}.ply"))
        #expect(json["mistakes"]?.array?.first?["fix"] == .string("move `decompress` above it"))
    }

    /// `write-ply` would read a cloud, and none is there any more: what was culled of the points before is lost.
    @Test func workThatIsUndoneIsNamed() throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "stages: [read, decompress, unproject, cull-by-box, unproject, write-ply]", to: "twice.yaml")
        let result = try Scanmill.run(["check", "twice.yaml"], in: folder.path)
        #expect(result.status == 0 && result.output == "twice.yaml: ok\n")
        for line in [
            "`cull-by-box` works on cloud and points, which `unproject[2]` below it makes again",
            "fix: take one of them out, or move `cull-by-box` below `unproject[2]`",
        ] { #expect(result.errors.contains(line), "\(line) is missing in \(result.errors)") }
    }

    /// No line of the file shows it.
    @Test func anOptionWithoutEffectThatWasSet() throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "stages: [synthesize, decompress, unproject, voxel-downsample, crop: {around: 1}, write-ply]",
            to: "crop.yaml")
        let result = try Scanmill.run(["check", "crop.yaml", "--set", "crop.from=floor", "--json"], in: folder.path)
        #expect(result.status == 0)
        let warnings = try JSONValue.parse(Array(result.output.utf8), file: "stdout")["warnings"]?.array
        let messages = warnings?.compactMap { $0["message"]?.string }
        #expect(messages == ["`from` has an effect only with `above` or `below`"], "\(result.output)")
    }

    @Test func aFileThatIsNotThereIsSaidSo() throws {
        let result = try Scanmill.run(["check", "nowhere.yaml"])
        #expect(result.status == 2)
        #expect(result.errors.hasPrefix("nowhere.yaml: error: cannot read the file"))
    }

    /// Nobody can say whether there is a mistake in it.
    @Test func aFileThatMayNotBeRead() throws {
        let folder = try TemporaryFolder()
        try folder.write("stages: [read, decompress]\n", to: "closed.yaml")
        #expect(chmod(folder.path, 0o755) == 0 && chmod("\(folder.path)/closed.yaml", 0o000) == 0)
        let what = "a pipeline's file that may not be read"
        guard let tool = try Scanmill.commandOfNobody(in: folder.path, for: what) else { return }
        let result = try runCommand(tool + ["check", "closed.yaml"], in: folder.path)
        #expect(result.status == 3 && result.output == "closed.yaml: not checked\n", "\(result)")
        let said = """
            closed.yaml: error: cannot read the file: Permission denied
              fix: check the owner and the permissions of the file and of its folders

            """
        #expect(result.errors == said, "\(result.errors)")
        let json = try runCommand(tool + ["check", "closed.yaml", "--json"], in: folder.path)
        let problems = try JSONValue.parse(Array(json.output.utf8), file: "stdout")["mistakes"]?.array
        #expect(json.status == 3 && problems?.first?["fault"] == .string("environment"), "\(json)")
    }
}
