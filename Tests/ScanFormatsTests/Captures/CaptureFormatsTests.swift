import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct CaptureFormatsTests {
    @Test func theFormatsAreKnownByTheirNames() {
        let names = CaptureFormats.all.map { $0.name }
        #expect(Set(names).count == names.count)
        // The least particular one comes last.
        #expect(names.last == "frames")
        #expect(CaptureFormats.format(named: "multiscan") == MultiScanCapture.self)
        #expect(CaptureFormats.format(named: "MultiScan") == nil)
    }

    @Test func theMostParticularFormatWins() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(MultiScanSample().files(), under: "scan")
        #expect(CaptureFormats.recognise(CaptureFolder(path: path))?.format == "multiscan")
        for file in ["scan.json", "scan.jsonl", "scan.depth.zlib"] {
            try FileManager.default.removeItem(atPath: "\(path)/\(file)")
        }
        #expect(
            CaptureFormats.recognise(CaptureFolder(path: path))
                == Recognition(format: "frames", reason: "color/ holds 4 pictures"))
        try FileManager.default.removeItem(atPath: path + "/color")
        #expect(CaptureFormats.recognise(CaptureFolder(path: path)) == nil)
    }

    @Test func whatLiesAtAPath() throws {
        let folder = try TemporaryFolder()
        try folder.write("x", to: "file.bin")
        #expect(mkfifo(folder.path + "/pipe", 0o644) == 0)
        #expect(symlink("nowhere", folder.path + "/dangling") == 0)
        #expect(symlink(folder.path, folder.path + "/link") == 0)
        #expect(
            try CaptureFormats.tree(at: folder.path).name == folder.path.split(separator: "/").last.map(String.init))
        #expect(try CaptureFormats.tree(at: folder.path + "/link/").name == "link")
        let table = [
            ("file.bin", "this file is not a capture in a format that ScanMill reads"),
            ("pipe", "this is a pipe, not a file"),
            ("dangling", "this is a link to nothing"), ("missing", "there is nothing at this path"),
        ]
        for (name, summary) in table {
            let problem = #expect(throws: Problem.self) { try CaptureFormats.tree(at: folder.path + "/" + name) }
            #expect(problem?.summary == summary)
            #expect(problem?.place.file == folder.path + "/" + name)
            // What it leads to may be on a disk that is away.
            #expect((problem?.fault == .environment) == (name == "dangling"))
        }
    }

    // MARK: - Two in one folder

    /// All that lies side by side in a copy of several samples.
    private func merged(_ samples: [String]) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let script = "d=$1; shift; mkdir -p \"$d/both\"; for s; do cp -r \"$s\"/. \"$d/both\"; done"
        let paths = samples.map { SharedData.checkout.appendingPathComponent("samples/\($0)").path }
        #expect(try runCommand(["sh", "-c", script, "sh", folder.path] + paths).status == 0)
        return folder
    }

    private func warnings(_ path: String) throws -> [String] {
        let tree = try CaptureFormats.tree(at: path)
        var capture = try CaptureFormats.format(of: tree).format.open(tree, rules: .forgiving)
        capture.noteOtherRecordings(in: tree)
        return capture.warnings.filter { $0.contains("second capture") }
    }

    @Test(arguments: [
        ["desk", "tum"], ["polycam", "tum"], ["arkitscenes", "tum"], ["stray-scanner", "arkitscenes"],
    ])
    func twoRecordingsInOneFolderAreSaid(_ samples: [String]) throws {
        let folder = try merged(samples)
        let names = samples.map { $0 == "desk" ? "multiscan" : $0 }
        let said = try warnings("\(folder.path)/both")
        #expect(said.count == 1)
        #expect(
            said.first?.hasPrefix(
                "there is a second capture in the folder: it was read as \(names[0]), not as \(names[1])")
                == true)
        let inspection = try CaptureInspection.inspect("\(folder.path)/both")
        #expect(inspection.findings.contains { $0.problem.summary == said.first })
    }

    /// One recording in several forms, and what was made from one.
    @Test(arguments: [
        ["scannet", "sens"], ["polycam", "transforms"], ["stray-scanner", "colmap"], ["tum", "colmap"],
        ["desk", "transforms"], ["arkitscenes", "transforms", "colmap"],
    ])
    func whatBelongsTogetherIsNotSaid(_ samples: [String]) throws {
        let folder = try merged(samples)
        #expect(try warnings("\(folder.path)/both") == [])
    }

    /// Poses may have been refined in the export since. What is left of one is none.
    @Test func aScanInTwoFormsIsSaid() throws {
        let folder = try merged(["sens", "scannet"])
        func warnings() throws -> [String] {
            let tree = try CaptureFormats.tree(at: "\(folder.path)/both")
            var capture = try CaptureFormats.format(of: tree).format.open(tree, rules: .forgiving)
            #expect(capture.format == "sens")
            capture.noteOtherRecordings(in: tree)
            return capture.warnings.filter { $0.contains("two forms") }
        }
        #expect(
            try warnings() == [
                "the scan is in the folder in two forms: it was read as sens, not as scannet, although "
                    + "intrinsic/intrinsic_color.txt stands beside pictures and pose/; to read the latter:  "
                    + "--set read.format=scannet"
            ])
        try FileManager.default.removeItem(atPath: "\(folder.path)/both/pose")
        #expect(try warnings() == [])
    }

    @Test(arguments: [
        "3d-scanner-app", "7-scenes/seq-01", "arkitscenes", "colmap", "desk", "nerfcapture/nerfcapture.zip", "polycam",
        "scannet",
        "scannet-raw", "scannetpp", "sens", "stray-scanner", "transforms", "tum",
    ])
    func aSampleIsOneCapture(_ sample: String) throws {
        #expect(try warnings(SharedData.checkout.appendingPathComponent("samples/\(sample)").path) == [])
    }
}
