import ScanFormats
import ScanModel
import TestSupport
import Testing

/// Depth as PNG and as NumPy writes it.
@Suite struct DepthPictureTests {
    /// - Parameter version: of the file; from 2 on the header's length has four bytes instead of two.
    private func array(
        _ type: String, _ values: String, shape: String = "(2, 3)", order: String = "False", version: Int = 1
    ) throws -> [UInt8] {
        let made = try runPython(
            """
            import struct, sys
            size = '<H' if \(version) == 1 else '<I'
            head = "{'descr': '\(type)', 'fortran_order': \(order), 'shape': \(shape), }"
            head += ' ' * (63 - (8 + struct.calcsize(size) + len(head)) % 64) + '\\n'
            code = {'<u2': 'H', '<i4': 'i', '<f4': 'f', '<f8': 'd', '|u1': 'B'}['\(type)']
            data = struct.pack('<6' + code, *[\(values)])
            start = b'\\x93NUMPY' + bytes([\(version), 0]) + struct.pack(size, len(head))
            sys.stdout.buffer.write(start + head.encode() + data)
            """)
        try #require(made.status == 0, "\(made.errors)")
        return made.outputBytes
    }

    @Test(arguments: [
        ("<u2", "0, 1, 1000, 65535, 2, 3"), ("<i4", "0, 1, 1000, 65535, 2, 3"),
        ("<f4", "0.4, 1, 1000.2, 65535, 1.5, 3"),
        ("<f8", "0, 1, 1000, 65535, 2, 3"),
    ]) func arraysOfNumbers(_ type: String, _ values: String) throws {
        let bytes = try array(type, values)
        let image = try DepthPicture.decode(bytes)
        #expect((image.width, image.height) == (3, 2))
        #expect(image.pixels == [0, 1, 1000, 65535, 2, 3])
        #expect(try DepthPicture.size(bytes) == PixelSize(3, 2))
    }

    /// As NumPy writes headers that are too long for two bytes, and what it would read of any.
    @Test(arguments: [2, 3]) func arraysWithALongHeader(_ version: Int) throws {
        let bytes = try array("<u2", "0, 1, 1000, 65535, 2, 3", version: version)
        #expect(try DepthPicture.decode(bytes).pixels == [0, 1, 1000, 65535, 2, 3])
        #expect(try DepthPicture.size(bytes) == PixelSize(3, 2))
        let cut = #expect(throws: Problem.self) { try DepthPicture.decode(Array(bytes.prefix(100))) }
        #expect(cut?.summary == "NumPy array truncated")
    }

    @Test func whatIsWrongWithAnArrayIsSaid() throws {
        let values = "0, 1, 2, 3, 4, 5"
        let whole = try array("<u2", values)
        let files: [(bytes: [UInt8], words: String)] = [
            (try array("|u1", values), "the NumPy array holds numbers of type |u1"),
            (whole.dropLast(), "the NumPy array holds 11 bytes instead of 12"),
            (whole + [0], "the NumPy array holds 13 bytes instead of 12"),
            (Array(whole.prefix(11)), "NumPy array truncated"), (Array(whole.prefix(100)), "NumPy array truncated"),
            (try array("<u2", values, order: "None"), "the NumPy array is no plane of numbers"),
            (try array("<u2", values, shape: "(6,)"), "the NumPy array is no plane of numbers"),
            (try array("<u2", values, shape: "(-2, 3)"), "the NumPy array is no plane of numbers"),
        ]
        for (bytes, words) in files {
            let problem = #expect(throws: Problem.self) { try DepthPicture.decode(bytes) }
            #expect(problem?.summary == words)
        }
        let problem = #expect(throws: Problem.self) { try DepthPicture.decode(files[0].bytes) }
        #expect(problem?.notes == ["depth is of type <u2, <i4, <f4 or <f8"])
    }

    /// As NumPy saves an array that was transposed.
    @Test func arraysColumnByColumn() throws {
        let bytes = try array("<u2", "0, 1, 1000, 65535, 2, 3", order: "True")
        #expect(try DepthPicture.decode(bytes).pixels == [0, 1000, 2, 1, 65535, 3])
    }

