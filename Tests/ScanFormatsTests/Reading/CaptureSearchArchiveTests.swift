import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

/// Captures that are archives.
extension CaptureSearchTests {
    /// What a pipeline allows an archive to hold counts for what it is called too.
    @Test func archivesWithinTheLimitsThatAreGiven() throws {
        try folder.write(String(repeating: "0", count: 1 << 25), to: "night/a/color/zeros.txt")
        try capture("night/a")
        try runCommand(["python3", "-c", "import shutil; shutil.make_archive('a', 'zip', 'night')"], in: folder.path)
            .require(0)
        var limits = ArchiveLimits()
        limits.ratio = 1_000_000
        let path = "\(folder.path)/a.zip"
        #expect(try CaptureSearch(at: path).captures.map(\.format) == [nil])
        #expect(try CaptureSearch(at: path, limits: limits).captures.map(\.format) == ["frames"])
    }

    @Test func archivesAreCaptures() throws {
        try capture("plain")
        try capture("scans/inner")
        let script = """
            import shutil, sys, zipfile
            shutil.make_archive(sys.argv[1] + '/packed', 'zip', sys.argv[1] + '/scans', 'inner')
            with zipfile.ZipFile(sys.argv[1] + '/papers.zip', 'w') as z: z.writestr('notes.txt', 'x')
            """
        #expect(try runPython(script, [folder.path]).status == 0)
        try folder.write("PK\u{3}\u{4} and then nothing", to: "broken.r3d")
        try folder.write("not what its name says", to: "text.zip")
        let found = try CaptureSearch.captures(at: folder.path)
        // A damaged one is found too, to fail by its name.
        #expect(found.map(\.id) == ["broken", "packed", "plain", "inner", "text"])
        #expect(try CaptureSearch.captures(at: "\(folder.path)/packed.zip").map(\.id) == ["packed"])
        #expect(try CaptureSearch.captures(at: "\(folder.path)/broken.r3d").map(\.id) == ["broken"])
        #expect(try CaptureSearch.captures(at: "\(folder.path)/papers.zip").isEmpty)
        #expect(throws: Problem.self) { try CaptureSearch.captures(at: "\(folder.path)/text.zip") }
    }

