import ScanModel
import ScanPipeline
import TestSupport
import Testing

@Suite struct DecompressTests {
    private func item(_ encoding: DepthEncoding, _ values: [UInt16]) -> MemoryCapture.Item {
        var item = MemoryCapture.Item()
        item.recordedDepth = RecordedDepth(
            width: values.count, height: 1, encoding: encoding,
            bytes: values.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] })
        return item
    }

    @Test func unpacksHalvesAndCountsWhatIsNoDepth() throws {
        // 1, 0.5, 10, the smallest half, the largest, 0, −0; NaN; +∞, −∞; −1.
        let halves: [UInt16] = [
            0x3C00, 0x3800, 0x4900, 0x0001, 0x7BFF, 0x0000, 0x8000, 0x7E00, 0x7C00, 0xFC00, 0xBC00,
        ]
        let run = try StageRun(
            "- decompress", on: MemoryCapture([item(.float16Metres, halves), item(.float16Metres, halves)]))
        #expect(run.frames.count == 2)
        for frame in run.frames {
            #expect(frame.depth?.metres == [1, 0.5, 10, 0x1p-24, 65504, 0, 0, 0, 0, 0, 0])
        }
        #expect(run.count("decompress", "frames") == 2)
        #expect(run.count("decompress", "nan-pixels-made-0") == 2)
        #expect(run.count("decompress", "infinite-pixels-made-0") == 4)
        #expect(run.count("decompress", "negative-pixels-made-0") == 2)
    }

    @Test func whatArraysLackIsNoDamage() throws {
        var item = item(.uint16(unitsPerMetre: 1000), Array(repeating: 0, count: 99) + [1000])
        item.recordedDepth?.replaced = .init(missing: 99)
        let run = try StageRun("- decompress", on: MemoryCapture([item]))
        #expect(run.kept == [0] && run.drops == [])
        #expect(run.count("decompress", "missing-pixels-made-0") == 99)
        #expect(run.counts("decompress")["nan-pixels-made-0"] == nil)
    }

    @Test func unpacksMillimetresWithoutTheHighestBits() throws {
        let encoding = DepthEncoding.uint16(unitsPerMetre: 1000, mask: 0x1FFF)
        // 1000, 1234 and 8191 mm, each with something else in the three highest bits; nothing; only high bits.
        let run = try StageRun(
            "- decompress", on: MemoryCapture([item(encoding, [0x03E8, 0xE3E8, 0x24D2, 0xFFFF, 0, 0xE000])]))
        #expect(run.frames.first?.depth?.metres == [1, 1, 1.234, 8.191, 0, 0])
        #expect(run.count("decompress", "pixels-with-more-than-13-bits") == 4)
        #expect(run.warnings.contains { $0.contains("what is farther than 8.191 m") }, "\(run.warnings)")
        let plain = try StageRun("- decompress", on: MemoryCapture([item(encoding, [0x03E8, 0x1FFF])]))
        #expect(plain.counts("decompress").keys == ["frames"] && plain.warnings.isEmpty)
    }

    /// What is farther than the largest number would become a wall.
    @Test func depthThatIsCutOffIsWarnedOf() throws {
        let near = Array(repeating: UInt16(30_000), count: 97)
        func run(_ encoding: DepthEncoding, _ more: [UInt16]) throws -> StageRun {
            try StageRun("- decompress", on: MemoryCapture([item(encoding, near + more)]))
        }
        let twoMetres = DepthEncoding.uint16(unitsPerMetre: 65535 / 2)
        let cut = try run(twoMetres, [65535, 65535])
        #expect(
            cut.warnings == [
                "decompress: much of the depth is the largest number that its file can hold, 2 m: what is farther was cut off "
                    + "there, and would become a wall; leave it out with `mask-range: {far: 1.998}` below"
            ])
        #expect(cut.count("decompress", "frames-cut-off") == 1)
        // A single pixel may be that far; millimetres end beyond any room; and it may mean that nothing was measured.
        for (encoding, more) in [
            (twoMetres, [65535, 1, 2, 3]), (.uint16(unitsPerMetre: 1000), [65535, 65535]),
            (.uint16(unitsPerMetre: 65535 / 2, invalid: .max), [65535, 65535]),
        ] as [(DepthEncoding, [UInt16])] {
            #expect(try run(encoding, more).warnings == [])
        }
    }

    /// Counts of a unit keep their precision; metres are multiplied.
    @Test func depthThatIsInAnotherUnitThanItsFormats() throws {
        let counts = DepthEncoding.uint16(unitsPerMetre: 5000)
        let run = try StageRun(
            "- decompress: {scale: 5}", on: MemoryCapture([item(counts, [1, 1234, 9001, 0, 65535])]))
        #expect(run.frames.first?.depth?.metres == [0.001, 1.234, 9.001, 0, 65.535])
        let metres = try StageRun(
            "- decompress: {scale: 0.5}", on: MemoryCapture([item(.float16Metres, [0x3C00, 0x4900, 0x0000])]))
        #expect(metres.frames.first?.depth?.metres == [0.5, 5, 0])
    }

    /// z = l / √(x² + y² + 1): in the middle nothing changes, and at 45° it is the length over √2.
    @Test func lengthsOfRaysBecomeDepth() throws {
        var item = item(.uint16(unitsPerMetre: 1000), [2000, 2000, 0])
        item.pose = .identity
        item.intrinsics = CameraIntrinsics(fx: 1, fy: 1, cx: 1.5, cy: 0.5, width: 3, height: 1, pixelOrigin: .corner)
        let run = try StageRun("- decompress: {ray-length: true}", on: MemoryCapture([item]))
        let metres = try #require(run.frames.first?.depth?.metres)
        #expect(abs(metres[0] - 2 / Float(2).squareRoot()) < 1e-6 && metres[1] == 2 && metres[2] == 0, "\(metres)")
    }

    /// A look at the unit: nothing that a phone scans is hundreds of metres away.
    @Test(arguments: [(2, nil), (2000, "millimetres that were read as metres"), (0.002, "metres that were read as")])
    func depthInAnotherUnitIsWarnedOf(_ metres: Float, _ cause: String?) throws {
        let run = try StageRun(
            "- decompress", on: MemoryCapture([.init(recorded: Array(repeating: metres, count: 40))]))
        #expect(run.warnings.contains { $0.contains("too far or too near for a scan") } == (cause != nil))
        #expect(run.warnings.allSatisfy { $0.contains(cause ?? "") })
    }

    @Test func confidenceStaysAsRecorded() throws {
        var capture = MemoryCapture([.init(recorded: [1, 2, 3]), .init(recorded: [4, 5, 6])])
        let map = ConfidenceMap(width: 3, height: 1, values: [0, 100, 255], range: 0...255)
        capture.items[0].recordedConfidence = map
        let run = try StageRun("- decompress", on: capture)
        #expect(run.frames.map(\.confidence) == [map, nil])
        let without = try StageRun("- decompress", on: MemoryCapture([.init(recorded: [1])]))
        #expect(without.frames.map(\.confidence) == [nil])
    }

    /// What no stage looks at is not in the way, whatever is wrong with it.
    @Test func confidenceIsReadOnlyWhereItIsUsed() throws {
        var files = try MultiScanSample().files()
        let stream = try #require(files["scan.confidence.zlib"])
        files["scan.confidence.zlib"] = Array(stream.prefix(stream.count / 2))
        let folder = try TemporaryFolder()
        let path = try folder.write(files, under: "scan")
        let run = try StageRun("- read\n- decompress", reading: path, probing: [.depth])
        #expect(run.frames.count == 4 && run.frames.allSatisfy { $0.depth != nil && $0.confidence == nil })
        let refused = problem { _ = try StageRun("- read\n- decompress", reading: path, probing: [.confidence]) }
        #expect(refused?.summary.hasPrefix("confidence stream") == true)
    }

    @Test func withoutADepthPictureConfidenceStays() throws {
        var capture = MemoryCapture([.init(recorded: [1, 2, 3]), .init()])
        capture.depthSize = PixelSize(3, 1)
        let map = ConfidenceMap(width: 3, height: 1, values: [0, 1, 2], range: 0...2)
        capture.items[1].recordedConfidence = map
        let run = try StageRun("- decompress", on: capture)
        #expect(run.frames.last?.depth?.metres == [0, 0, 0] && run.frames.last?.confidence == map)
        #expect(run.count("decompress", "frames-without-depth") == 1)
    }

    @Test func theFrameBeforeIsUnpackedOnlyWhereItIsAskedFor() throws {
        let capture = MemoryCapture([.init(recorded: [1, -1]), .init(recorded: [2, 0]), .init(recorded: [3, .nan])])
        let asked = try StageRun("- decompress", on: capture, probing: [.depth, .previousDepth])
        #expect(asked.frames.map { $0.previousDepth?.metres } == [nil, [1, 0], [2, 0]])
        let unasked = try StageRun("- decompress", on: capture, probing: [.depth])
        #expect(unasked.frames.map { $0.previousDepth?.metres } == [nil, nil, nil])
        #expect(unasked.frames.allSatisfy { $0.recordedDepth == nil && $0.recordedDepthBefore == nil })
    }

    @Test func aFrameOfTheWrongSizeIsDroppedByName() throws {
        var capture = MemoryCapture([.init(recorded: [1, 2]), .init(recorded: [3, 4]), .init(recorded: [5, 6])])
        capture.items[1].recordedDepth?.bytes.removeLast()
        let run = try StageRun("- decompress", on: capture, probing: [.depth, .previousDepth])
        #expect(run.kept == [0, 2])
        #expect(run.drops == ["1 decompress: a depth frame of 7 bytes is not one of 2 × 1 pixels"])
        // A frame before that cannot be unpacked does not cost this one.
        #expect(run.frames.last?.previousDepth == nil)
        #expect(run.frames.last?.depth?.metres == [5, 6])

        capture.onBadFrame = .fail
        let problem = problem { _ = try StageRun("- decompress", on: capture) }
        #expect(problem?.summary == "a depth frame of 7 bytes is not one of 2 × 1 pixels")
        #expect(problem?.place.frame == 1)
        #expect(problem?.place.stage == "decompress")
    }

    @Test(arguments: [false, true])
    func unpacksAWholeCapture(isAndroid: Bool) throws {
        var sample = MultiScanSample()
        sample.isAndroid = isAndroid
        let folder = try TemporaryFolder()
        let path = try folder.write(sample.files(), under: "scan")
        let run = try StageRun("- read\n- decompress", reading: path)
        #expect(run.frames.count == 4)
        for frame in run.frames {
            let expected = sample.depthMap(frame.index).metres
            let found = try #require(frame.depth?.metres)
            // Half floats hold the sample exactly, whole millimetres to half of one.
            #expect(zip(found, expected).allSatisfy { abs($0 - $1) <= (isAndroid ? 0.000501 : 0) })
            #expect(frame.confidence?.range == (isAndroid ? 0...255 : 0...2))
            #expect(
                frame.confidence?.values
                    == (0..<48).map {
                        MultiScanSample.confidence(frame.index, $0 % 8, $0 / 8) * (isAndroid ? 127 : 1)
                    })
        }
    }

    @Test func takesStreamsThatWerePackedAgain() throws {
        let sample = MultiScanSample()
        let folder = try TemporaryFolder()
        var files = try sample.files()
        let raw = sample.rawDepth(4)
        // zlib's wrapper: two bytes in front, Adler-32 behind, its two sums taken modulo 65521.
        var (a, b) = (1, 0)
        for byte in raw {
            a = (a + Int(byte)) % 65521
            b = (b + a) % 65521
        }
        let sum = [b >> 8, b & 255, a >> 8, a & 255].map { UInt8($0) }
        files["scan.depth.zlib"] = [0x78, 0x9C] + (files["scan.depth.zlib"] ?? []) + sum
        let run = try StageRun("- read\n- decompress", reading: try folder.write(files, under: "scan"))
        #expect(run.frames.map(\.depth) == (0..<4).map(sample.depthMap))
    }
}
