import Foundation
import ScanModel
import TestSupport
import Testing

/// The paths that a run is given: what is a capture there, by whatever name, and what is never written to.
@Suite struct RunPathTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A wildcard names more than captures; what is none is said, and does not end the night.
    @Test func whatIsNoCaptureDoesNotStopTheOthers() throws {
        try MiniCapture().write(in: folder)
        try folder.write("notes", to: "notes.txt")
        try folder.write("notes", to: "papers/notes.txt")
        try folder.write("PK\u{3}\u{4} and then nothing", to: "cut.zip")
        let result = try folder.run("read, decompress", ["mini", "notes.txt", "papers", "cut.zip", "-o", "out"])
        #expect(result.status == 1)
        #expect(result.output.contains("done     mini"))
        #expect(result.output.contains("failed   cut  "))
        #expect(result.errors.contains("warning: there is no capture in notes.txt, papers\n"), "\(result.errors)")
        #expect(result.errors.contains("  --> cut.zip at byte 21 of 21, stage read\n"), "\(result.errors)")
        #expect(try folder.run("read", ["notes.txt", "-o", "out2"]).status == 2)
        #expect(try folder.run("read", ["mini", "nosuch", "-o", "out2"]).status == 2)
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/out2"))
    }

    @Test func whatCannotBeLookedAtCanBeNamedAlone() throws {
        try MiniCapture().write(in: folder)
        // Two captures whose files share a folder.
        let pack = """
            import os, zipfile
            with zipfile.ZipFile('two.zip', 'w') as z:
                for one in ['a', 'b']:
                    for name in os.listdir('mini'):
                        if name.startswith('recorded'): z.write('mini/' + name, name.replace('recorded', one))
            """
        try folder.write(pack, to: "pack.py")
        #expect(try runCommand(["python3", "pack.py"], in: folder.path).status == 0)
        let alone = try folder.run("read, decompress", ["mini", "two.zip", "-o", "out", "--only", "two"])
        #expect(alone.status == 1)
        #expect(alone.output.hasPrefix("failed   two  2 captures lie in one folder"), "\(alone.output) \(alone.errors)")
        #expect(alone.output.contains("1 capture: 1 failed"))
        #expect(try folder.run("read, decompress", ["mini", "two.zip", "-o", "out", "--only", "mini"]).status == 0)
    }

    @Test func aCaptureNamedTwiceIsOne() throws {
        try MiniCapture().write(in: folder)
        let result = try folder.run("read", ["mini", "mini", "-o", "out"])
        #expect(result.status == 0)
        #expect(result.output.contains("1 capture: 1 done"))
    }

    @Test func aCaptureUnderManySpellingsIsOne() throws {
        try MiniCapture(id: "caps/a").write(in: folder)
        let spellings = ["caps", "./caps/a", "caps//a", "\(folder.path)/caps", "caps/../caps/a/"]
        let result = try folder.run("read", spellings + ["-o", "out"])
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.hasPrefix("done     a  "), "\(result.output)")
        #expect(result.output.contains("1 capture: 1 done"))
        // Links that have other names make other captures of it.
        try FileManager.default.createDirectory(atPath: "\(folder.path)/links", withIntermediateDirectories: true)
        for name in ["b", "c"] { #expect(symlink("../caps/a", "\(folder.path)/links/\(name)") == 0) }
        #expect(try folder.run("read", ["links/b", "links/c", "-o", "out"]).output.contains("2 captures: 2 done"))
    }

    /// Nobody has named the inner ones, and nothing else tells of them.
    @Test func capturesInsideACaptureAreWarnedOf() throws {
        var mini = MiniCapture()
        try mini.write(in: folder)
        mini.id = "mini/inner"
        try mini.write(in: folder)
        let result = try folder.run("read, write-transforms", ["mini", "-o", "out", "--metrics", "figures"])
        #expect(result.status == 0, "\(result.errors)")
        let figures = String(decoding: try folder.bytes("figures"), as: UTF8.self).withoutOwner
        for count in ["salvaged", "doubtful"] {
            #expect(figures.contains("scanmill_captures_\(count) 0.0\n"), "nothing of it was lost")
        }
        let receipt = try JSONValue.parse(try folder.bytes("out/mini/receipt.json"), file: "receipt.json")
        let warnings = (receipt["warnings"]?.array ?? []).compactMap(\.string)
        #expect(
            warnings.contains {
                $0.hasPrefix("read: more captures lie in the folder of this one, and are not read: inner")
            })
    }

    @Test func oneFormatOfSeveral() throws {
        try MiniCapture().write(in: folder)
        for name in ["0", "1"] {
            try folder.write(try folder.bytes("mini/color/00000\(name).png"), to: "in/pictures/color/\(name).png")
        }
        try FileManager.default.moveItem(at: folder.url("mini"), to: folder.url("in/mini"))
        let pipeline = "read, decompress, unproject, write-ply"
        let all = try folder.run(pipeline, ["in", "-o", "out"])
        #expect(all.status == 1 && all.output.contains("2 captures: 1 done, 1 failed"), "\(all)")
        let one = try folder.run(pipeline, ["in", "-o", "out", "--format", "multiscan"])
        #expect(one.status == 0 && one.output.contains("1 capture: 1 up to date"), "\(one)")
        let none = try folder.run(pipeline, ["in", "-o", "out", "--format", "polycam", "--format", "tum"])
        #expect(none.status == 0 && none.output.contains("none has the format polycam or tum"), "\(none)")
        let typed = try folder.run(pipeline, ["in", "-o", "out", "--format", "multscan"])
        #expect(typed.status == 2 && typed.errors.contains("did you mean `multiscan`?"), "\(typed)")
    }

    /// A pipeline may take one format alone, as `--format` does.
    @Test func thePipelinesFormat() throws {
        try MiniCapture().write(["in/mini"], in: folder)
        let stages = "{read: {format: video}}, {write-frames: {depth: none}}"
        let none = try folder.run(stages, ["in", "-o", "out"])
        #expect(none.status == 0 && none.output.contains("none has the format video\n"), "\(none)")
        let only = try folder.run(stages, ["in", "-o", "out", "--only", "mini"])
        let refusal = "error: `--only mini`: this capture is in the format multiscan, and the pipeline asks for video\n"
        #expect(only.status == 2)
        #expect(only.errors == refusal + "   = fix: use a pipeline for captures of that format\n", "\(only)")
    }

    @Test func theInputIsNeverWrittenTo() throws {
        try MiniCapture().write(in: folder)
        for output in ["mini", "mini/out", "./mini/../mini/deep/er"] {
            let result = try folder.run("read, decompress", ["mini", "-o", output])
            #expect(result.status == 2)
            #expect(result.errors.contains("the results would be written into the capture mini"), "\(result.errors)")
        }
        #expect(symlink("mini", folder.path + "/link") == 0)
        #expect(try folder.run("read, decompress", ["mini", "-o", "link/out"]).status == 2)
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/mini/.scanmill"))
        // OUT itself is not searched, and may be the only capture.
        try MiniCapture().write(["in/scan"], in: folder)
        let only = try folder.run("read, decompress", ["in", "-o", "in/scan"])
        #expect(only.status == 2)
        #expect(only.errors.contains("error: the results would be written into the capture "), "\(only.errors)")
        // A result is a capture too, and its own result would take its place.
        let staging = "read, decompress, write-staging"
        #expect(try folder.run(staging).status == 0)
        let own = try folder.run(staging, ["out/mini", "-o", "out", "--set", "read.format=multiscan"])
        #expect(own.status == 2)
        #expect(own.errors.contains("the result would replace the capture out/mini itself"), "\(own.errors)")
        #expect(try folder.run(staging, ["out/mini", "-o", "out2"]).status == 0)
    }

    /// Options name files from the capture or from the pipeline, and people from where they are.
    @Test(arguments: ["p/cut.yaml", "object-mesh"]) func aFileNamedFromWhereTheCommandIsGiven(_ pipeline: String) throws
    {
        try MiniCapture().write(in: folder)
        try folder.write("{}", to: "boxes/box.json")
        try folder.write("stages: [read, decompress, unproject, cull-by-box, write-ply]\n", to: "p/cut.yaml")
        let result = try Scanmill.run(
            ["run", pipeline, "mini", "-o", "out", "--set", "cull-by-box.box=boxes/box.json"], in: folder.path)
        #expect(result.status == 1, "\(result)")
        #expect(result.errors.contains("= fix: name it by its full path, "), "\(result.errors)")
        #expect(result.errors.contains("/boxes/box.json\n"), "\(result.errors)")
    }

    /// To a terminal or to Unicode these end a line, and one of them is a control character.
    @Test(arguments: ["x\u{85}y", "x\u{2028}y", "\u{c3}\u{84}"]) func oddNamesDoNotHideTheCause(_ id: String) throws {
        try MiniCapture(id: id).write(in: folder)
        #expect(try folder.run("read, decompress, write-staging", [id, "-o", "out"]).status == 0)
        let depth = try folder.bytes("\(id)/recorded.depth.zlib")
        try folder.write(Array(depth.prefix(depth.count / 2)), to: "\(id)/recorded.depth.zlib")
        let result = try folder.run("read, decompress, write-staging", [id, "-o", "out"])
        #expect(result.status == 1, "\(result.errors)")
        #expect(result.errors.contains("error: depth stream truncated"), "\(result.errors)")
    }
}
