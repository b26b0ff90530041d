import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct CaptureSearchTests {
    /// As a result's receipt begins.
    static let receipt = #"{\n  "tool": "scanmill 0.9.0",\n  "key": "#

    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The smallest folder that is a capture: one picture.
    func capture(_ path: String) throws { try folder.write("x", to: "\(path)/color/0.jpg") }

    private func found(_ path: String = "", skipping output: String? = nil) throws -> [String] {
        let root = path.isEmpty ? folder.path : "\(folder.path)/\(path)"
        let found = try CaptureSearch(at: root, skipping: output.map { "\(folder.path)/\($0)" }).captures
        #expect(found.allSatisfy { $0.path.hasSuffix($0.id) })
        return found.map { String($0.path.dropFirst(folder.path.count + 1)) }
    }

    @Test func capturesBelowAFolderSorted() throws {
        for path in ["night/b", "night/a", "day/z/deep/c", "day/m"] { try capture(path) }
        try folder.write("x", to: "notes/readme.txt")
        #expect(try found() == ["day/m", "day/z/deep/c", "night/a", "night/b"])
        #expect(try CaptureSearch.captures(at: folder.path + "/night/").map(\.id) == ["a", "b"])
        #expect(try found("notes").isEmpty)
    }

    /// Captures that are packed in another way, or have not arrived, must not be missed in silence.
    @Test func filesThatMayHoldACapture() throws {
        try capture("night/a")
        for name in ["b.tar.gz", "c.TGZ", "d.zip.crdownload", "e.MOV", "f.insv", "notes.txt", "a.jpg"] {
            try folder.write("x", to: "night/\(name)")
        }
        try folder.write("x", to: "night/a/old.tar")
        let search = try CaptureSearch(at: "\(folder.path)/night")
        #expect(search.captures.map(\.id) == ["a"])
        #expect(
            search.strangers.mapValues { $0.map { String($0.dropFirst(folder.path.count + 7)) }.sorted() } == [
                .archive: ["b.tar.gz", "c.TGZ"], .unfinished: ["d.zip.crdownload"], .video: ["e.MOV"],
                .sphere: ["f.insv"],
            ])
    }

    /// Most videos lie there for people to look at.
    @Test func videosAreCapturesWhereTheyAreAskedFor() throws {
        for name in ["walk.MOV", "deep/b.mp4", "scene/clip.mkv", "scene/extra/more.webm", "notes.txt"] {
            try folder.write("x", to: "night/\(name)")
        }
        try folder.write("x", to: "night/scene/images/1.jpg")
        #expect(symlink("/nowhere", folder.path + "/night/lost.mov") == 0)
        // A recording has films of its own, at its top and below.
        try folder.copySample("polycam", to: "night/bob")
        for name in ["bob.mp4", "more/again.mp4"] { try folder.write("x", to: "night/bob/\(name)") }
        let night = folder.path + "/night"
        for asked: Set<String> in [["video"], ["video", "polycam"]] {
            let search = try CaptureSearch(at: night, formats: asked)
            let videos = search.captures.filter { $0.format == "video" }
            #expect(videos.map(\.id) == ["b", "clip", "more", "walk"], "\(asked)")
            #expect(search.captures.compactMap(\.format).contains("polycam") && search.captures.count == 5)
            // Pictures give way to what lies among them, as they do to recordings.
            #expect(search.loose.map { $0.folder } == [night + "/scene"] && search.strangers.isEmpty)
            #expect(search.unreadable.map(\.name) == ["lost"])
        }
        let usual = try CaptureSearch(at: night)
        #expect(usual.captures.map(\.id) == ["bob", "scene"] && usual.unreadable.isEmpty)
        #expect(usual.strangers[.video]?.count == 2)
        // What a pipeline has made is a capture only where the file itself is named.
        try folder.write("x", to: "out/desk/desk_preview.mp4")
        try folder.write(Self.receipt, to: "out/desk/receipt.json")
        let film = folder.path + "/out/desk"
        #expect(try CaptureSearch(at: film, formats: ["video"]).captures.isEmpty)
        let named = try CaptureSearch(at: film + "/desk_preview.mp4").captures
        #expect(named.map(\.id) == ["desk_preview"] && named.first?.format == "video")
    }

    @Test func theCaptureThatAFileIsAPartOf() throws {
        let frames = #"{"frames": [{"file_path": "0.png", "transform_matrix": []}]}"#
        try folder.write(frames, to: "scan/transforms.json")
        let scan = "\(folder.path)/scan"
        for file in ["notes.txt", "sparse/0/cameras.txt", "colmap/sparse/0/cameras.txt"] {
            #expect(CaptureSearch.capture(holding: "\(scan)/\(file)") == scan, "\(file)")
        }
        #expect(CaptureSearch.capture(holding: "\(scan)/../notes.txt") == nil)
    }

    @Test func theSearchStopsAtACapture() throws {
        try capture("outer")
        try capture("outer/inner")
        #expect(try found() == ["outer"])
        #expect(try found("outer") == ["outer"])
        // One capture has one path, however it is completed.
        #expect(try found("outer/") == ["outer"])
        #expect(try found("outer/inner") == ["outer/inner"])
    }

    /// Writers call their folders alike in every result.
    @Test func whatLiesInAResultIsCalledAfterIt() throws {
        for id in ["scene-a", "scene-b"] {
            try dataset("out/\(id)/nerf")
            try folder.write(Self.receipt, to: "out/\(id)/receipt.json")
            try FileManager.default.createDirectory(atPath: "\(folder.path)/links", withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(
                atPath: "\(folder.path)/links/my-\(id)", withDestinationPath: "\(folder.path)/out/\(id)/nerf")
        }
        for named in ["out/scene-a", "out/scene-a/", "out/scene-a/nerf", "out/./scene-b/../scene-a/nerf/."] {
            let path = "\(folder.path)/\(named)"
            #expect(try CaptureSearch.captures(at: path).map(\.id) == ["scene-a"], "\(named)")
        }
        #expect(try CaptureInspection.inspect("\(folder.path)/out/scene-b/nerf").id == "scene-b")
        // Whoever makes a link names it on purpose.
        #expect(try CaptureSearch.captures(at: "\(folder.path)/links").map(\.id) == ["my-scene-a", "my-scene-b"])
    }

    /// A ScanNet++ scene is one capture, whichever of its folders is named.
    @Test func aFolderThatEverySceneHasIsCalledAfterTheScene() throws {
        for scene in ["036bce3393", "0a5c013435"] { try folder.copySample("scannetpp", to: "data/\(scene)/iphone") }
        for named in ["data/036bce3393", "data/036bce3393/iphone"] {
            #expect(try CaptureSearch.captures(at: "\(folder.path)/\(named)").map(\.id) == ["036bce3393"])
        }
        #expect(try CaptureSearch.captures(at: "\(folder.path)/data").map(\.id) == ["036bce3393", "0a5c013435"])
        // As NICE-SLAM has ScanNet's scans.
        let scans = ["scene0000_00", "scene0059_00"]
        for scene in scans { try folder.copySample("scannet", to: "scans/\(scene)/frames") }
        #expect(try CaptureSearch.captures(at: "\(folder.path)/scans").map(\.id) == scans)
        #expect(try CaptureInspection.inspect("\(folder.path)/scans/scene0059_00/frames").id == "scene0059_00")
    }

    /// 7-Scenes numbers its recordings anew in each scene.
    @Test func aNumberedRecordingIsCalledAfterItsSceneToo() throws {
        for scene in ["chess", "fire"] { try folder.copySample("7-scenes/seq-01", to: "scenes/\(scene)/seq-01") }
        let ids = ["chess-seq-01", "fire-seq-01"]
        #expect(try CaptureSearch.captures(at: "\(folder.path)/scenes").map(\.id) == ids)
        #expect(try CaptureSearch.captures(at: "\(folder.path)/scenes/fire/seq-01").map(\.id) == [ids[1]])
        #expect(try CaptureInspection.inspect("\(folder.path)/scenes/chess/seq-01/").id == ids[0])
        // As downloaded: an archive for each sequence.
        #expect(try runCommand(["mkdir", "zips"], in: folder.path).status == 0)
        #expect(
            try runCommand(
                ["python3", "-m", "zipfile", "-c", "zips/seq-02.zip", "scenes/fire/seq-01"], in: folder.path
            ).status == 0)
        #expect(try CaptureSearch.captures(at: "\(folder.path)/zips").map(\.id) == ["zips-seq-02"])
        #expect(try CaptureSearch.captures(at: "\(folder.path)/zips/seq-02.zip").map(\.id) == ["zips-seq-02"])
        #expect(try CaptureInspection.inspect("\(folder.path)/zips/seq-02.zip").id == "zips-seq-02")
        // Or one for the scene.
        let packed = try runCommand(["python3", "-m", "zipfile", "-c", "chess.zip", "scenes/chess"], in: folder.path)
        #expect(packed.status == 0)
        #expect(try CaptureSearch.captures(at: "\(folder.path)/chess.zip").map(\.id) == ["chess-seq-01"])
        #expect(try CaptureInspection.inspect("\(folder.path)/chess.zip").id == "chess-seq-01")
        try FileManager.default.moveItem(
            atPath: "\(folder.path)/scenes/fire/seq-01", toPath: "\(folder.path)/scenes/fire/candles")
        #expect(try CaptureSearch.captures(at: "\(folder.path)/scenes/fire").map(\.id) == ["candles"])
    }

    /// A capture of a format that the parts of others do not have.
    func dataset(_ path: String, picture: String = "a.png") throws {
        let frame = "{\"file_path\": \"\(picture)\", \"transform_matrix\": []}"
        try folder.write("{\"frames\": [\(frame)]}", to: "\(path)/transforms.json")
    }

    /// One file in the folder of a night does not hide the others.
    @Test func aSensFileAmongOtherCaptures() throws {
        try folder.write("not quite one", to: "night/a.sens")
        #expect(try found("night") == ["night"])
        try capture("night/color-of-it")
        #expect(try found("night") == ["night"])
        try dataset("night/b")
        let search = try CaptureSearch(at: "\(folder.path)/night")
        #expect(search.captures.map(\.path) == ["a.sens", "b", "color-of-it"].map { "\(folder.path)/night/\($0)" })
        #expect(search.within == [])
        let problem = #expect(throws: Problem.self) { try CaptureInspection.inspect("\(folder.path)/night") }
        #expect(problem?.summary == "this folder is not a capture, it holds 3 captures")
        try FileManager.default.removeItem(at: folder.url("night/b"))
        try folder.write("PK\u{3}\u{4}", to: "night/c.zip")
        #expect(try CaptureSearch.captures(at: "\(folder.path)/night").map(\.id) == ["a", "c", "color-of-it"])
    }

    /// A blank receipt, or a stranger's, may have come among the captures, or lie anywhere above them.
    @Test(arguments: ["", #"{"total": 12}"#]) func aReceiptAboveCaptures(_ text: String) throws {
        for name in ["a", "b"] { try dataset("uploads/night/\(name)") }
        for place in ["uploads/night", "uploads"] {
            try folder.write(text, to: "\(place)/receipt.json")
            for named in ["uploads/night", "uploads/night/a", "uploads/night/b"] {
                let found = try search(named).captures
                let ids = named.hasSuffix("night") ? ["a", "b"] : [String(named.suffix(1))]
                #expect(found.map(\.id) == ids && found.allSatisfy { $0.result == nil }, "\(place) \(named)")
            }
        }
    }

    /// A failed disk may have left it of a real one.
    @Test func aBlankReceiptInAnOutputFolder() throws {
        try dataset("out/scene/nerf")
        try folder.write("", to: "out/scene/receipt.json")
        try folder.write("{}", to: "out/.scanmill/owner.json")
        #expect(try search("out/scene/nerf").captures.map(\.id) == ["scene"])
    }

    @Test func foldersWithoutACaptureAreNamed() throws {
        try capture("night/a")
        try folder.write("x", to: "night/notes/deep/text.txt")
        try folder.write("x", to: "night/old-results/.scanmill/owner.json")
        try folder.write("x", to: "night/.hidden/text.txt")
        try capture("night/day/b")
        // What somebody threw away, and what was here yesterday.
        try capture("night/#recycle/c")
        try capture("night/#snapshot/monday/a")
        // A copy that never began is one; what is empty in a capture, or is the system's own, is not.
        for path in ["empty", "a/empty", ".trash", "@eaDir", "LOST.DIR"] {
            try FileManager.default.createDirectory(at: folder.url("night/\(path)"), withIntermediateDirectories: true)
        }
        let search = try CaptureSearch(at: "\(folder.path)/night")
        #expect(search.captures.map(\.id) == ["a", "b"])
        #expect(search.without == ["empty", "notes"].map { "\(folder.path)/night/\($0)" })
    }

    @Test func whatLiesTooDeepIsNamed() throws {
        let deep = (0..<15).map { _ in "d" }.joined(separator: "/")
        try capture("night/\(deep)/found")
        #expect(try CaptureSearch(at: "\(folder.path)/night").captures.map(\.id) == ["found"])
        try capture("night/\(deep)/d/lost")
        let search = try CaptureSearch(at: "\(folder.path)/night")
        #expect(search.captures.map(\.id) == ["found"])
        #expect(search.unreadable.map(\.path) == ["\(folder.path)/night/\(deep)/d"])
        #expect(search.unreadable.first?.problem.summary == "what lies here was not searched: it is 16 folders deep")
    }

    /// A capture that was moved away, and what only is called like one.
    @Test func whatIsNeitherFileNorFolderIsNamed() throws {
        try capture("night/a")
        for name in ["b", "c.zip", "f.sens", "notes.txt"] {
            #expect(symlink("/nowhere", "\(folder.path)/night/\(name)") == 0)
        }
        for name in ["d.zip", "e.sens", "pipe"] { #expect(mkfifo("\(folder.path)/night/\(name)", 0o600) == 0) }
        #expect(symlink("a", "\(folder.path)/night/same") == 0)
        let search = try CaptureSearch(at: "\(folder.path)/night")
        #expect(search.captures.map(\.id) == ["a", "same"])
        #expect(search.without == ["d.zip", "e.sens"].map { "\(folder.path)/night/\($0)" })
        // What they led to may be on a disk that is away: a night without them is no good one.
        #expect(search.unreadable.map(\.name) == ["b", "c", "f"])
        #expect(search.unreadable.allSatisfy { $0.problem.summary == "this is a link to nothing" })
        let problem = #expect(throws: Problem.self) { try CaptureInspection.inspect("\(folder.path)/night/b") }
        #expect(problem?.summary == "this is a link to nothing")
    }

    /// A capture that is named is as lost as one that is found, and its night is to be tried again.
    @Test func aLinkToNothingThatIsNamed() throws {
        try capture("night/a")
        #expect(symlink("/nowhere", "\(folder.path)/night/b") == 0)
        let search = try CaptureSearch(at: "\(folder.path)/night/b")
        #expect(search.captures.isEmpty && search.unreadable.map(\.name) == ["b"])
        #expect(search.unreadable.first?.problem.fault == .environment)
        #expect(search.unreadable.first?.problem.place.file == "\(folder.path)/night/b")
    }

    @Test func copiesThatHaveNotArrivedAreNamed() throws {
        try capture("night/a")
        let copies = [
            ".b.zip.icloud", ".c.zip.X7y2Qa", ".syncthing.i.zip.tmp", "d.zip.filepart", "e.zip.!sync", "f.zip.!qB",
            "g.zip.tmp", "h.zip.opdownload", "k.r3d.part", "l.zip.crdownload",
        ]
        let others = [".notes.txt.icloud", ".hidden", ".vimrc.backup", "notes.tmp", ".config.json.swpxyz"]
        for name in copies + others { try folder.write("x", to: "night/\(name)") }
        let strangers = try CaptureSearch(at: "\(folder.path)/night").strangers
        #expect(strangers.keys.map { $0 } == [.unfinished])
        #expect(strangers[.unfinished]?.sorted() == copies.map { "\(folder.path)/night/\($0)" }.sorted())
        try folder.write("x", to: "only/.b.zip.icloud")
        let problem = #expect(throws: Problem.self) { try CaptureInspection.inspect("\(folder.path)/only") }
        #expect(problem?.notes == ["the folder holds hidden files alone: .b.zip.icloud"])
    }

    /// What stages have written beside the capture is nothing that was passed over.
    @Test func filmsAndSmallerCopiesInAResult() throws {
        try dataset("out/desk/ngp")
        try dataset("out/desk/ngp/downscaled_2")
        try folder.write("x", to: "out/desk/desk_preview.mp4")
        try folder.write(Self.receipt, to: "out/desk/receipt.json")
        let search = try CaptureSearch(at: "\(folder.path)/out/desk")
        #expect(search.captures.map(\.path) == ["\(folder.path)/out/desk/ngp"])
        #expect(search.strangers.isEmpty && search.within.isEmpty)
        let inner = CaptureFolder(path: "\(folder.path)/out/desk/ngp")
        #expect(CaptureSearch.innerCaptures(of: inner, nil) == [])
    }

    /// A result that is a capture itself may hold a dataset as well: the format that is asked for is taken.
    @Test func theFormatThatIsWantedInAResult() throws {
        try capture("out/desk")
        try dataset("out/desk/ngp")
        try folder.write(Self.receipt, to: "out/desk/receipt.json")
        let desk = "\(folder.path)/out/desk"
        func search(_ formats: Set<String>) throws -> CaptureSearch { try CaptureSearch(at: desk, formats: formats) }
        #expect(try search([]).captures.map(\.path) == [desk])
        #expect(try search(["frames"]).captures.map(\.path) == [desk])
        #expect(try search(["transforms"]).captures.map(\.path) == ["\(desk)/ngp"])
        #expect(try search(["transforms"]).captures.map(\.format) == ["transforms"])
        // All that there is, for the message.
        let others = try search(["colmap"]).captures.map(\.path)
        #expect(others.contains(desk) && others.contains("\(desk)/ngp"))
    }

    /// Its metadata, or a bill that lies beside its pictures, has the name that a result's receipt has.
    @Test(arguments: ["not JSON", #"{"streams": []}"#, #"{"tool": "other app"}"#, #"{"items": [{"tool": "hammer"}]}"#])
    func aReceiptOfAnotherKind(_ json: String) throws {
        try folder.write(json, to: "receipt/receipt.json")
        try capture("receipt")
        #expect(try found() == ["receipt"])
    }

    /// A result whose receipt was torn is still none to be processed again.
    @Test(arguments: ["", "\0\0\0\0", receipt]) func aReceiptThatWasTorn(_ text: String) throws {
        try folder.write(text, to: "old/receipt.json")
        try capture("old")
        #expect(try found() == [])
    }

    @Test func hiddenFoldersAreNotLookedInto() throws {
        try capture(".trash/a")
        try capture("b")
        #expect(try found() == ["b"])
        #expect(try found(".trash") == [".trash/a"])
    }

    @Test func resultsAreNotCaptures() throws {
        try capture("a")
        try capture("results/a")
        try folder.write(Self.receipt, to: "results/a/receipt.json")
        try capture("results/a/nerf")
        #expect(try found() == ["a"])
        // Unless they are what is named.
        #expect(try found("results/a") == ["results/a"])
        let path = "\(folder.path)/results/a/nerf"
        #expect(try CaptureSearch.captures(at: path).map { [$0.id, $0.path] } == [["a", path]])
    }

    @Test func theOutputIsPassedOverWhateverPathLeadsToIt() throws {
        try capture("a")
        try capture("out/b")
        #expect(try found() == ["a", "out/b"])
        #expect(try found(skipping: "out") == ["a"])
        #expect(try found(skipping: "./out/../out/") == ["a"])
        #expect(symlink(folder.path + "/out", folder.path + "/link-to-out") == 0)
        #expect(try found(skipping: "out") == ["a"])
        #expect(try found(skipping: "link-to-out") == ["a"])
        #expect(try found(skipping: "not-there-yet") == ["a", "link-to-out/b"])
    }

    @Test func linksAreFollowedButNotInCircles() throws {
        try capture("real/a")
        for name in ["c1", "c2", "c3", "c4"] { #expect(symlink(folder.path, folder.path + "/real/" + name) == 0) }
        #expect(symlink(folder.path + "/real/a", folder.path + "/another-name") == 0)
        // A capture under two names is two captures; a folder is searched once.
        #expect(try found() == ["another-name", "real/a"])
        #expect(symlink(folder.path + "/real", folder.path + "/also") == 0)
        #expect(try found() == ["also/a", "another-name"])
    }

    @Test func whatIsNamedMustBeThere() throws {
        #expect(throws: Problem.self) { try found("missing") }
        try folder.write("x", to: "file")
        #expect(throws: Problem.self) { try found("file") }
    }

    @Test(.enabled(if: SharedData.isThere))
    func theRealCaptures() throws {
        let found = try CaptureSearch.captures(at: SharedData.folder.path)
        #expect(
            found.map(\.id).contains("office") && found.map(\.id).contains("office-video")
                && found.map(\.id).contains("fox"))
    }

    // MARK: - Several in one folder

    private func multiScan(_ stem: String, in path: String) throws {
        var sample = MultiScanSample()
        (sample.stem, sample.pictures) = (stem, .none)
        for (name, bytes) in try sample.files() { try folder.write(bytes, to: "\(path)/\(name)") }
    }

    private func raw(_ stem: String, in path: String) throws {
        try folder.write("depthWidth = 4\n", to: "\(path)/\(stem).txt")
        try folder.write("x", to: "\(path)/\(stem).depth")
    }

    /// The first of them would be taken for all.
    @Test func capturesSideBySideInOneFolderAreRefusedByName() throws {
        try dataset("night/a")
        for stem in ["scanA", "scanB"] { try multiScan(stem, in: "night/flat") }
        for stem in ["rawA", "rawB"] { try raw(stem, in: "night/recorder") }
        try multiScan("scan", in: "night/mixed")
        try raw("raw", in: "night/mixed")
        let search = try CaptureSearch(at: folder.path)
        #expect(search.captures.map(\.id) == ["a"] && search.without.isEmpty)
        #expect(
            search.unreadable.map { "\($0.name): \($0.problem.notes.joined(separator: "; "))" } == [
                "flat: they are scanA, scanB", "mixed: they are raw, scan", "recorder: they are rawA, rawB",
            ])
        for found in search.unreadable {
            #expect(found.problem.summary == "2 captures lie in one folder")
            #expect(found.problem.fix == "make a folder for each, and move its files there")
            #expect(try CaptureSearch(at: found.path).unreadable.map(\.problem) == [found.problem])
            let inspected = #expect(throws: Problem.self) { try CaptureInspection.inspect(found.path) }
            #expect(inspected == found.problem)
            let tree = try CaptureFormats.tree(at: found.path)
            #expect(throws: Problem.self) { try CaptureFormats.format(of: tree) }
        }
        let pack =
            "import shutil, sys; shutil.make_archive(sys.argv[1] + '/packed', 'zip', sys.argv[1] + '/night/flat')"
        #expect(try runPython(pack, [folder.path]).status == 0)
        let packed = try CaptureSearch(at: "\(folder.path)/packed.zip").unreadable
        #expect(packed.map(\.problem.summary) == ["2 captures lie in one folder"])
        #expect(packed.map(\.problem.notes) == [["they are scanA, scanB"]])
    }

    @Test func filesOfOneCaptureAreNotSeveral() throws {
        // Two cameras; a receipt; what a server adds; lines of something else; a copy of the metadata alone.
        try multiScan("scan", in: "one")
        for name in ["scan-primary.mp4", "scan-secondary.mp4", "scan.align.json", "scan_thumb.jpg", "other.jsonl"] {
            try folder.write("{}", to: "one/\(name)")
        }
        let metadata = String(decoding: try folder.bytes("one/scan.json"), as: UTF8.self)
        for name in ["receipt.json", "copy of scan.json", "scan.old.json", "._scan.json", "._other.json"] {
            try folder.write(metadata, to: "one/\(name)")
        }
        try folder.write("x", to: "one/._other.depth.zlib")
        // Both apps' descriptions of one recording.
        try raw("scan", in: "one")
        #expect(MultiScanCapture.names(in: CaptureFolder(path: "\(folder.path)/one")) == ["scan"])
        #expect(try CaptureSearch.captures(at: folder.path).map(\.id) == ["one"])
    }

    /// What is broken among sound captures is not passed over, however deep it lies; what systems keep to themselves is.
    @Test func foldersWithoutACaptureAreNamedAtAnyDepth() throws {
        try capture("project/day/a")
        try folder.write("x", to: "project/day/half/odometry.txt")
        try folder.write("x", to: "project/other/b/c.txt")
        try folder.write("x", to: "project/@eaDir/a/thumb.jpg")
        try folder.write("x", to: "__MACOSX/a.txt")
        let search = try CaptureSearch(at: folder.path)
        #expect(search.without == ["project/day/half", "project/other"].map { "\(folder.path)/\($0)" })
    }
}

extension CaptureSearch {
    /// All captures that are left out since they lie in another.
    var within: [String] { crowded.flatMap { $0.within } }
}