    @Test func whatDoesNotFitIsNoDepth() throws {
        #expect(try DepthPicture.decode(try array("<i4", "-1, 65536, 1, 2, 3, 4")).pixels == [0, 0, 1, 2, 3, 4])
        let floats = try array("<f4", "float('nan'), float('inf'), -1, 1e9, 3, 4")
        #expect(try DepthPicture.decode(floats).pixels == [0, 0, 0, 0, 3, 4])
    }

    /// A capture of one frame with this depth.
    private func recording(_ values: String) throws -> WrittenCapture {
        let recording = try WrittenCapture("0a1b2c3d4e")
        try recording.write("1, 2, 3, 1, 0, 0, 0", to: "odometry.csv")
        try recording.write("50, 0, 32\n0, 50, 24\n0, 0, 1\n", to: "camera_matrix.csv")
        try recording.write(try array("<f4", values), to: "depth/000000.npy")
        return recording
    }

    /// They are told beside what a recorder's own bytes have of such numbers.
    @Test func whatDoesNotFitIsCounted() throws {
        let recording = try recording("float('nan'), float('inf'), -1, 1e9, 3000, 4000")
        let capture = try recording.open(StrayScannerCapture.self)
        let depth = try #require(try capture.loaded([.recordedDepth])[0].recordedDepth)
        #expect(depth.replaced == .init(missing: 3, beyond: 1))
        let (map, repaired) = try DepthCodec.decode(depth)
        #expect(map.metres == [0, 0, 0, 0, 3, 4])
        #expect(repaired == .init(beyond: 1, missing: 3) && repaired.doubtful == 1)
        #expect(depth.turned(quarterTurns: 1).replaced == depth.replaced)
        let inspection = try CaptureInspection.inspect(recording.path)
        #expect(inspection.depth?.repaired == .init(beyond: 1, missing: 3))
    }

    @Test func holesAreNoDamage() throws {
        let recording = try recording("float('nan'), float('inf'), -1, -1, 3000, 4000")
        let inspection = try CaptureInspection.inspect(recording.path)
        #expect(inspection.depth?.repaired == .init(missing: 4))
        #expect(!inspection.findings.contains { $0.problem.summary.hasSuffix("are no depths") })
    }

    @Test func numbersOfAnotherUnitAreNoDepth() throws {
        // Micrometres.
        let micrometres = try array("<i4", "1000000, 2000000, 1500000, 1200000, 0, 0")
        let problem = #expect(throws: Problem.self) { try DepthPicture.decode(micrometres) }
        #expect(problem?.summary == "not a depth picture: 4 of 6 numbers are above 65,535")
        // Holes are no sign of it.
        for hole in ["float('nan')", "float('inf')", "-1"] {
            let holes = try array("<f4", Array(repeating: hole, count: 5).joined(separator: ", ") + ", 4")
            #expect(try DepthPicture.decode(holes).pixels == [0, 0, 0, 0, 0, 4])
        }
    }

    /// In a unit that is too long for whole numbers.
    @Test func holesAmongMetresAreNoDamage() throws {
        func decoded(_ values: String) throws -> (map: DepthMap, repaired: DepthCodec.Repaired) {
            try DepthCodec.decode(DepthPicture.recorded(array("<f8", values), as: .uint16(unitsPerMetre: 1)))
        }
        for hole in ["float('nan')", "float('inf')", "-float('inf')", "-1", "-0.5"] {
            let (map, repaired) = try decoded(Array(repeating: hole, count: 5).joined(separator: ", ") + ", 4.5")
            #expect(map.metres == [0, 0, 0, 0, 0, 4.5])
            #expect(repaired == .init(missing: 5))
        }
        let (map, repaired) = try decoded("65504, 65505, 1e300, 1e10, 0, 4.5")
        #expect(map.metres == [65_504, 0, 0, 0, 0, 4.5])
        #expect(repaired == .init(beyond: 3))
        let problem = #expect(throws: Problem.self) { try decoded("1e6, 2e6, 1e6, 1e6, 0, 4.5") }
        #expect(problem?.summary == "not a depth picture: 4 of 6 numbers are above 65,504 m")
    }

