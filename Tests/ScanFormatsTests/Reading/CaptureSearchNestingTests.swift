import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

/// Captures that lie in another one.
extension CaptureSearchTests {
    @Test func capturesInACaptureAreNamed() throws {
        for path in ["night", "night/a", "night/b"] { try dataset(path) }
        try capture("night/images")
        let search = try CaptureSearch(at: "\(folder.path)/night")
        #expect(search.captures.map(\.id) == ["night"])
        #expect(search.within == ["a", "b"].map { "\(folder.path)/night/\($0)" })
        // A result has what its pipeline wrote.
        try folder.write(Self.receipt, to: "night/receipt.json")
        #expect(try CaptureSearch(at: "\(folder.path)/night").within == [])
    }

    func search(_ path: String, _ formats: Set<String> = []) throws -> CaptureSearch {
        try CaptureSearch(at: "\(folder.path)/\(path)", formats: formats)
    }

    /// One picture in a folder of everybody's captures is no reason to leave them out.
    @Test func picturesHideNoRecordings() throws {
        try folder.copySample("polycam", to: "night/bob/polycam_1")
        try capture("night/bob")
        let bob = "\(folder.path)/night/bob"
        for formats: Set<String> in [[], ["polycam"], ["tum"], ["frames", "polycam"]] {
            let found = try search("night", formats)
            #expect(found.captures.map(\.id) == ["polycam_1"], "\(formats)")
            #expect(found.loose.map { $0.folder } == [bob] && found.within.isEmpty && found.without.isEmpty)
            #expect(found.loose.map { $0.reason } == ["color/ holds 1 picture"])
        }
        let problem = #expect(throws: Problem.self) { try CaptureInspection.inspect(bob) }
        #expect(problem?.summary == "this folder is not a capture, it holds a capture")
        // Who asks for the pictures alone gets them.
        let pictures = try search("night", ["frames"])
        #expect(pictures.captures.map(\.id) == ["bob"] && pictures.loose.isEmpty)
        #expect(pictures.within == ["\(bob)/polycam_1"])
        // At any depth, also in the folder that is named, and beside archives.
        try capture("night")
        let pack = try runCommand(
            ["python3", "-m", "zipfile", "-c", "night/packed.zip", "night/bob/polycam_1"], in: folder.path)
        #expect(pack.status == 0)
        let all = try search("night")
        #expect(all.captures.map(\.id) == ["polycam_1", "packed"])
        #expect(all.loose.map { $0.folder } == ["\(folder.path)/night", bob])
        // An archive of both is refused by name, as any with several captures.
        let both = try runCommand(["python3", "-m", "zipfile", "-c", "bob.zip", "night/bob"], in: folder.path)
        #expect(both.status == 0)
        let refused = try search("bob.zip").unreadable.map { [$0.problem.summary] + $0.problem.notes }
        #expect(refused == [["the archive holds 2 captures", "they are bob, bob/polycam_1"]])
    }

    /// What is made from pictures often lies beside them.
    @Test func whatIsMadeFromPicturesLeavesThemACapture() throws {
        try capture("job")
        try dataset("job/nerf")
        try capture("job/rest")
        try folder.copySample("colmap", to: "job/model")
        for formats: Set<String> in [[], ["transforms"]] {
            let found = try search("job", formats)
            #expect(found.captures.map(\.id) == ["job"] && found.loose.isEmpty, "\(formats)")
            #expect(found.within == ["\(folder.path)/job/nerf"])
        }
    }

    /// It fails by its name, and the others are run.
    @Test func whatIsLeftOfACaptureHidesNoRecordings() throws {
        try folder.write("", to: "night/bob/sparse/0/cameras.txt")
        try folder.copySample("polycam", to: "night/bob/polycam_1")
        let found = try search("night")
        #expect(found.captures.map(\.id) == ["bob", "polycam_1"] && found.within.isEmpty)
    }

    @Test func everyCaptureWithOthersInItIsNamed() throws {
        for path in ["a", "a/deep/b", "c"] { try dataset("night/\(path)") }
        try folder.copySample("polycam", to: "night/a/p")
        let (outer, inner) = ("\(folder.path)/night/a", ["deep/b", "p"].map { "\(folder.path)/night/a/\($0)" })
        let found = try search("night")
        #expect(found.captures.map(\.id) == ["a", "c"])
        #expect(found.crowded.map { $0.capture } == [outer] && found.within == inner)
        // Where the outer one is of a format that nobody asked for, recordings in it are run.
        let polycam = try search("night", ["polycam"])
        #expect(polycam.captures.map(\.id) == ["a", "p", "c"] && polycam.within == [inner[0]])
    }