    /// Google Drive packs a large download into several archives, each with some of a capture's files.
    @Test(arguments: [("-001", "-002"), ("-2-001", "-2-002")])
    func partsOfADownload(_ one: String, _ two: String) throws {
        let name = "my scan-20240604T101500Z"
        for (part, frame) in [(one, "a"), (two, "b")] {
            try pack("night/\(name)\(part)", ["my scan/transforms.json", "my scan/\(frame).png"])
        }
        // One part alone is whole, as far as anybody can tell, and so is another download.
        try pack("night/my scan-20240605T101500Z-001", ["my scan/transforms.json"])
        try pack("night/scan-001", ["scan/transforms.json"])
        try pack("night/scan-002", ["scan/transforms.json"])
        let search = try CaptureSearch(at: "\(folder.path)/night")
        #expect(
            search.captures.map(\.path.lastPart) == [
                "my scan-20240605T101500Z-001.zip", "scan-001.zip", "scan-002.zip",
            ])
        #expect(search.unreadable.map(\.name) == [name + one, name + two])
        let problem = try #require(search.unreadable.first?.problem)
        #expect(problem.summary == "2 archives are parts of one download, each with some of its files")
        #expect(problem.notes == ["they are \(name)\(one).zip, \(name)\(two).zip"])
        // The proposed command makes one capture of them.
        let fix = try #require(problem.fix).components(separatedBy: "  ")
        #expect(fix.first == "unpack them into one folder with" && fix.last == "and remove the parts", "\(fix)")
        let command = try #require(fix.dropFirst().first)
        try runCommand(["sh", "-c", command], in: folder.path).require(0)
        #expect(try CaptureSearch.captures(at: "\(folder.path)/night/my scan").map(\.id) == ["my scan"])
        #expect(FileManager.default.fileExists(atPath: "\(folder.path)/night/my scan/my scan/b.png"))
        // Named one by one, as by a shell's pattern, they are no captures either.
        let part = "\(folder.path)/night/\(name)\(two).zip"
        #expect(try CaptureSearch(at: part).captures.isEmpty)
        let refusal = TestSupport.problem { _ = try CaptureInspection.inspect(part) }
        #expect(refusal?.summary == problem.summary && refusal?.place.file == part)
        try FileManager.default.removeItem(atPath: "\(folder.path)/night/\(name)\(one).zip")
        #expect(TestSupport.problem { _ = try CaptureInspection.inspect(part) }?.summary != problem.summary)
    }

    /// An archive with these entries, the content of each its own name, but for datasets' descriptions.
    func pack(_ name: String, _ entries: [String]) throws {
        let script = """
            import sys, zipfile
            frame = '{"frames": [{"file_path": "a.png", "transform_matrix": []}]}'
            with zipfile.ZipFile(sys.argv[1], 'w') as z:
                for entry in sys.argv[2:]:
                    text = frame if entry.endswith('transforms.json') else entry
                    z.writestr(entry, '{"tool": "scanmill 0"}' if entry.endswith('receipt.json') else text)
            """
        let url = folder.url("\(name).zip")
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        #expect(try runPython(script, [url.path] + entries).status == 0)
    }

    /// What lies beside the one capture of an archive does not hide it, as it would not in a folder.
    @Test(arguments: [
        ["scan/transforms.json", "README.txt", "notes/text.md"],
        ["scan/transforms.json", "Thumbs.db", "desktop.ini", ".DS_Store", "__MACOSX/scan/._transforms.json"],
        ["export/day/transforms.json", "export/README.txt"],
        ["images/transforms.json", "images/images/a.png"], ["rgb/transforms.json"], ["color/sparse/transforms.json"],
        ["scan/transforms.json", ".trash/transforms.json", "old/receipt.json", "old/transforms.json"],
        ["transforms.json", "scan/transforms.json"],
    ])
    func theOneCaptureInAnArchive(entries: [String]) throws {
        try pack("night/packed", entries)
        let search = try CaptureSearch(at: folder.path)
        #expect(search.captures.map(\.id) == ["packed"] && search.without.isEmpty && search.unreadable.isEmpty)
        let tree = try CaptureFormats.tree(at: "\(folder.path)/night/packed.zip")
        #expect(tree.name == "packed" && tree.byteCount(of: "transforms.json") != nil)
        #expect(CaptureFormats.recognise(tree)?.format == "transforms")
        #expect(try tree.bytes(of: "transforms.json", limit: 100).first == UInt8(ascii: "{"))
    }

    @Test func namesThatLookAlikeAreToldApart() throws {
        try pack("two", [" x/transforms.json", "x/transforms.json"])
        let problem = try #require(try CaptureSearch(at: "\(folder.path)/two.zip").unreadable.first?.problem)
        #expect(problem.notes == [#"they are " x", x"#])
    }

    @Test func anArchiveWithSeveralCapturesIsRefusedByName() throws {
        try dataset("night/a")
        try pack("night/two", ["x/transforms.json", "deep/y/transforms.json", "README.txt"])
        let search = try CaptureSearch(at: folder.path)
        #expect(search.captures.map(\.id) == ["a"] && search.without.isEmpty)
        #expect(search.unreadable.map(\.name) == ["two"])
        let problem = try #require(search.unreadable.first?.problem)
        #expect(problem.summary == "the archive holds 2 captures" && problem.notes == ["they are deep/y, x"])
        #expect(problem.fix == "unpack it into a folder, and keep the archive elsewhere")
        #expect(problem.place.file == "\(folder.path)/night/two.zip")
        let named = try CaptureSearch(at: "\(folder.path)/night/two.zip")
        #expect(named.unreadable.map(\.problem) == [problem] && named.captures.isEmpty)
        let inspected = #expect(throws: Problem.self) { try CaptureInspection.inspect("\(folder.path)/night/two.zip") }
        #expect(inspected == problem)
    }

    @Test func archivesWithoutACaptureAreNamedWhereverTheyLie() throws {
        for path in ["a", "day/b"] { try dataset("night/\(path)") }
        try pack("night/papers", ["text/notes.txt"])
        try pack("night/day/results", ["old/receipt.json", "old/transforms.json"])
        // Once is enough.
        try pack("night/nothing/deep/empty", [])
        let search = try CaptureSearch(at: "\(folder.path)/night")
        #expect(search.captures.map(\.id) == ["a", "b"] && search.unreadable.isEmpty)
        #expect(search.without == ["day/results.zip", "nothing", "papers.zip"].map { "\(folder.path)/night/\($0)" })
        #expect(try CaptureSearch(at: "\(folder.path)/night/papers.zip").without == ["\(folder.path)/night/papers.zip"])
    }

    /// A copy that ended early is called by its name.
    @Test func whatIsNamedLikeAnArchiveIsTakenForOne() throws {
        try capture("a")
        try folder.write("", to: "empty.zip")
        try folder.write("<html>not found</html>", to: "page.R3D")
        let search = try CaptureSearch(at: folder.path)
        #expect(search.captures.map(\.id) == ["a", "empty", "page"])
        for (name, summary) in [
            ("empty.zip", "the archive is empty: it holds not one byte"), ("page.R3D", "the archive cannot be read"),
        ] {
            let problem = #expect(throws: Problem.self) { try CaptureFormats.tree(at: "\(folder.path)/\(name)") }
            #expect(problem?.summary == summary && problem?.fault == .input)
        }
    }

    /// Where the folder of a capture's own files is all that it holds.
    @Test(arguments: ["lamp/keyframes", "lamp/Keyframes", "keyframes", "day/lamp/keyframes"])
    func anArchiveHoldsWhatItsFolderHolds(path: String) throws {
        try folder.copySample("polycam/keyframes", to: path)
        let name = String(path.split(separator: "/")[0])
        let packed = "\(folder.path)/lamp.zip"
        #expect(try runCommand(["python3", "-m", "zipfile", "-c", packed, name], in: folder.path).status == 0)
        #expect(try CaptureSearch.captures(at: packed).map(\.id) == ["lamp"])
        // The app's name is part of the capture's paths.
        let tree = try CaptureFormats.tree(at: packed)
        #expect(tree.hasFolder("keyframes") == path.hasSuffix("keyframes"))
        guard path.hasPrefix("lamp/") else { return }
        let unpacked = try CaptureSearch.captures(at: "\(folder.path)/lamp")
        #expect(unpacked.map(\.id) == ["lamp"])
        #expect(UnpackedCopy.missing(from: unpacked[0].path, of: packed, limits: ArchiveLimits()) == [])
    }
}
