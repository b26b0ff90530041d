import Foundation
import ScanFormats
import ScanModel
import ScanPipeline
import TestSupport
import Testing

@Suite struct WriteFramesTests {
    /// Whole millimetres of a frame of ``MiniCapture``.
    private static func millimetres(_ frame: Int) -> [UInt16] {
        (0..<12).flatMap { v in
            (0..<16).map { u in UInt16((Double(MiniCapture.depth(frame, u, v)) * 1000).rounded(.toNearestOrEven)) }
        }
    }

    private static func depth(_ run: PipelineRun, _ number: Int) throws -> [UInt16] {
        try PNG.decodeGray16(try run.bytes("outputs/depth/\(number).png")).pixels
    }

    // MARK: - Names

    @Test func bothPicturesOfAFrameHaveItsNumberWithoutZeros() throws {
        let source = try MiniSource { $0.frameCount = 12 }
        let run = try PipelineRun("- read\n- decompress\n- write-frames", on: source.path)
        let numbers = (0..<12).map(String.init)
        #expect(
            Set(run.files) == Set(numbers.flatMap { ["outputs/color/\($0).png", "outputs/depth/\($0).png"] }))
        for frame in 0..<12 {
            #expect(try run.bytes("outputs/color/\(frame).png") == source.bytes(MiniCapture.pictureName(frame)))
            #expect(try Self.depth(run, frame) == Self.millimetres(frame))
        }
        #expect(run.counts("write-frames")["frames"]?.integer == 12)
    }

    @Test func numbersCountTheFramesThatAreWritten() throws {
        let source = try MiniSource { $0.frameCount = 11 }
        let stages = "- read\n- select-frames: {exclude: [1, 4]}\n- decompress\n- write-frames: {step: 3, color: none"
        let kept = try PipelineRun("\(stages)}", on: source.path)
        // 0 2 3 5 6 7 8 9 10 are left.
        #expect(kept.files == ["outputs/depth/0.png", "outputs/depth/1.png", "outputs/depth/2.png"])
        #expect(kept.counts("write-frames")["source-frames"] == .of([0, 5, 8]))
        for (number, frame) in [0, 5, 8].enumerated() {
            #expect(try Self.depth(kept, number) == Self.millimetres(frame))
        }

        let numbered = try PipelineRun("\(stages), number: source}", on: source.path)
        #expect(numbered.files == ["outputs/depth/0.png", "outputs/depth/5.png", "outputs/depth/8.png"])
        for frame in [0, 5, 8] { #expect(try Self.depth(numbered, frame) == Self.millimetres(frame)) }
        #expect(numbered.counts("write-frames")["source-frames"] == nil)
    }

    @Test(arguments: [1, 2]) func aFrameThatTurnsOutToBeBadIsNotCounted(step: Int) throws {
        let source = try MiniSource { $0.damagedPictures = [0, 3] }
        let run = try PipelineRun(
            "- read: {bad-frame-limit: 1}\n- write-frames: {step: \(step), depth: none, color: png, number: kept}",
            on: source.path)
        // 1 2 4 5 6 are left.
        let expected = step == 1 ? [1, 2, 4, 5, 6] : [1, 4, 6]
        #expect(run.counts("write-frames")["source-frames"] == .of(expected))
        #expect(run.files.count == expected.count)
        for (number, frame) in expected.enumerated() {
            let image = try PNG.decodeRGB(try run.bytes("outputs/color/\(number).png"))
            #expect(image.pixels.allSatisfy { $0 == MiniCapture.grey(frame) })
        }
    }

    @Test func theBytesDoNotDependOnTheNumberOfWorkers() throws {
        let source = try MiniSource { $0.frameCount = 30 }
        for step in [1, 4] {
            let stages =
                "- read\n- decompress\n- mask-confidence\n- write-frames: {step: \(step), color: jpeg, quality: 80}"
            let runs = try [1, 4].map { try PipelineRun(stages, on: source.path, workers: $0) }
            #expect(runs[0].digests == runs[1].digests)
            #expect(runs[0].receipt == runs[1].receipt)
        }
    }

    // MARK: - Options

    @Test func nothingToWriteIsAMistake() {
        #expect(
            PipelineRun.mistakes("- read\n- write-frames: {color: none, depth: none}")
                == ["with `color: none` and `depth: none` nothing is written; write one of them"])
        #expect(PipelineRun.mistakes("- read\n- write-frames: {depth: none}").isEmpty)
        #expect(
            PipelineRun.mistakes("- read\n- write-frames")
                == [
                    "`write-frames` needs depth, which no stage before it makes; put `decompress` above it, or set `depth: none`"
                ])
    }

    @Test func picturesAreCopiedOrEncoded() throws {
        let source = try MiniSource { $0.frameCount = 2 }
        let jpeg = try PipelineRun("- read\n- write-frames: {depth: none, color: jpeg}", on: source.path)
        #expect(jpeg.files == ["outputs/color/0.jpg", "outputs/color/1.jpg"])
        let image = try JPEG.decodeRGB(try jpeg.bytes("outputs/color/1.jpg"))
        #expect(image.pixels.allSatisfy { abs(Int($0) - Int(MiniCapture.grey(1))) <= 1 })
    }

    @Test func framesOfAVideoBecomeJPEGs() throws {
        let source = try MiniSource { $0.pictures = .mp4 }
        let run = try PipelineRun("- read\n- write-frames: {depth: none}", on: source.path)
        #expect(run.files == (0..<7).map { "outputs/color/\($0).jpg" })
        for frame in 0..<7 {
            let image = try JPEG.decodeRGB(try run.bytes("outputs/color/\(frame).jpg"))
            let grey = (Int(MiniCapture.grey(frame)) - 16) * 255 / 219
            #expect(image.pixels.allSatisfy { abs(Int($0) - grey) <= 2 })
        }
    }

    // MARK: - Colours

    @Test func depthAndConfidenceInColours() throws {
        let source = try MiniSource()
        let run = try PipelineRun(
            """
            - read
            - decompress
            - write-frames: {color: none, depth: colors, confidence: colors, near: 2, far: 2.5, number: source, step: 3}
            """, on: source.path)
        #expect(
            run.files
                == ["confidence", "depth"].flatMap { kind in [0, 3, 6].map { "outputs/\(kind)-colors/\($0).png" } })
        let colors = DepthColors(near: 2, far: 2.5)
        for frame in [0, 3, 6] {
            let depth = try PNG.decodeRGB(try run.bytes("outputs/depth-colors/\(frame).png"))
            let confidence = try PNG.decodeRGB(try run.bytes("outputs/confidence-colors/\(frame).png"))
            for v in 0..<12 {
                for u in 0..<16 {
                    #expect(depth[u, v] == colors.color(of: Double(MiniCapture.depth(frame, u, v))))
                    let level = Double(MiniCapture.confidence(frame, u, v)) / 2
                    #expect(confidence[u, v] == ColorMap.viridis.color(at: level))
                }
            }
            #expect(depth[15, 11] == .black)
        }
    }

    @Test(arguments: [1, 2]) func framesWithoutConfidenceAreCounted(step: Int) throws {
        let confidence = ConfidenceMap(width: 2, height: 1, values: [0, 2], range: 0...2)
        var capture = MemoryCapture(Array(repeating: .init(depth: [1, 2]), count: 4))
        for frame in [0, 1] { capture.items[frame].confidence = confidence }
        let run = try StageRun(
            "- write-frames: {color: none, depth: none, confidence: colors, number: source, step: \(step)}",
            on: capture)
        let written = step == 1 ? [0, 1] : [0]
        #expect(run.files == written.map { "outputs/confidence-colors/\($0).png" })
        // Only of frames that are written at all.
        #expect(run.count("write-frames", "frames-without-confidence") == (step == 1 ? 2 : 1))
    }

    @Test func numbersAndColoursGoToFoldersOfTheirOwn() throws {
        let source = try MiniSource { $0.frameCount = 2 }
        let run = try PipelineRun(
            "- read\n- decompress\n- write-frames: {color: none}\n- write-frames: {color: none, depth: colors}",
            on: source.path)
        #expect(run.files.count == 4)
        #expect(
            PipelineRun.mistakes("- read\n- decompress\n- write-frames: {near: 2, far: 1}")
                == ["`near`, 2, is not below `far`, 1; swap them"])
        #expect(
            PipelineRun.mistakes("- read\n- decompress\n- write-frames: {depth: none, color: none, confidence: colors}")
                .isEmpty)
    }

    // MARK: - Millimetres

    @Test func multiscanRoundingIsForMetresOnly() throws {
        let source = try MiniSource { $0.isAndroid = true }
        let run = try PipelineRun(
            "- read\n- decompress\n- write-frames: {color: none, rounding: multiscan}", on: source.path)
        let recorded = source.mini.depthBytes(3)
        let numbers = stride(from: 0, to: recorded.count, by: 2).map {
            UInt16(recorded[$0]) | UInt16(recorded[$0 + 1]) << 8
        }
        #expect(try Self.depth(run, 3) == numbers)
        // By way of half floats some of them would have become others.
        #expect(numbers.contains { UInt16(Float16(Float($0) / 1000) * 1000) != $0 })
    }

    /// Figures of an independent computation with numpy, from real captures.
    @Test(
        .enabled(if: SharedData.isThere),
        arguments: [
            ("office", "nearest", "round"), ("office", "multiscan", "multiscan_f16"),
            ("office-video", "nearest", "round"), ("office-video", "multiscan", "multiscan_f16"),
        ])
    func millimetresAddUpToTheReference(name: String, rounding: String, key: String) throws {
        let stages = """
            - read
            - decompress
            - mask-jumps: {max: 0.05, within: 1000}
            - mask-confidence: {at-least: 2}
            - mask-range: {near: 0.1, far: 10}
            - write-frames: {color: none, rounding: \(rounding)}
            """
        let run = try PipelineRun(stages, on: SharedData.path(name))
        var sum = 0
        for file in run.files { sum += try PNG.decodeGray16(try run.bytes(file)).pixels.reduce(0) { $0 + Int($1) } }
        let sums = try SharedData.expected("\(name).expected.json")["depth_png16_mm_sum_k2_delta"] as? [String: Int]
        #expect(sum == sums?[key])

        // One picture by Python's own zlib and nothing else.
        let last = try PNG.decodeGray16(try run.bytes("outputs/depth/7.png")).pixels.reduce(0) { $0 + Int($1) }
        let python = try runPython(Self.pngSum, ["\(run.path)/outputs/depth/7.png"])
        #expect(python.output == "256 192 16 0 \(last)\n", "\(python.errors)")
    }

    /// Prints width, height, bits, colour type and the sum of a PNG's 16-bit pixels.
    private static let pngSum = """
        import struct, sys, zlib
        data, at, packed = open(sys.argv[1], 'rb').read(), 8, b''
        while at < len(data):
            size, kind = struct.unpack('>I4s', data[at:at + 8])
            if kind == b'IHDR': width, height, bits, color = struct.unpack('>IIBB', data[at + 8:at + 18])
            if kind == b'IDAT': packed += data[at + 8:at + 8 + size]
            at += 12 + size
        raw, before, total = zlib.decompress(packed), bytes(2 * width), 0
        for y in range(height):
            kind, row = raw[y * (2 * width + 1)], raw[y * (2 * width + 1) + 1:(y + 1) * (2 * width + 1)]
            assert kind in (0, 2)
            if kind == 2: row = bytes((a + b) & 255 for a, b in zip(row, before))
            total += sum(struct.unpack('>%dH' % width, row))
            before = row
        print(width, height, bits, color, total)
        """

    @Test(arguments: [1, 2]) func depthOfACameraOfItsOwnFitsThePictures(_ step: Int) throws {
        let run = try StageRun(
            "- decompress\n- write-frames: {step: \(step)}", on: try MemoryCapture.depthBeside())
        let depth = try PNG.decodeGray16(try run.bytes("outputs/depth/0.png"))
        // A column to the left; nothing is seen in the last one.
        #expect(depth.pixels == [2000, 3000, 4000, 0, 2000, 3000, 4000, 0, 2000, 3000, 4000, 0])
    }

    /// A reconstruction from pictures alone has no scale.
    @Test func anUnknownUnitIsSaidWhereDepthIsWritten() throws {
        var capture = MemoryCapture([.init(depth: [1, 2])])
        func warnings(_ options: String) throws -> [String] {
            let run = try StageRun("- write-frames: {color: none, \(options)}", on: capture)
            return run.warnings.filter { $0.contains("unit") }
        }
        for depth in ["png16", "colors"] { #expect(try warnings("depth: \(depth)").isEmpty, "\(depth)") }
        capture.isMetric = false
        let numbers = try warnings("depth: png16")
        #expect(numbers == ["write-frames: the world's unit is unknown: depth is not in millimetres"])
        let colors = try warnings("depth: colors")
        #expect(colors == ["write-frames: the world's unit is unknown: `near` and `far` may not be in metres"])
        capture.items[0].confidence = ConfidenceMap(width: 2, height: 1, values: [0, 2], range: 0...2)
        #expect(try warnings("depth: none, confidence: colors").isEmpty)
    }
}