    /// A link in a capture may lead to the capture itself.
    @Test func aCaptureInItself() throws {
        try dataset("night/a")
        for name in ["x", "y"] { #expect(symlink(".", "\(folder.path)/night/a/\(name)") == 0) }
        let found = try search("night")
        #expect(found.captures.map(\.id) == ["a"] && found.within.isEmpty)
    }

    /// Each leads to all others, and there are more ways through them than anybody could follow.
    @Test(.timeLimit(.minutes(1))) func capturesThatLinkToEachOther() throws {
        let names = (10..<22).map { "c\($0)" }
        for name in names { try dataset("night/\(name)") }
        for name in names {
            for other in names where other != name {
                #expect(symlink("../\(other)", "\(folder.path)/night/\(name)/\(other)") == 0)
            }
        }
        let found = try search("night")
        #expect(found.captures.map(\.id) == names)
        #expect(found.crowded.count == names.count)
        #expect(found.crowded.allSatisfy { $0.within.count == names.count - 1 })
    }

    /// It is found in each that leads to it, and runs once it is somewhere no part of a recording.
    @Test func linksToOneRecording() throws {
        try capture("night")
        for name in ["a", "b", "z"] { try folder.copySample("polycam", to: "night/\(name)") }
        for name in ["a", "b"] { #expect(symlink("../z", "\(folder.path)/night/\(name)/calibration") == 0) }
        let found = try search("night")
        #expect(found.captures.map(\.id) == ["a", "b", "z"])
        #expect(found.loose.map { $0.folder } == ["\(folder.path)/night"])
    }

    /// The files of a recording say what its folder is, whatever lies beside them.
    @Test func sensFilesAndArchivesInARecording() throws {
        try folder.copySample("stray-scanner", to: "night/scan")
        let scan = "\(folder.path)/night/scan"
        try folder.write("not quite one", to: "night/scan/a.sens")
        let one = try search("night")
        #expect(one.captures.map(\.format) == ["stray-scanner"] && one.within == ["\(scan)/a.sens"])
        #expect(try CaptureInspection.inspect(scan).recognition.format == "stray-scanner")
        try folder.write("nor this", to: "night/scan/b.sens")
        try pack("night/scan/old", ["x/transforms.json"])
        let several = try search("night")
        #expect(several.captures.map(\.path) == [scan] && several.without.isEmpty && several.strangers.isEmpty)
        #expect(several.within == ["a.sens", "b.sens", "old.zip"].map { "\(scan)/\($0)" })
    }

    /// It is no other capture.
    @Test func theArchiveFromWhichACaptureWasUnpacked() throws {
        try folder.copySample("polycam", to: "lamp")
        #expect(try runCommand(["python3", "-m", "zipfile", "-c", "lamp.zip", "lamp"], in: folder.path).status == 0)
        try FileManager.default.moveItem(at: folder.url("lamp.zip"), to: folder.url("lamp/lamp.zip"))
        let found = try search("lamp")
        #expect(found.captures.map(\.id) == ["lamp"] && found.within.isEmpty)
    }

    /// Beside other captures the file is one of them, and what else the folder could be is said.
    @Test func aSensFileBesideADatasetAndAnArchive() throws {
        try dataset("night")
        try folder.write("not quite one", to: "night/a.sens")
        try pack("night/c", ["x/transforms.json"])
        let found = try search("night")
        #expect(found.captures.map(\.id) == ["a", "c"])
        #expect(found.loose.map { $0.folder } == ["\(folder.path)/night"])
    }

    /// As `write-transforms` lays out a dataset for instant-ngp, once it is copied out of its result.
    @Test func partsOfADatasetAreNoCaptures() throws {
        try dataset("copy")
        for part in ["downscaled_2", "test", "test/downscaled_2"] {
            try dataset("copy/\(part)", picture: "../images/a.png")
        }
        let search = try CaptureSearch(at: "\(folder.path)/copy")
        #expect(search.captures.map(\.id) == ["copy"] && search.within == [])
        let copy = CaptureFolder(path: "\(folder.path)/copy")
        #expect(CaptureSearch.innerCaptures(of: copy, nil) == [])
        try dataset("copy/another")
        #expect(CaptureSearch.innerCaptures(of: copy, nil) == ["another"])
    }

    /// Where results cannot go. Pictures may lie in anybody's folder, and a `.sens` file is nobody's but its own.
    @Test(arguments: [
        ("polycam", true), ("desk", true), ("tum", true), ("transforms", false), ("colmap", false), ("sens", false),
    ]) func whatLiesInARecording(_ sample: String, _ isRecording: Bool) throws {
        let path = SharedData.checkout.appendingPathComponent("samples/\(sample)").path
        for place in ["", "/out", "/deep/er/out"] {
            #expect(CaptureSearch.recording(around: path + place) == (isRecording ? path : nil), "\(place)")
        }
    }

    /// Polycam's `keyframes/` and ScanNet++'s `iphone/` look like captures themselves.
    @Test func theFolderOfACapturesOwnFilesIsNoSecondCapture() throws {
        let samples = SharedData.checkout.appendingPathComponent("samples").path
        let polycam = try CaptureSearch(at: "\(samples)/polycam")
        #expect(polycam.captures.map(\.id) == ["polycam"] && polycam.within == [])
        try FileManager.default.createDirectory(at: folder.url("scene"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/scene/iphone", withDestinationPath: "\(samples)/scannetpp")
        let scene = try CaptureSearch(at: "\(folder.path)/scene")
        #expect(scene.captures.map(\.id) == ["scene"] && scene.within == [])
    }
}
