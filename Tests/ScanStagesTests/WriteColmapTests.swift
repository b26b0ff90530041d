import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct WriteColmapTests {
    /// Both forms of the model as Python reads them; `check` sees them as `text` and `binary`.
    private func read(_ run: StageRun, _ check: String, _ arguments: [String] = []) throws -> JSONValue {
        try PythonReaders.run(
            """
            folder = sys.argv[1] + '/colmap'
            text, binary = read_colmap_text(folder + '/sparse/0'), read_colmap_binary(folder + '/sparse/0')

            """ + check, [run.path] + arguments)
    }

    @Test func textAndBinaryHoldTheSameModel() throws {
        var capture = try MemoryCapture.posed(4)
        capture.items[0].points = PointCloud(positions: [0.1, -2, 3e-7], colors: [1, 2, 255])
        capture.items[3].points = PointCloud(positions: [1, 2, 3, 4, 5, 6], colors: [4, 5, 6, 7, 8, 9])
        let run = try StageRun("- write-colmap", on: capture, workers: 2)
        #expect(
            run.files == (0..<4).map { "colmap/images/00000\($0).png" }
                + ["cameras.bin", "cameras.txt", "images.bin", "images.txt", "points3D.bin", "points3D.txt"].map {
                    "colmap/sparse/0/\($0)"
                })
        let points = try read(
            run,
            """
            assert text['cameras'] == binary['cameras'], (text['cameras'], binary['cameras'])
            assert text['images'] == binary['images']
            single = lambda x: struct.unpack('<f', struct.pack('<f', x))[0]
            for a, b in zip(text['points'], binary['points'], strict=True):
                # In the text stands the shortest number of single precision; the binary has doubles.
                assert [single(x) for x in a['xyz']] == b['xyz'], (a, b)
                assert [a[k] for k in ('id', 'rgb', 'error', 'track')] == [b[k] for k in ('id', 'rgb', 'error', 'track')]
                assert a['error'] == 0 and a['track'] == []
            assert [i['observations'] for i in text['images']] == [[]] * 4
            print(json.dumps([[p['id']] + p['xyz'] + p['rgb'] for p in binary['points']]))
            """)
        #expect(
            points.array?.map(\.doubles) == [
                [1, Double(Float(0.1)), -2, Double(Float(3e-7)), 1, 2, 255], [2, 1, 2, 3, 4, 5, 6],
                [3, 4, 5, 6, 7, 8, 9],
            ])
        #expect(run.count("write-colmap", "images") == 4)
        #expect(run.count("write-colmap", "cameras") == 4)
        #expect(run.count("write-colmap", "points") == 3)
    }

    @Test func theCentreStaysExactAndTheAxesAreOpenCVs() throws {
        var capture = try MemoryCapture.posed(7)
        // One pose as single precision leaves it, and one a long way off.
        let rotation = capture.items[5].pose?.rotation ?? .identity
        let single = { (v: Vector3) in Vector3(Double(Float(v.x)), Double(Float(v.y)), Double(Float(v.z))) }
        capture.items[5].pose?.rotation = Matrix3(
            columns: single(rotation.columns.0), single(rotation.columns.1), single(rotation.columns.2))
        capture.items[6].pose?.position = Vector3(1e5, -2e5, 3e5)
        let run = try StageRun("- write-colmap", on: capture)
        let worst = try read(
            run,
            """
            poses = json.loads(sys.argv[2])
            worst = {'norm': 0, 'centre': 0, 'axes': 0}
            for image, pose in zip(binary['images'], poses, strict=True):
                w, x, y, z = image['q']
                worst['norm'] = max(worst['norm'], abs(w * w + x * x + y * y + z * z - 1))
                r = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
                size = max(1, max(abs(pose[i][3]) for i in range(3)))
                for i in range(3):
                    centre = -sum(r[k][i] * image['t'][k] for k in range(3))
                    worst['centre'] = max(worst['centre'], abs(centre - pose[i][3]) / size)
                    # The rows of R are the camera's axes in the world: right, down, into the scene.
                    for row, (column, sign) in enumerate([(0, 1), (1, -1), (2, -1)]):
                        worst['axes'] = max(worst['axes'], abs(r[row][i] - sign * pose[i][column]))
                assert w >= 0
            print(json.dumps([worst['norm'], worst['centre'], worst['axes']]))
            """, [capture.poses])
        let errors = try #require(worst.doubles)
        #expect(errors[0] < 1e-14)
        #expect(errors[1] < 1e-12)
        #expect(errors[2] < 1e-6)
    }

    @Test func framesWithTheSameIntrinsicsShareACamera() throws {
        var capture = try MemoryCapture.posed(5)
        for (index, fx) in [10.0, 11, 10, 12, 11].enumerated() { capture.items[index].intrinsics?.fx = fx }
        // Counted from the centre of the pixel, the third camera is the first one again.
        capture.items[2].intrinsics?.cx = 3.5
        capture.items[2].intrinsics?.cy = 2.5
        capture.items[2].intrinsics?.pixelOrigin = .centre
        let run = try StageRun("- write-colmap", on: capture)
        let model = try read(
            run,
            "print(json.dumps([text['cameras'], [i['camera'] for i in text['images']], [i['name'] for i in text['images']]]))"
        )
        let parts = try #require(model.array)
        #expect(
            parts[0]["1"]
                == .array([
                    .string("PINHOLE"), .integer(8), .integer(6), .number(10), .number(4), .number(4), .number(3),
                ]))
        #expect(parts[0]["3"]?.array?[3].double == 12)
        #expect(parts[0].object?.keys.count == 3)
        #expect(parts[1].doubles == [1, 2, 1, 3, 2])
        #expect(parts[2].array?.compactMap(\.string) == (0..<5).map { "00000\($0).png" })
        #expect(run.count("write-colmap", "cameras") == 3)

        // As COLMAP itself numbers them when it looks at the pictures.
        let own = try StageRun("- write-colmap: {cameras: each}", on: capture)
        let each = try read(
            own, "print(json.dumps([[c[3] for c in text['cameras'].values()], [i['camera'] for i in text['images']]]))")
        #expect(each.array?.map(\.doubles) == [[10, 11, 10, 12, 11], [1, 2, 3, 4, 5]])
        #expect(own.count("write-colmap", "cameras") == 5)
    }

    @Test func observationLinesAreEmptyButThere() throws {
        let run = try StageRun("- write-colmap", on: try MemoryCapture.posed(2))
        let lines = try run.text("colmap/sparse/0/images.txt").split(separator: "\n", omittingEmptySubsequences: false)
        let rest = lines.filter { !$0.hasPrefix("#") }
        #expect(rest.count == 5)
        #expect(rest[0].hasPrefix("1 ") && rest[0].hasSuffix(" 1 000000.png"))
        #expect(rest[1].isEmpty)
        #expect(rest[2].hasPrefix("2 ") && rest[2].hasSuffix(" 2 000001.png"))
        #expect(rest[3].isEmpty && rest[4].isEmpty)
    }

    @Test func theMergedCloudIsWrittenWhereThereIsOne() throws {
        var capture = try MemoryCapture.posed(2)
        capture.items[0].points = PointCloud(positions: [0.25, 0.25, 0.25])
        capture.items[1].points = PointCloud(positions: [0.75, 0.25, 0.25])
        let run = try StageRun("- voxel-downsample: {size: 1}\n- write-colmap", on: capture)
        // Grey where there are no colours.
        let points = try read(run, "print(json.dumps([p['xyz'] + p['rgb'] for p in binary['points']]))")
        #expect(points.array?.map(\.doubles) == [[0.5, 0.25, 0.25, 128, 128, 128]])
        #expect(Array(try run.bytes("colmap/sparse/0/points3D.bin").prefix(8)) == [1, 0, 0, 0, 0, 0, 0, 0])
    }

    @Test func withoutPointsTheFilesAreStillThere() throws {
        let run = try StageRun("- write-colmap", on: try MemoryCapture.posed(1))
        #expect(try read(run, "print(json.dumps([len(text['points']), len(binary['points'])]))").doubles == [0, 0])
        #expect(run.count("write-colmap", "points") == 0)
        #expect(run.warnings == [])
        #expect(run.receipt["notes"]?.array?.first?.string?.contains("--load-3D-points False") == true)
    }

    @Test func picturesAreCopiedAndNamesAreThoseOfTheSource() throws {
        let capture = try MemoryCapture.posed(3)
        let run = try StageRun("- unproject\n- select-frames: {include: [2]}\n- write-colmap", on: capture)
        #expect(try run.bytes("colmap/images/000002.png") == capture.files["color/2.png"])
        #expect(
            try read(run, "print(json.dumps([i['name'] for i in text['images']]))").array?.compactMap(\.string) == [
                "000002.png"
            ])
        // The stage that decoded the pictures came before the selection: its points belong to this pass all the same.
        #expect(try read(run, "print(len(binary['points']))").integer == 12)
    }

    @Test func anUnknownUnitIsSaidAndFramesWithoutAPoseAreDropped() throws {
        var capture = try MemoryCapture.posed(2)
        capture.isMetric = false
        capture.items[0].pose = nil
        let run = try StageRun("- write-colmap", on: capture)
        #expect(run.warnings == ["write-colmap: the world's unit is unknown: the model may not be in metres"])
        #expect(run.drops == ["0 write-colmap: the frame has no pose"])
        #expect(
            try read(run, "print(json.dumps([[i['id'], i['camera']] for i in binary['images']]))").array?.map(\.doubles)
                == [[1, 1]])
    }

    @Test func theBytesAreTheSameForAnyNumberOfWorkers() throws {
        let capture = try MemoryCapture.posed(20)
        let receipts = try [1, 2, 8].map {
            try StageRun("- unproject\n- write-colmap", on: capture, workers: $0).bytes("receipt.json")
        }
        #expect(receipts[1] == receipts[0])
        #expect(receipts[2] == receipts[0])
    }

    /// Whoever trains with what needs points learns where to get them.
    @Test func aModelWithoutPointsSaysWhatMakesThem() throws {
        let run = try StageRun("- write-colmap", on: try MemoryCapture.posed(2))
        let notes = run.warnings + (run.receipt["notes"]?.array ?? []).compactMap(\.string)
        let note = notes.first { $0.contains("the model holds no points") } ?? ""
        #expect(note.hasSuffix("train.py needs some: put `scatter-points` above this stage"), "\(notes)")
        let deep = try StageRun(
            "- synthesize: {frames: 2, picture-width: 34, picture-height: 24, depth-width: 16, depth-height: 12}\n"
                + "- write-colmap", reading: "nowhere/a")
        let advice = (deep.receipt["notes"]?.array ?? []).compactMap(\.string)
        #expect(advice.contains { $0.hasSuffix(": put `decompress` and `unproject` above this stage") }, "\(advice)")
        // gsplat's example turns the world by its points' axes otherwise, and fails without points.
        #expect(note.contains(" --init_type random --no-normalize-world-space,"), "\(notes)")
    }
}