    /// What can be seen at a file's beginning is seen there.
    @Test func whatIsNoDepthHasNoSize() throws {
        let gray = try PNG.encodeGray8(LumaImage(width: 2, height: 1, pixels: [7, 8]))
        let color = try PNG.encodeRGB(RGBImage(width: 2, height: 1, pixels: [1, 2, 3, 4, 5, 6]))
        let files = [gray, color, Array("P5\n2 1\n255\nab".utf8), try array("|u1", "0, 1, 2, 3, 4, 5")]
        for bytes in files {
            #expect(throws: Problem.self) { try DepthPicture.size(bytes) }
        }
    }

    @Test func whatIsNoPlaneOfDepth() throws {
        let whole = try array("<u2", "0, 1, 2, 3, 4, 5")
        var files = [
            try array("|u1", "0, 1, 2, 3, 4, 5"), try array("<u2", "0, 1, 2, 3, 4, 5", shape: "(6,)"),
            try array("<u2", "0, 1, 2, 3, 4, 5", shape: "(-2, 3)"),
            try array("<u2", "0, 1, 2, 3, 4, 5", shape: "(99999999999999999999, 3)"), whole.dropLast(), whole + [0],
        ]
        files += (0..<20).map { Array(whole.prefix($0 * 7)) }
        for bytes in files {
            let problem = #expect(throws: Problem.self) { try DepthPicture.decode(bytes) }
            #expect(problem?.fault == .input)
        }
        let large = try array("<u2", "0, 1, 2, 3, 4, 5", shape: "(30000, 30000)")
        #expect(throws: Problem.self) { try DepthPicture.size(large) }
    }

    /// A text, a profile or EXIF before the pixels, longer than what is read of a file at first.
    @Test(arguments: [5000, 300_000]) func picturesWithLongNotes(_ count: Int) throws {
        let recording = try WrittenCapture("0a1b2c3d4e")
        try recording.write("1, 2, 3, 1, 0, 0, 0", to: "odometry.csv")
        try recording.write("50, 0, 32\n0, 50, 24\n0, 0, 1\n", to: "camera_matrix.csv")
        let script = """
            note = [(b'tEXt', b'Comment\\0' + b'x' * \(count))]
            put(png(4, 3, 16, 0, [struct.pack('>4H', *range(1000 + 4 * y, 1004 + 4 * y)) for y in range(3)], note))
            put(png(4, 3, 8, 0, [bytes([0, 1, 2, 2])] * 3, note))
            """
        let made = try python(PNGTests.codec + script)
        try recording.write(made[0], to: "depth/000000.png")
        try recording.write(made[1], to: "confidence/000000.png")
        let capture = try recording.open(StrayScannerCapture.self)
        let frame = try capture.loaded([.recordedDepth, .recordedConfidence])[0]
        #expect(frame.recordedDepth?.first == 1)
        #expect(frame.recordedConfidence?.values == [0, 1, 2, 2, 0, 1, 2, 2, 0, 1, 2, 2])
        // Packed in an archive, files can be read from their start only.
        let archive = recording.folder.url("packed.zip").path
        let pack = """
            import sys, zipfile
            z = zipfile.ZipFile(sys.argv[2], 'w', zipfile.ZIP_DEFLATED)
            for n in ('odometry.csv', 'camera_matrix.csv', 'depth/000000.png', 'confidence/000000.png'):
                z.write(f'{sys.argv[1]}/{n}', n)
            z.close()
            """
        try runPython(pack, [recording.path, archive]).require(0)
        let packed = try StrayScannerCapture.open(try CaptureFormats.tree(at: archive), rules: ReadRules())
        #expect(packed.channels.isSuperset(of: [.recordedDepth, .recordedConfidence]))
    }

    @Test func aJPEGHoldsNoDepth() throws {
        let jpeg = try JPEG.encode(RGBImage(width: 2, height: 1, pixels: [1, 2, 3, 4, 5, 6]))
        for read in [{ _ = try DepthPicture.size(jpeg) }, { _ = try DepthPicture.decode(jpeg) }] {
            let problem = #expect(throws: Problem.self) { try read() }
            #expect(problem?.summary == "a JPEG, which cannot hold depth")
            #expect(problem?.fix == "export the depth as PNG of 16 bits, for most formats in millimetres")
        }
    }

    @Test func pictures() throws {
        let png = try PNG.encodeGray16(Gray16Image(width: 2, height: 1, pixels: [7, 8]))
        #expect(try DepthPicture.decode(png).pixels == [7, 8])
        #expect(try DepthPicture.size(png) == PixelSize(2, 1))
    }
}
