import Foundation
import ScanFormats
import ScanModel
import ScanStages
import TestSupport
import Testing

@Suite struct WriteTumTests {
    // MARK: - There and back

    @Test func aSyntheticCaptureComesBack() throws {
        let trip = try RoundTrip("- write-tum", in: "/tum")
        #expect(trip.read.capture.format == "tum")
        #expect(trip.read.drops == [] && trip.read.warnings == [])
        let errors = try trip.errors()
        // Six decimals.
        #expect(errors.time <= 500)
        #expect(errors.position < 1e-9 && errors.rotation < 1e-9)
        // One camera stands for all: the median.
        let focal = trip.written.frames.compactMap { $0.intrinsics?.fx }.sorted()
        for frame in trip.read.frames {
            #expect(abs((frame.intrinsics?.fx ?? 0) - focal[(focal.count - 1) / 2]) < 1e-9)
        }
        // Half a unit of 1/5000 m.
        #expect(try #require(errors.depth) <= 0.0001001)
        #expect(trip.read.capture.depthSize == PixelSize(128, 96))
        #expect(trip.written.count("write-tum", "frames") == 6)
        #expect(trip.written.count("write-tum", "frames-with-depth") == 6)
        #expect(trip.written.counts("write-tum")["camera-deviation"]?.double ?? 0 > 0)
    }

    @Test func theBytesAreTheSameForAnyNumberOfWorkers() throws {
        let receipts = try [1, 3].map {
            try RoundTrip("- write-tum", in: "/tum", workers: $0).written.bytes("receipt.json")
        }
        #expect(receipts[0] == receipts[1])
    }

    /// Depth as the pictures see it, at their size.
    @Test(arguments: ["", "- decompress\n"]) func depthOfACameraOfItsOwnFitsThePictures(_ before: String) throws {
        let run = try StageRun("\(before)- write-tum", on: try MemoryCapture.depthBeside())
        let depth = try PNG.decodeGray16(try run.bytes("tum/depth/0.000000.png"))
        // A column to the left; nothing is seen in the last one. 5000 units a metre, and each pixel four times.
        let row: [UInt16] = [10_000, 10_000, 15_000, 15_000, 20_000, 20_000, 0, 0]
        #expect((depth.width, depth.height) == (8, 6))
        #expect(depth.pixels == Array(repeatElement(row, count: 6).joined()))
    }

    // MARK: - The files

    @Test func theSequenceAsPythonReadsIt() throws {
        var capture = try MemoryCapture.posed(3)
        for n in 0..<3 {
            capture.items[n].timestamp = 1_305_031_102_175_304_000 + Int64(n) * 1_000_000_400
            capture.items[n].depth = DepthMap(width: 4, height: 3, metres: (0..<12).map { Float($0) / 4 })
        }
        capture.items[1].depth?.metres[3] = 13.2
        let run = try StageRun("- write-tum", on: capture)
        let times = ["1305031102.175304", "1305031103.175304", "1305031104.175305"]
        let files =
            ["calibration.txt", "depth.txt", "groundtruth.txt", "rgb.txt"]
            + times.flatMap { ["depth/\($0).png", "rgb/\($0).png"] }
        #expect(Set(run.files) == Set(files.map { "tum/\($0)" }))
        #expect(run.count("write-tum", "depth-pixels-too-far") == 1)
        let lines = try run.text("tum/rgb.txt").split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(lines == times.map { "\($0) rgb/\($0).png" })
        let depth = try PNG.decodeGray16(try run.bytes("tum/depth/\(times[1]).png"))
        // Enlarged from 4 × 3 to the picture's 8 × 6: each pixel four times, the one beyond 13.107 m without a value.
        #expect((depth.width, depth.height) == (8, 6))
        #expect(depth.pixels.prefix(8) == [0, 0, 1250, 1250, 2500, 2500, 0, 0])
        #expect(depth.pixels[8..<16] == depth.pixels[0..<8])
        let poses = try run.text("tum/groundtruth.txt").split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(poses.count == 3 && poses.allSatisfy { $0.split(separator: " ").count == 8 })
        #expect(try run.text("tum/calibration.txt").hasSuffix("\n4.25 4.0 3.5 2.5 8 6\n"))
    }

    @Test func axesAndTheNearestRotation() throws {
        var capture = try MemoryCapture.posed(1)
        capture.items[0].timestamp = 5_000_000_000
        // 1e-4 off a rotation: what is written is one.
        capture.items[0].pose = Pose(
            rotation: Matrix3(columns: Vector3(1.0001, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, 1)),
            position: Vector3(1, 2, 3))
        let run = try StageRun("- write-tum", on: capture)
        let line = try #require(try run.text("tum/groundtruth.txt").split(separator: "\n").last)
        let numbers = line.split(separator: " ").compactMap { Double($0) }
        // Half a turn about x takes OpenGL's axes to OpenCV's.
        #expect(numbers.prefix(5) == [5, 1, 2, 3, 1])
        #expect(numbers.dropFirst(5).allSatisfy { abs($0) < 1e-15 })
    }

