import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct MeasureDepthTests {
    private func item(_ metres: [Float], _ confidence: [UInt8]? = nil, _ range: ClosedRange<Int> = 0...2)
        -> MemoryCapture.Item
    {
        var item = MemoryCapture.Item(depth: metres)
        item.confidence = confidence.map {
            ConfidenceMap(width: $0.count, height: 1, values: $0, range: range)
        }
        return item
    }

    @Test func rangeShareAndConfidence() throws {
        let run = try StageRun(
            "- measure-depth",
            on: MemoryCapture([item([0, 1, 2, 3], [0, 1, 1, 2]), item([4, 0, 0, 2.5], [2, 2, 2, 0])]))
        let counts = run.counts("measure-depth")
        #expect(counts["depth-m"]?["lowest"]?.double == 1 && counts["depth-m"]?["highest"]?.double == 4)
        #expect(abs((counts["depth-m"]?["median"]?.double ?? 0) - 2.5) <= 0.005)
        #expect(counts["share-with-depth"]?.double == 0.625)
        #expect(
            counts["confidence"]?.object == ["low": .integer(2), "medium": .integer(2), "high": .integer(4)])
        #expect(counts["frames-without-depth"]?.integer == 0)
        #expect(run.frames.map { $0.depth?.metres } == [[0, 1, 2, 3], [4, 0, 0, 2.5]], "depth stays as it is")
    }

    @Test func androidsConfidenceHasTheSameLevels() throws {
        let run = try StageRun(
            "- measure-depth", on: MemoryCapture([item([1, 1, 1, 1, 1], [0, 84, 85, 169, 170], 0...255)]))
        #expect(
            run.counts("measure-depth")["confidence"]?.object
                == ["low": .integer(2), "medium": .integer(2), "high": .integer(1)])
    }

    /// The picture is found to be damaged when it is decoded, behind the stages that look at depth.
    @Test func aFrameWhosePictureIsBadIsDroppedBehindIt() throws {
        let folder = try TemporaryFolder()
        let copy = try folder.copySample("scannet")
        var bytes = try folder.bytes("scannet/color/3.jpg")
        // An end in the middle, which only decoding finds.
        bytes.replaceSubrange(bytes.count / 2..<bytes.count / 2 + 2, with: [0xff, 0xd9])
        try folder.write(bytes, to: "scannet/color/3.jpg")
        let run = try StageRun(
            """
            - read: {bad-frame-limit: 0.2}
            - decompress
            - measure-depth
            - check-geometry
            - unproject
            - voxel-downsample: {size: 0.02}
            """, reading: copy)
        #expect(run.drops.count == 1 && run.drops.first?.hasPrefix("3 unproject: JPEG damaged") == true, "\(run.drops)")
    }

    @Test func whatAMaskLeftIsMeasuredBelowIt() throws {
        let capture = MemoryCapture([item([1, 2, 9, 5])])
        let run = try StageRun("- measure-depth\n- mask-range: {far: 4}\n- measure-depth", on: capture)
        #expect(run.counts("measure-depth[1]")["depth-m"]?["highest"]?.double == 9)
        #expect(run.counts("measure-depth[2]")["depth-m"]?["highest"]?.double == 2)
        #expect(run.counts("measure-depth[2]")["share-with-depth"]?.double == 0.5)
        #expect(run.counts("measure-depth[1]")["confidence"] == nil)
    }

    /// Wrong units are else found weeks later.
    @Test(
        arguments: [
            (0.002, "half of the depth is within 0.002 m: it looks like metres that were read as millimetres"),
            (0.19, "half of the depth is within 0.19 m"), (0.2, nil), (2, nil), (9.99, nil),
            (0.0001, "half of the depth is within 0.0001 m"),
            (60, "half of the depth is beyond 60 m, which is not a room"),
            (
                2000,
                "half of the depth is beyond 2000 m, which is not a room: it looks like millimetres that were read as metres"
            ),
        ] as [(Float, String?)])
    func aMedianThatNoScanHas(_ metres: Float, _ warning: String?) throws {
        let run = try StageRun("- measure-depth", on: MemoryCapture([item([metres, metres, metres])]))
        #expect(run.warnings == (warning.map { ["measure-depth: \($0)"] } ?? []))
    }

    @Test func depthOfAnUnknownUnit() throws {
        var capture = MemoryCapture([item([1, 2, 3])])
        #expect(try StageRun("- measure-depth", on: capture).counts("measure-depth")["is-metric"] == nil)
        capture.isMetric = false
        #expect(try StageRun("- measure-depth", on: capture).counts("measure-depth")["is-metric"] == .bool(false))
    }

    @Test func noDepthAtAll() throws {
        let run = try StageRun("- measure-depth", on: MemoryCapture([item([0, 0]), item([0, 0])]))
        let counts = run.counts("measure-depth")
        #expect(counts["not-measured"]?.string == "no pixel has depth" && counts["depth-m"] == nil)
        #expect(counts["share-with-depth"]?.double == 0 && counts["frames-without-depth"]?.integer == 2)
    }

    @Test func theResultDoesNotDependOnTheWorkers() throws {
        var dice = SplitMix(seed: 82)
        let capture = MemoryCapture(
            (0..<40).map { _ in
                item((0..<50).map { _ in Float.random(in: 0...6, using: &dice) }, (0..<50).map { UInt8($0 % 3) })
            })
        let receipts = try [1, 2, 8].map {
            try StageRun("- measure-depth", on: capture, workers: $0).bytes("receipt.json")
        }
        #expect(receipts[1] == receipts[0] && receipts[2] == receipts[0])
    }

    /// Against Python's own zlib and half floats.
    @Test(.enabled(if: SharedData.isThere)) func aRealCapturesFiguresArePythons() throws {
        let expected = try PythonReaders.run(
            """
            def inflate(name):
                return zlib.decompress(open(sys.argv[1] + "/office." + name + ".zlib", "rb").read(), -15)
            raw = inflate("depth")
            depth = sorted(d for d in struct.unpack("<%de" % (len(raw) // 2), raw) if d > 0)
            bins = [0] * 60
            # A half float has 11 bits, so times 1000 it is exact.
            for d in depth: bins[min(59, int(d * 1000) // int(sys.argv[2]))] += 1
            trusted = inflate("confidence")
            n = len(depth) - 1
            print(json.dumps({"depth": [depth[0], depth[int(n * .05)], depth[n // 2], depth[int(n * .95)], depth[-1]],
                "share": len(depth) * 2 / len(raw), "bins": bins, "levels": [trusted.count(i) for i in range(3)]}))
            """, [SharedData.path("office"), "100"])
        let run = try StageRun("- read\n- decompress\n- measure-depth", reading: SharedData.path("office"), workers: 2)
        let counts = run.counts("measure-depth")
        let found = ["lowest", "p05", "median", "p95", "highest"].compactMap { counts["depth-m"]?[$0]?.double }
        let wanted = try #require(expected["depth"]?.doubles)
        #expect(found.count == 5)
        #expect(zip(found, wanted).allSatisfy { abs($0 - $1) <= 0.006 }, "\(found), not \(wanted)")
        #expect(counts["histogram"]?["step"]?.double == 0.1)
        let bins = try #require(counts["histogram"]?["pixels"]?.doubles)
        let all = try #require(expected["bins"]?.doubles)
        // The last bin holds the rest.
        #expect(Array(bins.dropLast()) == Array(all.prefix(bins.count - 1)))
        #expect(bins.reduce(0, +) == all.reduce(0, +))
        #expect(abs(try #require(counts["share-with-depth"]?.double) - (expected["share"]?.double ?? 0)) < 1e-4)
        #expect(
            ["low", "medium", "high"].map { counts["confidence"]?[$0]?.double } == (expected["levels"]?.doubles ?? []))
    }
}
