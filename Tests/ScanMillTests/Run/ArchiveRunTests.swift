import Foundation
import ScanModel
import TestSupport
import Testing

/// Captures that are ZIP archives, through the tool.
@Suite struct ArchiveRunTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// `in/mini.zip` with, and without, compression, beside the folder that it was made of.
    private func pack(_ mini: MiniCapture, compressed: Bool) throws {
        try mini.write(in: folder)
        let script = """
            import os, sys, zipfile
            top, name, method = sys.argv[1], sys.argv[2], int(sys.argv[3])
            os.makedirs(top + '/in', exist_ok=True)
            with zipfile.ZipFile(f'{top}/in/{name}.zip', 'w', method) as z:
                for base, _, files in os.walk(f'{top}/{name}'):
                    for f in sorted(files):
                        path = os.path.join(base, f)
                        z.write(path, os.path.relpath(path, top))
            """
        let result = try runPython(script, [folder.path, mini.id, compressed ? "8" : "0"])
        #expect(result.status == 0, "\(result.errors)")
    }

    /// What is compressed is unpacked into `TMPDIR`, and where that cannot be, the machine is at fault.
    @Test func aTemporaryFolderOfOnesOwn() throws {
        var mini = MiniCapture()
        mini.pictures = .mp4
        try pack(mini, compressed: true)
        let lost = try folder.run(
            "read, measure-blur", ["in", "-o", "out", "--no-report"], environment: ["TMPDIR": "\(folder.path)/none"])
        #expect(lost.status == 3)
        #expect(lost.errors.contains("error: no temporary copy can be written: No such file or directory"), "\(lost)")
        #expect(lost.errors.contains("was to be unpacked into \(folder.path)/none"), "\(lost.errors)")
        #expect(lost.errors.contains("fix: name a folder that can be written to with TMPDIR"), "\(lost.errors)")
        try folder.write("", to: "tmp/mark")
        let found = try folder.run(
            "read, measure-blur", ["in", "-o", "out", "--no-report"], environment: ["TMPDIR": "\(folder.path)/tmp"])
        #expect(found.status == 0, "\(found.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/tmp") == ["mark"])
    }

    /// People keep the export that they unpacked beside it.
    @Test func anArchiveBesideItsUnpackedCopyIsPassedOver() throws {
        let mini = MiniCapture()
        try pack(mini, compressed: true)
        let stages = "read, decompress, unproject, write-ply"
        let command = ["in", "-o", "out", "--no-report"]
        try #require(try folder.run(stages, command).status == 0)
        try FileManager.default.copyItem(at: folder.url("mini"), to: folder.url("in/mini"))
        // Something that was added makes no difference, nor is the result that the archive gave another one's.
        try folder.write("", to: "in/mini/notes.txt")
        let both = try folder.run(stages, command)
        #expect(both.status == 0 && both.output.contains("1 capture: 1 "), "\(both)")
        let told =
            "warning: an archive was passed over, since the folder into which it was unpacked is there too: in/mini.zip\n"
        #expect(both.errors.hasPrefix(told), "\(both.errors)")

        // Of two, nobody can say which one is meant, whatever the archive holds: it is not compared with either.
        try FileManager.default.createDirectory(at: folder.url("in/more"), withIntermediateDirectories: false)
        try FileManager.default.copyItem(at: folder.url("mini"), to: folder.url("in/more/mini"))
        let three = try folder.run(stages, command)
        #expect(three.status == 1 && three.errors.contains("error: 3 captures are called mini\n"), "\(three)")
        try FileManager.default.removeItem(at: folder.url("in/more"))

        // One that lacks something is not chosen for anybody.
        try FileManager.default.removeItem(at: folder.url("in/mini/recorded.depth.zlib"))
        let lacking = try folder.run(stages, command)
        #expect(lacking.status == 1, "\(lacking)")
        let named = "scanmill run trouble.yaml in/mini -o out --no-report"
        #expect(
            lacking.errors.contains(
                """
                error: 2 captures are called mini
                  --> in/mini
                   = one is in/mini, a folder
                   = one is in/mini.zip, an archive
                   = the archive holds 1 file that the folder lacks or has in another size: recorded.depth.zlib
                   = fix: move one of them elsewhere, or name the one that is meant:  \(named)  or  \(named.replacing("in/mini", with: "in/mini.zip"))

                """), "\(lacking.errors)")
        let chosen = try folder.run(stages, ["in/mini.zip", "-o", "out", "--no-report"])
        #expect(chosen.status == 0, "\(chosen)")
    }

    /// Two recordings that merely have one name: both are to be run.
    @Test func anArchiveAndAFolderInAnotherFormat() throws {
        try pack(MiniCapture(), compressed: true)
        let made = try Scanmill.run(["sample", "in/mini", "--frames", "2", "--format", "tum"], in: folder.path)
        try #require(made.status == 0, "\(made.errors)")
        let both = try folder.run("read, decompress, unproject, write-ply", ["in", "-o", "out", "--no-report"])
        #expect(both.status == 1 && both.errors.hasPrefix("error: 2 captures are called mini\n"), "\(both)")
        let fix = "fix: rename all but one, run them into different output folders, or run a folder of links"
        #expect(both.errors.contains(fix), "\(both.errors)")
    }

    private func digests(_ path: String) throws -> String {
        try runCommand(["sh", "-c", "find . -type f ! -name receipt.json | sort | xargs sha256sum"], in: path).output
    }

    @Test(arguments: [MiniCapture.Pictures.png, .mp4], [false, true])
    func givesWhatItsFolderGives(pictures: MiniCapture.Pictures, compressed: Bool) throws {
        var mini = MiniCapture()
        mini.pictures = pictures
        try pack(mini, compressed: compressed)
        let pipeline = """
            name: both
            stages:
              - read
              - select-frames: {exclude: 2}
              - decompress
              - unproject
              - write-ply
              - write-frames: {step: 1}
              - write-staging
            """
        try folder.write(pipeline, to: "both.yaml")
        for input in ["in", "mini"] {
            let result = try Scanmill.run(
                ["run", "both.yaml", input, "-o", "out-\(input)", "-q"], in: folder.path)
            #expect(result.status == 0, "\(result.errors)")
        }
        let fromArchive = try digests("\(folder.path)/out-in/mini")
        #expect(fromArchive == (try digests("\(folder.path)/out-mini/mini")))
        #expect(fromArchive.contains("mini.ply"))
        // Digests of the same files, by the same names.
        let receipts = try ["in", "mini"].map {
            try JSONValue.parse(try folder.bytes("out-\($0)/mini/receipt.json"), file: "receipt.json")
        }
        #expect(receipts[0] == receipts[1])
        let again = try Scanmill.run(["run", "both.yaml", "in", "-o", "out-in"], in: folder.path)
        #expect(again.output == "1 capture: 1 up to date; results are in out-in\n")
    }

    /// A picture's checksum tells of damage that lies behind its header: one frame goes, as it would with a damaged file.
    @Test(arguments: [false, true]) func aDamagedPictureCostsItsFrame(compressed: Bool) throws {
        try pack(MiniCapture(), compressed: compressed)
        let sound = try folder.bytes("in/mini.zip")
        let script = """
            import sys, zipfile
            path = sys.argv[1]
            with zipfile.ZipFile(path) as z:
                entry = next(e for e in z.infolist() if e.filename.endswith('3.png'))
            data = bytearray(open(path, 'rb').read())
            start = entry.header_offset + 30 + len(entry.filename)
            data[start + entry.compress_size // 2] ^= 0x55
            open(path, 'wb').write(data)
            print(entry.filename)
            """
        let damaged = try runPython(script, ["\(folder.path)/in/mini.zip"])
        #expect(damaged.status == 0, "\(damaged.errors)")
        let file = damaged.output.split(separator: "/").dropFirst().joined(separator: "/").trimmingCharacters(
            in: .newlines)
        try folder.write(
            "name: list\nstages:\n  - read: {bad-frame-limit: 0.2}\n  - write-transforms\n", to: "list.yaml")
        let command = ["run", "list.yaml", "in", "-o", "out"]
        let result = try Scanmill.run(command, in: folder.path)
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("done     mini  6 of 7 frames (1 bad frame dropped)"), "\(result.output)")
        let receipt = try JSONValue.parse(try folder.bytes("out/mini/receipt.json"), file: "receipt.json")
        let dropped = try #require(receipt["frames"]?["dropped"]?.array?.first)
        #expect(dropped["frame"]?.integer == 3)
        #expect(dropped["reason"]?.string?.contains(file) == true, "\(dropped)")
        #expect(try Scanmill.run(command, in: folder.path).output.hasPrefix("1 capture: 1 up to date"))
        // With the limit that the README's pipelines have, one in seven is too many.
        let strict = try Scanmill.run(command + ["--set", "read.bad-frame-limit=0.05", "--force"], in: folder.path)
        #expect(strict.status == 1 && strict.output.contains("1 of 7 frames is bad"), "\(strict.output)")
        try folder.write(sound, to: "in/mini.zip")
        let mended = try Scanmill.run(command, in: folder.path)
        #expect(mended.output.contains("done     mini  7 frames"), "\(mended.output)")
    }

    /// Nothing hangs on the box but what a stage would make of it.
    @Test func aDamagedBoxCostsTheBox() throws {
        var mini = MiniCapture()
        mini.hasBox = false
        try pack(mini, compressed: false)
        let script = """
            import sys, zipfile
            path = sys.argv[1]
            with zipfile.ZipFile(path, 'a') as z: z.writestr('mini/boundingbox.json', '{"corners": "' + 'x' * 2000 + '"}')
            data = bytearray(open(path, 'rb').read())
            data[data.index(b'xxxx') + 1000] ^= 1
            open(path, 'wb').write(data)
            """
        #expect(try runPython(script, ["\(folder.path)/in/mini.zip"]).status == 0)
        try folder.write("name: list\nstages:\n  - read\n  - write-staging: {depth: source}\n", to: "list.yaml")
        let result = try Scanmill.run(["run", "list.yaml", "in", "-o", "out"], in: folder.path)
        #expect(result.status == 0 && result.output.contains("done     mini  7 frames"), "\(result.errors)")
        #expect(result.errors.contains("the box cannot be read: "), "\(result.errors)")
    }

    @Test func aBombIsNamedAndTheNightGoesOn() throws {
        try pack(MiniCapture(), compressed: true)
        let script = """
            import sys, zipfile
            with zipfile.ZipFile(sys.argv[1], 'w', 8) as z: z.writestr('scan.json', bytes(64 << 20))
            """
        #expect(try runPython(script, ["\(folder.path)/in/bomb.zip"]).status == 0)
        try folder.write("name: list\nstages:\n  - read\n", to: "list.yaml")
        let result = try Scanmill.run(["run", "list.yaml", "in", "-o", "out"], in: folder.path)
        #expect(result.status == 1)
        #expect(result.errors.contains("bytes for each of the archive's"))
        #expect(result.errors.contains("in/bomb.zip"))
        #expect(result.output.contains("2 captures: 1 done, 1 failed"))
    }

    @Test func isInspected() throws {
        try pack(MiniCapture(), compressed: true)
        let result = try Scanmill.run(["inspect", "in/mini.zip"], in: folder.path)
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("recorded.depth.zlib"))
    }

    private func run(_ command: String, _ input: String) throws -> CommandResult {
        try folder.write("name: list\nstages:\n  - read\n", to: "list.yaml")
        let place = command == "inspect" ? [command, input] : [command, "list.yaml", input, "-o", "out"]
        return try Scanmill.run(place, in: folder.path)
    }

    /// Whatever an archive among captures holds, something is said of it.
    @Test func noArchiveVanishesFromANight() throws {
        try MiniCapture().write(in: folder)
        let script = """
            import os, sys, zipfile
            top = sys.argv[1]
            os.makedirs(top + '/in')
            def pack(name, folders, others):
                with zipfile.ZipFile(f'{top}/in/{name}.zip', 'w') as z:
                    for other in others: z.writestr(other, other)
                    for folder in folders:
                        for base, _, files in os.walk(top + '/mini'):
                            for f in files:
                                path = os.path.join(base, f)
                                z.write(path, folder + '/' + os.path.relpath(path, top + '/mini'))
            pack('papers', [], ['notes/text.txt'])
            pack('readme', ['scan'], ['README.txt'])
            pack('thumbs', ['rgb'], ['Thumbs.db', 'desktop.ini'])
            pack('two', ['a', 'b'], [])
            """
        #expect(try runPython(script, [folder.path]).status == 0)
        let result = try run("run", "in")
        #expect(result.status == 1)
        for id in ["readme", "thumbs"] { #expect(result.output.contains("done     \(id)  7 frames"), "\(id)") }
        #expect(result.output.contains("failed   two  the archive holds 2 captures\n"))
        #expect(result.output.contains("3 captures: 2 done, 1 failed"))
        #expect(
            result.errors.contains(
                """
                error: the archive holds 2 captures
                  --> in/two.zip
                   = they are a, b
                   = fix: unpack it into a folder, and keep the archive elsewhere

                """), "\(result.errors)")
        #expect(result.errors.contains("warning: there is no capture in in/papers.zip\n"), "\(result.errors)")
        let plan = try run("plan", "in")
        #expect(plan.output.contains("cannot run two  the archive holds 2 captures\n"), "\(plan.output)")
        let counts = "0 would run, 2 would be compared and run if changed, 0 up to date, 1 cannot"
        #expect(plan.output.contains(counts), "\(plan.output)")
        #expect(try run("inspect", "in/readme.zip").status == 0)
        let inspected = try run("inspect", "in/two.zip")
        #expect(inspected.status == 2 && inspected.errors.hasPrefix("error: the archive holds 2 captures\n"))
        #expect(inspected.errors.contains("   = they are a, b\n"), "\(inspected.errors)")
    }

    @Test func capturesInOneFolderFailByName() throws {
        for stem in ["scanA", "scanB"] {
            var mini = MiniCapture()
            (mini.id, mini.stem, mini.pictures) = ("in/flat", stem, .none)
            try mini.write(in: folder)
        }
        let summary = "2 captures lie in one folder"
        for input in ["in", "in/flat"] {
            defer { try? FileManager.default.removeItem(at: folder.url("out")) }
            let result = try run("run", input)
            #expect(result.status == 1 && result.output.contains("failed   flat  \(summary)\n"), "\(result.output)")
            #expect(
                result.errors.contains(
                    """
                    error: \(summary)
                      --> in/flat
                       = they are scanA, scanB
                       = fix: make a folder for each, and move its files there

                    """), "\(result.errors)")
            #expect(try run("plan", input).output.contains("cannot run flat  \(summary)\n"))
        }
        let inspected = try run("inspect", "in/flat")
        #expect(inspected.status == 2 && inspected.errors.hasPrefix("error: \(summary)\n  --> in/flat\n"))
    }
}
