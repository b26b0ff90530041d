import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct WriteZipTests {
    private static let scene =
        "- synthesize: {frames: 5, picture-width: 32, picture-height: 24, depth: none, confidence: none, motion: false}\n"

    /// Python's own reader checks every checksum.
    @Test func isAProjectThatOthersRead() throws {
        let run = try StageRun(
            Self.scene + "- select-frames: {exclude: [0]}\n- write-zip", reading: "nowhere/chair", workers: 2)
        let found = try PythonReaders.run(
            """
            import zipfile
            z = zipfile.ZipFile(sys.argv[1])
            assert z.testzip() is None
            assert {i.compress_type for i in z.infolist()} == {0}
            t = json.loads(z.read('chair/transforms.json'))
            b = json.loads(z.read('chair/boundingbox.json'))
            open(sys.argv[2], 'wb').write(z.read('chair/images/3.png'))
            print(json.dumps({'names': z.namelist(), 'paths': [f['file_path'] for f in t['frames']],
                'time': t['frames'][0]['timestamp'], 'fl': t['frames'][2]['fl_x'], 'corners': len(b['positions']),
                'rows': len(read_png(sys.argv[2])['rows'])}))
            """, ["\(run.path)/chair.zip", "\(run.path)/three.png"])
        #expect(
            found["names"]?.array?.compactMap(\.string)
                == (1...4).map { "chair/images/\($0).png" } + ["chair/transforms.json", "chair/boundingbox.json"])
        #expect(found["paths"]?.array?.compactMap(\.string) == (1...4).map { "images/\($0)" })
        #expect(found["corners"]?.integer == 8)
        #expect(found["rows"]?.integer == 24)
        #expect(found["fl"]?.double == run.frames[2].intrinsics?.fx)
    }

    @Test func isReadBackWithEverythingInIt() throws {
        let run = try StageRun(Self.scene + "- write-zip", reading: "nowhere/chair")
        let tree = try CaptureFormats.tree(at: "\(run.path)/chair.zip")
        #expect(CaptureFormats.recognise(tree)?.format == "nerfcapture")
        let back = try StageRun("- read", reading: "\(run.path)/chair.zip", probing: [.color])
        #expect(back.frames.count == 5)
        for (a, b) in zip(run.frames, back.frames) {
            #expect(a.pose == b.pose && a.intrinsics?.counted(from: .arKit) == b.intrinsics)
            // Seconds in double precision: a tenth of a microsecond at the age of a phone's clock.
            #expect(abs((a.timestamp ?? 0) - (b.timestamp ?? 1 << 40)) < 100)
        }
        #expect(back.capture.box?.corners.count == 8)
    }

    @Test func thePrincipalPointIsCountedAsARKitDoes() throws {
        var capture = try MemoryCapture.posed(1)
        capture.items[0].intrinsics = MemoryCapture.camera.counted(from: .corner)
        let run = try StageRun("- write-zip", on: capture)
        let back = try StageRun("- read", reading: "\(run.path)/memory.zip", probing: [.pose])
        #expect(back.frames.map(\.intrinsics) == [MemoryCapture.camera.counted(from: .centre)])
    }

    /// Upright in a world whose up nobody knows to be z, and so tilted for those who take y for up.
    @Test func aBoxThatTheFileCannotSayIsLeftOut() throws {
        var capture = try MemoryCapture.posed(2)
        capture.worldUp = nil
        let turn = Matrix3(rows: Vector3(1, 0, 0), Vector3(0, 0, -1), Vector3(0, 1, 0))
        capture.box = OrientedBox(center: .zero, worldFromBox: turn, halfSize: Vector3(1, 2, 3))
        let run = try StageRun("- write-zip", on: capture)
        let warning =
            "write-zip: the box was left out: the box is tilted, and boundingbox.json holds only boxes turned about y"
        let up =
            "write-zip: the capture does not say which way is up, and the project's readers take y for it; say it, "
        #expect(run.warnings.contains(warning), "\(run.warnings)")
        #expect(run.warnings.contains { $0.hasPrefix(up) }, "\(run.warnings)")
        let tree = try CaptureFormats.tree(at: "\(run.path)/memory.zip")
        #expect(tree.byteCount(of: "transforms.json") != nil && tree.byteCount(of: "boundingbox.json") == nil)
    }

    /// A dataset whose turn was written in single precision: what is upright by its own word is so for the file.
    @Test func aBoxThatIsTiltedByRoundingStays() throws {
        let folder = try TemporaryFolder()
        let (c, s) = (cos(3e-8), sin(3e-8))
        let points = (0..<1000).map { "\(Double($0 % 10) / 10) \(Double($0 / 10 % 10) / 10) \(Double($0 / 100) / 10)" }
        let header =
            "ply\nformat ascii 1.0\nelement vertex 1000\nproperty float x\nproperty float y\nproperty float z\nend_header\n"
        try folder.write(header + points.joined(separator: "\n") + "\n", to: "turned/points.ply")
        let pixels = [UInt8](repeating: 9, count: 144)
        try folder.write(try PNG.encodeRGB(RGBImage(width: 8, height: 6, pixels: pixels)), to: "turned/a.png")
        try folder.write(
            """
            {"fl_x": 9, "fl_y": 9, "cx": 4, "cy": 3, "w": 8, "h": 6, "orientation_override": "none",
             "applied_transform": [[1, 0, 0, 0], [0, \(s), \(-c), 0], [0, \(c), \(s), 0]], "ply_file_path": "points.ply",
             "frames": [{"file_path": "a.png",
                "transform_matrix": [[1, 0, 0, 0.5], [0, 0, -1, -3], [0, 1, 0, 0.5], [0, 0, 0, 1]]}]}
            """, to: "turned/transforms.json")
        let run = try StageRun(
            "- read\n- fit-box\n- write-zip", reading: "\(folder.path)/turned", probing: [.pose])
        #expect(!run.warnings.contains { $0.contains("the box was left out") }, "\(run.warnings)")
        let archive = try #require(run.files.first { $0.hasSuffix(".zip") })
        let tree = try CaptureFormats.tree(at: "\(run.path)/\(archive)")
        #expect(tree.byteCount(of: "boundingbox.json") != nil)
    }

    @Test func equalCapturesMakeEqualArchives() throws {
        let one = try StageRun(Self.scene + "- write-zip", reading: "nowhere/chair", workers: 1)
        let two = try StageRun(Self.scene + "- write-zip", reading: "nowhere/chair", workers: 4)
        #expect(try one.bytes("chair.zip") == two.bytes("chair.zip"))
    }

    /// The project's readers take y for up.
    @Test func worldsWithZUpAreTurned() throws {
        let made = try StageRun(
            Self.scene + "- write-zip\n- write-capture: {format: arkitscenes}", reading: "nowhere/chair",
            probing: [.pose])
        let run = try StageRun("- read\n- write-zip", reading: made.path, probing: [.pose])
        #expect(run.capture.worldUp == Vector3(0, 0, 1))
        #expect(run.warnings == [])
        let archive = try #require(run.files.first { $0.hasSuffix(".zip") })
        let back = try StageRun("- read", reading: "\(run.path)/\(archive)", probing: [.pose])
        #expect(back.frames.count == 5)
        for (a, b) in zip(made.frames, back.frames) {
            let (p, q) = (try #require(a.pose), try #require(b.pose))
            #expect((p.position - q.position).length < 1e-9)
            #expect((p.rotation.columns.1 - q.rotation.columns.1).length < 1e-9)
        }
    }

    /// Upright along z, its own x axis towards (0.6, 0.8).
    @Test func aBoxIsTurnedWithItsWorld() throws {
        var capture = try MemoryCapture.posed(1)
        capture.worldUp = Vector3(0, 0, 1)
        capture.box = OrientedBox(
            center: Vector3(1, 2, 3),
            worldFromBox: Matrix3(columns: Vector3(0.6, 0.8, 0), Vector3(0, 0, 1), Vector3(0.8, -0.6, 0)),
            halfSize: Vector3(0.5, 1, 0.25))
        let run = try StageRun("- write-zip", on: capture)
        let box = try #require(try StageRun("- read", reading: "\(run.path)/memory.zip", probing: [.pose]).capture.box)
        #expect((box.center - Vector3(1, 3, -2)).length < 1e-6)
        #expect((box.halfSize - Vector3(0.5, 1, 0.25)).length < 1e-6)
    }

    @Test func aProjectWithoutTimes() throws {
        var capture = MemoryCapture([MemoryCapture.Item(), MemoryCapture.Item()])
        for index in capture.items.indices {
            capture.items[index].pixels = RGBImage(width: 8, height: 6, pixels: Array(repeating: 9, count: 144))
        }
        let run = try StageRun("- write-zip", on: capture)
        let archive = "\(run.path)/memory.zip"
        let back = try StageRun("- read", reading: archive, probing: [.pose])
        #expect(!back.capture.channels.contains(.timestamp))
        #expect(back.capture.absences[.timestamp]?.reason == "no frame of transforms.json has a timestamp")
        let timed = try StageRun("- read: {rate: 20}", reading: archive, probing: [.pose])
        #expect(timed.frames.map(\.timestamp) == [0, 50_000_000])
    }

    @Test func aFrameWithoutAPoseHasNoPictureEither() throws {
        var capture = try MemoryCapture.posed(2)
        capture.items[0].pose = nil
        let run = try StageRun("- write-zip: {color: copy}", on: capture)
        #expect(run.drops == ["0 write-zip: the frame has no pose"])
        #expect(run.count("write-zip", "frames") == 1)
        let names = try PythonReaders.run(
            "import zipfile; print(json.dumps(zipfile.ZipFile(sys.argv[1]).namelist()))", ["\(run.path)/memory.zip"])
        #expect(names.array?.compactMap(\.string).filter { $0.contains("images/") }.count == 1)
    }
}