    @Test func withoutDepth() throws {
        var capture = try MemoryCapture.posed(2)
        for n in 0..<2 { capture.items[n].timestamp = Int64(n) * 1_000_000_000 }
        capture.items[1].depth = nil
        let some = try StageRun("- write-tum", on: capture)
        #expect(try some.text("tum/depth.txt").split(separator: "\n").count == 4)
        let none = try StageRun("- write-tum: {depth: false}", on: capture)
        #expect(none.files.allSatisfy { !$0.hasPrefix("tum/depth") })
        #expect(none.count("write-tum", "frames-with-depth") == 0)
    }

    /// What the recorder left out `decompress` makes a map of zeros.
    @Test func depthWithoutAnyValueIsNoDepth() throws {
        var capture = try MemoryCapture.posed(3)
        for n in 0..<3 { capture.items[n].timestamp = Int64(n) * 1_000_000_000 }
        capture.items[1].depth = DepthMap(width: 4, height: 3, metres: Array(repeating: 0, count: 12))
        let run = try StageRun("- write-tum", on: capture)
        #expect(run.count("write-tum", "frames-with-depth") == 2)
        #expect(!run.files.contains("tum/depth/1.000000.png") && run.files.contains("tum/depth/2.000000.png"))
        let dataset = try StageRun("- write-transforms: {depth: true}", on: capture)
        #expect(dataset.count("write-transforms", "frames-without-depth") == 1)
    }

    @Test func depthAsRecordedWhereNobodyUnpacksIt() throws {
        var capture = try MemoryCapture.posed(1)
        capture.items[0].depth = nil
        capture.items[0].timestamp = 0
        capture.items[0].recordedDepth = RecordedDepth(
            width: 2, height: 1, encoding: .uint16(unitsPerMetre: 1000), bytes: [0xE8, 3, 0xD0, 7])
        let run = try StageRun("- write-tum", on: capture, probing: [.pose])
        let depth = try PNG.decodeGray16(try run.bytes("tum/depth/0.000000.png"))
        #expect(depth.pixels.prefix(8) == [5000, 5000, 5000, 5000, 10000, 10000, 10000, 10000])
    }

    /// A name is free where a stage above drops the frame that would have had it.
    @Test(arguments: ["{at-least: 1}", "{window: 2}"]) func droppedFramesHaveNoNames(_ filter: String) throws {
        var capture = try MemoryCapture.posed(4)
        for n in 0..<4 {
            capture.items[n].timestamp = [1, 2, 2, 3][n] * 1_000_000_000
            // Frame 2 is the sharpest of all, and frame 1 has nothing to see.
            var picture = RGBImage(width: 8, height: 6, pixels: Array(repeating: 0, count: 144))
            picture.pixels[60] = [200, 0, 220, 150][n]
            capture.files["color/\(n).png"] = try PNG.encodeRGB(picture)
        }
        let run = try StageRun("- filter-blur: \(filter)\n- write-tum", on: capture)
        #expect(run.kept == (filter == "{window: 2}" ? [0, 2] : [0, 2, 3]))
        #expect(run.count("write-tum", "frames") == run.kept.count)
    }

    /// One of a hundred times that clash is no reason to lose the other ninety-nine frames.
    @Test(arguments: [[1_000_000_000, 1_000_000_100, 2_000_000_000], [1_000_000_000, 2_000_000_000, 1_000_000_000]])
    func ofTwoFramesOfOneTimeTheLaterOneIsBad(_ times: [Int64]) throws {
        var capture = try MemoryCapture.posed(3)
        for n in 0..<3 { capture.items[n].timestamp = times[n] }
        let twin = times[2] == times[0] ? 2 : 1
        let run = try StageRun("- write-tum", on: capture)
        #expect(run.drops == ["\(twin) write-tum: its time makes the name 1.000000, which frame 0 has already"])
        #expect(run.count("write-tum", "frames") == 2)
        #expect(run.files.filter { $0.hasPrefix("tum/rgb/") } == ["tum/rgb/1.000000.png", "tum/rgb/2.000000.png"])

        capture.onBadFrame = .fail
        let strict = problem { _ = try StageRun("- write-tum", on: capture) }
        #expect(strict?.summary.contains("its time makes the name 1.000000, which frame 0 has already") == true)
        #expect(strict?.fault == .input)
    }

    /// A frame that was left out has no files, and so no name.
    @Test func theNameOfAFrameThatWasLeftOutIsFree() throws {
        var capture = try MemoryCapture.posed(3)
        for n in 0..<3 { capture.items[n].timestamp = n == 2 ? 2_000_000_000 : 1_000_000_000 }
        let run = try StageRun("- select-frames: {exclude: [0]}\n- write-tum", on: capture)
        #expect(run.drops.count == 1 && run.count("write-tum", "frames") == 2)
    }
}
