import Foundation
import ScanFormats
import ScanModel
import ScanStages
import TestSupport
import Testing

@Suite struct WriteCaptureTests {
    private static let yUpToZUp = Matrix3(rows: Vector3(1, 0, 0), Vector3(0, 0, -1), Vector3(0, 1, 0))

    private static let formats = WriteCapture.Format.allCases.map(\.rawValue)

    /// In which folder of the result the capture lies.
    private func folder(of format: String) -> String { format == "3d-scanner-app" ? "/3d-scanner-app" : "" }

    @Test func theTableHasARowForEachFormat() {
        let details = WriteCapture.card.details
        for format in Self.formats { #expect(details.contains("\n| `\(format)` | "), "\(format)") }
    }

    // MARK: - There and back

    @Test(arguments: formats)
    func aSyntheticCaptureComesBack(_ format: String) throws {
        let trip = try RoundTrip("- write-capture: {format: \(format)}", in: folder(of: format))
        #expect(trip.read.capture.format == format)
        #expect(trip.read.drops == [] && trip.read.warnings == [])
        #expect(trip.read.capture.colorSize == PixelSize(128, 96) && trip.read.capture.depthSize == PixelSize(64, 48))
        let errors = try trip.errors(
            turn: format == "arkitscenes" ? Self.yUpToZUp : .identity,
            hasOneCamera: format == "stray-scanner")
        let precision: [String: Int64] = [
            "polycam": 500, "arkitscenes": 500_000, "scannetpp": 100, "3d-scanner-app": 100,
        ]
        #expect(errors.time <= precision[format] ?? 0)
        #expect(errors.position < 1e-9 && errors.rotation < 1e-9 && errors.intrinsics < 1e-9)
        #expect(try #require(errors.depth) <= 0.000501)
        #expect(errors.confidence == (format == "scannetpp" ? nil : 0))
        #expect(trip.read.frames.allSatisfy { format == "scannetpp" ? $0.confidence == nil : $0.confidence != nil })
        #expect(trip.read.capture.worldUp == (format == "arkitscenes" ? Vector3(0, 0, 1) : Vector3(0, 1, 0)))
        #expect(trip.written.count("write-capture", "frames") == 6)
        // The turn is in the receipt.
        #expect((trip.written.counts("write-capture")["applied-transform"] != nil) == (format == "arkitscenes"))
        let deviation = trip.written.counts("write-capture")["camera-deviation"]?.double
        #expect(format == "stray-scanner" ? 0.1...1 ~= deviation ?? 0 : deviation == nil, "\(deviation ?? 0)")
    }

    @Test(arguments: formats)
    func thePrincipalPointIsCountedFromTheCorner(_ format: String) throws {
        var capture = try MemoryCapture.posed(1)
        capture.items[0].intrinsics = MemoryCapture.camera.counted(from: .centre)
        let run = try StageRun("- write-capture: {format: \(format)}", on: capture)
        let back = try StageRun("- read", reading: run.path + folder(of: format), probing: [.pose])
        #expect(back.frames.map { $0.intrinsics?.counted(from: .corner) } == [MemoryCapture.camera])
    }

    /// The axis that a world of unknown up is then taken to have up.
    @Test(arguments: formats) func anUnknownUpIsSaid(_ format: String) throws {
        var capture = try MemoryCapture.posed(1)
        capture.worldUp = nil
        let run = try StageRun("- write-capture: {format: \(format)}", on: capture)
        let axis = format == "arkitscenes" ? "z" : "y"
        let words =
            "write-capture: the capture does not say which way is up, and the format's readers take \(axis) for it; say "
            + "it, "
        #expect(run.warnings.contains { $0.hasPrefix(words) }, "\(run.warnings)")
        let back = try StageRun("- read", reading: run.path + folder(of: format), probing: [.pose])
        #expect(back.capture.worldUp == (axis == "z" ? Vector3(0, 0, 1) : Vector3(0, 1, 0)))
    }

    /// Of which no video makes two frames at one time.
    @Test(arguments: ["stray-scanner", "scannetpp"]) func timestampsThatRepeat(_ format: String) throws {
        var capture = try MemoryCapture.posed(4)
        for (index, time) in [0, 16_666_667, 16_666_667, 33_333_333].enumerated() {
            capture.items[index].timestamp = Int64(time)
        }
        let run = try StageRun("- write-capture: {format: \(format)}", on: capture)
        #expect(!run.warnings.contains { $0.contains("rgb.") }, "\(run.warnings)")
        #expect(try StageRun("- read", reading: run.path).frames.map(\.timestamp).count == 4)
    }

    /// As ScanNet++'s tools and StrayVisualizer do: pauses would be filled with copies, and all that follows would get other
    /// poses.
    @Test(arguments: ["stray-scanner", "scannetpp"], [3, 29.97, 59.9])
    func whoDecodesAtAConstantRateGetsEachFrameOnce(_ format: String, _ rate: Double) throws {
        let run = try StageRun(
            """
            - synthesize: {frames: 60, rate: \(rate), picture-width: 32, picture-height: 24}
            - select-frames: {exclude: [2, 11, 12, 13, 40]}
            - write-capture: {format: \(format)}
            """, reading: "nowhere/made")
        try expectEachFrameOnce(format == "scannetpp" ? "rgb.mkv" : "rgb.mp4", of: run, count: 55, bytes: 32 * 24)
    }

    @Test(arguments: ["stray-scanner", "scannetpp"]) func videosHoldTheFramesInTheirOrder(_ format: String) throws {
        let truth = try StageRun(
            "- synthesize: {frames: 4, rate: 10, lap: 8, picture-width: 64, picture-height: 48}\n"
                + "- write-capture: {format: \(format)}", reading: "nowhere/made", probing: [.color])
        let read = try StageRun("- read", reading: truth.path, probing: [.color])
        for (one, other) in zip(truth.frames, read.frames) {
            guard case .pixels(let a)? = one.picture, case .planes(let planes)? = other.picture else {
                Issue.record("the pictures are not decoded")
                return
            }
            let b = RGBImage(planes)
            // Another frame's picture differs by some 20 on average.
            let sum = zip(a.pixels, b.pixels).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
            #expect(sum / a.pixels.count < 8)
        }
        #expect(read.frames.count == 4)
    }

    @Test(arguments: formats)
    func onlyKeptFrames(_ format: String) throws {
        let trip = try RoundTrip(
            "- write-capture: {format: \(format)}", in: folder(of: format),
            between: "- select-frames: {include: [1, 4, 5]}\n")
        #expect(trip.read.frames.count == 3)
        let errors = try trip.errors(
            turn: format == "arkitscenes" ? Self.yUpToZUp : .identity, hasOneCamera: format == "stray-scanner")
        #expect(try errors.position < 1e-9 && #require(errors.depth) <= 0.000501)
    }

    @Test(arguments: formats)
    func withoutDepthAndConfidence(_ format: String) throws {
        let stages = "- synthesize: {frames: 2, depth: none, confidence: none, picture-width: 64, picture-height: 48}\n"
        let written = try StageRun(
            "\(stages)- write-capture: {format: \(format)}", reading: "nowhere/made", probing: [.pose])
        let read = try StageRun("- read", reading: written.path + folder(of: format), probing: [.pose])
        #expect(read.frames.count == 2)
        #expect(!read.capture.channels.contains(.recordedDepth))
    }

    @Test(arguments: formats)
    func theBytesAreTheSameForAnyNumberOfWorkers(_ format: String) throws {
        let receipts = try [1, 3].map {
            try RoundTrip("- write-capture: {format: \(format)}", in: folder(of: format), workers: $0).written.bytes(
                "receipt.json")
        }
        #expect(receipts[0] == receipts[1])
    }

    @Test func confidenceOfManyLevelsBecomesThree() throws {
        let trip = try RoundTrip("- write-capture: {format: polycam}", synthesize: ", confidence: 0-255")
        // 42, 127 and 212 are the middles of thirds.
        for (truth, found) in zip(trip.written.frames, trip.read.frames) {
            let levels: [UInt8: UInt8] = [42: 0, 127: 1, 212: 2]
            #expect(truth.recordedConfidence?.values.map { levels[$0] ?? 9 } == found.confidence?.values)
        }
    }

    @Test func depthAsRecordedWhereNobodyUnpacksIt() throws {
        let run = try StageRun(
            "- synthesize: {frames: 1, depth: uint16, picture-width: 64, picture-height: 48, depth-width: 64, "
                + "depth-height: 48}\n- write-capture: {format: stray-scanner}", reading: "nowhere/made",
            probing: [.recordedDepth])
        let depth = try PNG.decodeGray16(try run.bytes("depth/000000.png"))
        #expect(depth.pixels.withUnsafeBytes { Array($0) } == run.frames[0].recordedDepth?.bytes)
    }

    @Test(arguments: ["polycam", "stray-scanner", "3d-scanner-app", "arkitscenes"])
    func framesWithoutDepthOrConfidenceAreCounted(_ format: String) throws {
        var capture = try MemoryCapture.posed(4)
        let confidence = ConfidenceMap(width: 4, height: 3, values: Array(repeating: 2, count: 12), range: 0...2)
        for n in 0..<3 { capture.items[n].recordedConfidence = confidence }
        for n in [1, 3] { capture.items[n].depth = nil }
        let run = try StageRun("- write-capture: {format: \(format)}", on: capture)
        #expect(run.count("write-capture", "frames") == 4)
        #expect(run.count("write-capture", "frames-without-depth") == 2)
        #expect(run.count("write-capture", "frames-without-confidence") == 1)
    }

    /// The formats have no place for a depth camera.
    @Test(arguments: ["", "- decompress\n"]) func depthOfACameraOfItsOwnFitsThePictures(_ before: String) throws {
        let run = try StageRun("\(before)- write-capture", on: try MemoryCapture.depthBeside())
        let depth = try PNG.decodeGray16(try run.bytes("depth/000000.png"))
        // A column to the left; nothing is seen in the last one.
        #expect(depth.pixels == [2000, 3000, 4000, 0, 2000, 3000, 4000, 0, 2000, 3000, 4000, 0])
    }

    // MARK: - Sizes that Stray Scanner's readers count on

    @Test(arguments: [
        ("picture-width: 64, picture-height: 48", "the video is 64×48 and depth 256×192, and"),
        ("depth-width: 128, depth-height: 96", "the video is 1920×1440 and depth 128×96, and"),
        ("picture-width: 64, picture-height: 48, depth: none, confidence: none", "the video is 64×48, and"), ("", ""),
    ]) func otherSizesThanStrayScannersAreToldOf(_ sizes: String, _ start: String) throws {
        let own = "picture-width: 1920, picture-height: 1440, depth-width: 256, depth-height: 192"
        var options = ["frames: 1"] + own.split(separator: ", ").map(String.init)
        for option in sizes.split(separator: ", ").map(String.init) {
            options.removeAll { $0.split(separator: ":")[0] == option.split(separator: ":")[0] }
            options.append(option)
        }
        let run = try StageRun(
            "- synthesize: {\(options.joined(separator: ", "))}\n- write-capture", reading: "nowhere/made",
            probing: [.pose])
        let rest =
            " Stray Scanner's own are 1920×1440 and 256×192: readers that scale camera_matrix.csv by those sizes, as "
            + "StrayVisualizer does, get a wrong camera"
        #expect(run.warnings == (start.isEmpty ? [] : ["write-capture: \(start)\(rest)"]))
    }

    // MARK: - As ARKitScenes' loader takes it

    /// Pictures of 8 × 6 with red of 10 · x and green of 10 · y, and depth of 4 × 3 at 2 m.
    private static func gradient() throws -> MemoryCapture {
        var capture = try MemoryCapture.posed(1)
        var pixels: [UInt8] = []
        for y: UInt8 in 0..<6 { for x: UInt8 in 0..<8 { pixels += [10 * x, 10 * y, 7] } }
        capture.items[0].file = nil
        capture.items[0].pixels = RGBImage(width: 8, height: 6, pixels: pixels)
        return capture
    }

    @Test func lowPicturesAndTheirCameraHaveDepthsSize() throws {
        let run = try StageRun("- write-capture: {format: arkitscenes}", on: try Self.gradient())
        let name = "memory_0.000"
        let low = try PNG.decodeRGB(try run.bytes("lowres_wide/\(name).png"))
        #expect((low.width, low.height) == (4, 3))
        // The mean of two columns and two rows: (10 · 2u + 10 · (2u + 1)) / 2.
        for v in 0..<3 {
            for u in 0..<4 {
                let pixel = low.pixels[(v * 4 + u) * 3..<(v * 4 + u) * 3 + 3]
                #expect(Array(pixel) == [UInt8(20 * u + 5), UInt8(20 * v + 5), 7])
            }
        }
        // f = 4 and c = (4, 3) at 8 × 6.
        let numbers = { (folder: String) in
            try run.text("\(folder)/\(name).pincam").split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        }
        #expect(try numbers("lowres_wide_intrinsics") == [4, 3, 2, 2, 2, 1.5])
        #expect(try numbers("wide_intrinsics") == [8, 6, 4, 4, 4, 3])
        #expect(try PNG.decodeRGB(try run.bytes("wide/\(name).png")).pixels.prefix(6) == [0, 0, 7, 10, 0, 7])
        let depth = try PNG.decodeGray16(try run.bytes("lowres_depth/\(name).png"))
        #expect(depth.pixels == Array(repeating: 2000, count: 12))
        // ScanMill reads the large ones.
        let back = try StageRun("- read", reading: run.path, probing: []).capture
        #expect(back.colorSize == PixelSize(8, 6) && back.depthSize == PixelSize(4, 3) && back.frames.count == 1)
    }

    @Test func depthLargerThanPicturesTakesTheirSize() throws {
        var capture = try Self.gradient()
        let metres = (0..<12 * 16).map { Float($0 % 16 / 2 + 1) }
        capture.items[0].depth = DepthMap(width: 16, height: 12, metres: metres)
        capture.items[0].recordedConfidence = ConfidenceMap(
            width: 16, height: 12, values: (0..<12 * 16).map { UInt8($0 % 16 / 2 % 3) }, range: 0...2)
        let run = try StageRun("- write-capture: {format: arkitscenes}", on: capture)
        let depth = try PNG.decodeGray16(try run.bytes("lowres_depth/memory_0.000.png"))
        #expect((depth.width, depth.height) == (8, 6))
        #expect(depth.pixels.prefix(8) == [1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000])
        let confidence = try PNG.decodeGray8(try run.bytes("confidence/memory_0.000.png"))
        #expect(confidence.width == 8 && confidence.pixels.prefix(8) == [0, 1, 2, 0, 1, 2, 0, 1])
        #expect(!run.files.contains { $0.hasPrefix("wide") })
        #expect(try PNG.decodeRGB(try run.bytes("lowres_wide/memory_0.000.png")).width == 8)
    }

    @Test func depthThatDiffersInSizeHasNoPlaceInARKitScenes() throws {
        var capture = try MemoryCapture.posed(2)
        capture.items[1].depth = DepthMap(width: 8, height: 6, metres: Array(repeating: 1, count: 48))
        let problem = problem { _ = try StageRun("- write-capture: {format: arkitscenes}", on: capture) }
        #expect(
            problem?.summary
                == "the frame's small picture is 8×6, and those before are 4×3: they have depth's size, and the format "
                + "has one size for all")
    }

    @Test func namesCanBeSplitAsARKitScenesLoaderDoes() throws {
        let stages =
            "- synthesize: {frames: 2, rate: 10, picture-width: 64, picture-height: 48, depth-width: 32, depth-height: 24}"
        let run = try StageRun(
            "\(stages)\n- write-capture: {format: arkitscenes}", reading: "nowhere/20230115_1A.png_2B", probing: [.pose]
        )
        // tenFpsDataLoader.py: the time is x.split('.png')[0].split('_')[1].
        let script = """
            import json, os, sys
            names = sorted(os.listdir(sys.argv[1] + '/lowres_depth'))
            times = [x.split('.png')[0].split('_')[1] for x in names]
            found = [os.path.exists(f'{sys.argv[1]}/{part}/20230115-1A-png-2B_{t}.{end}') for t in times for part, end in
                     (('lowres_depth', 'png'), ('lowres_wide', 'png'), ('lowres_wide_intrinsics', 'pincam'))]
            print(json.dumps({'times': [float(t) for t in times], 'found': found}))
            """
        let found = try PythonReaders.run(script, [run.path])
        let times = try #require(found["times"]?.doubles)
        #expect(zip(times, run.frames).allSatisfy { abs($0 - Double($1.timestamp ?? 0) * 1e-9) < 0.00051 })
        #expect(times.count == 2 && found["found"] == .array(Array(repeating: .bool(true), count: 6)))
        let back = try StageRun("- read", reading: run.path, probing: [])
        #expect(back.frames.count == 2 && back.drops == [] && back.warnings == [])
    }

    // MARK: - Files

    @Test func jpegsAreCopiedAndOthersEncoded() throws {
        var capture = try MemoryCapture.posed(2)
        let jpeg = try JPEG.encode(RGBImage(width: 8, height: 6, pixels: Array(repeating: 50, count: 144)))
        capture.files["color/1.jpg"] = jpeg
        for n in 0..<2 { capture.items[n].timestamp = 1_000_000 + Int64(n) * 1_000_000_600 }
        capture.items[1].pixels = nil
        capture.items[1].file = "color/1.jpg"
        let run = try StageRun("- write-capture: {format: polycam, quality: 80}", on: capture)
        #expect(try run.bytes("keyframes/images/1001001.jpg") == jpeg)
        #expect(try JPEG.header(try run.bytes("keyframes/images/1000.jpg")).width == 8)
        let camera = try JSONValue.parse(try run.bytes("keyframes/cameras/1000.json"), file: "camera")
        #expect(camera["width"]?.integer == 8 && camera["t_23"] != nil && camera["blur_score"] != nil)
    }

    /// Of a chessboard each pixel's Laplacian is ±4 · 255.
    @Test func polycamsScoreIsTakenWhereNobodyHas() throws {
        var capture = try MemoryCapture.posed(1)
        capture.items[0].timestamp = 1_000_000
        let board: [UInt8] = (0..<48).flatMap { (pixel: Int) -> [UInt8] in
            let isWhite = (pixel % 8 + pixel / 8) % 2 == 1
            return Array(repeating: isWhite ? 255 : 0, count: 3)
        }
        capture.items[0].pixels = RGBImage(width: 8, height: 6, pixels: board)
        let run = try StageRun("- write-capture: {format: polycam}", on: capture)
        let camera = try JSONValue.parse(try run.bytes("keyframes/cameras/1000.json"), file: "camera")
        #expect(camera["blur_score"]?.double == 1_040_400.0)
    }

    @Test(arguments: [("polycam", "1000"), ("arkitscenes", "memory_0.001")], [1, 2])
    func ofTwoFramesOfOneTimeTheLaterOneIsBad(_ format: (id: String, name: String), _ twin: Int) throws {
        var capture = try MemoryCapture.posed(3)
        for n in 0..<3 { capture.items[n].timestamp = n == 3 - twin ? 9_000_000 : 1_000_000 }
        capture.items[twin].timestamp? += 100
        let run = try StageRun("- write-capture: {format: \(format.id)}", on: capture)
        #expect(
            run.drops
                == ["\(twin) write-capture: its time makes the name \(format.name), which frame 0 has already"])
        #expect(run.count("write-capture", "frames") == 2)
        #expect(try StageRun("- read", reading: run.path).frames.count == 2)
    }

    @Test func aTimeBeforeZeroCostsPolycamTheFrame() throws {
        var capture = try MemoryCapture.posed(3)
        for n in 0..<3 { capture.items[n].timestamp = Int64(n - 1) * 1_000_000 }
        let run = try StageRun("- write-capture: {format: polycam}", on: capture)
        #expect(run.drops == ["0 write-capture: a time before 0 cannot be a name"])
        let cameras = run.files.filter { $0.hasPrefix("keyframes/cameras/") }
        #expect(cameras == ["keyframes/cameras/0.json", "keyframes/cameras/1000.json"])
    }

    @Test func depthThatDiffersInSizeHasNoPlaceInScanNetPP() throws {
        var capture = try MemoryCapture.posed(2)
        for n in 0..<2 { capture.items[n].timestamp = Int64(n) * 1_000_000_000 }
        func summary(_ order: [Int]) -> String? {
            var given = capture
            given.items = order.map { capture.items[$0] }
            return problem { _ = try StageRun("- write-capture: {format: scannetpp}", on: given) }?.summary
        }
        capture.items[1].depth = DepthMap(width: 8, height: 6, metres: Array(repeating: 1, count: 48))
        let sizes = "the frame's depth is 8×6, and that of the one before it is 4×3: the format has one size for all"
        #expect(summary([0, 1]) == sizes)
        capture.items[1].depth = nil
        let each = "the format's depth has a map for every frame"
        #expect(summary([0, 1]) == "the frame has no depth, and the one before it has some: \(each)")
        #expect(summary([1, 0]) == "the frame has depth, and the one before it has none: \(each)")
    }

    /// Its readers take depth for 4 : 3; `turn` makes 3 : 4 of that.
    @Test(arguments: [(3, 4, ", or put `turn: {quarter-turns: 1}` above it"), (5, 3, "")])
    func depthOfAnotherShapeHasNoPlaceInScanNetPP(_ width: Int, _ height: Int, _ advice: String) throws {
        var capture = try MemoryCapture.posed(1)
        let metres = [Float](repeating: 1, count: width * height)
        capture.items[0].depth = DepthMap(width: width, height: height, metres: metres)
        let problem = problem { _ = try StageRun("- write-capture: {format: scannetpp}", on: capture) }
        let place = "ScanNet++'s depth file has no place for maps of \(width)×\(height): they are 4 : 3"
        #expect(problem?.summary == place && problem?.isOfPipeline == true)
        #expect(problem?.fix == "write another format" + advice)
        #expect(try StageRun.refusal("- write-capture: {format: scannetpp}", of: capture)?.summary == place)
        let turned = try StageRun.refusal(
            "- turn: {quarter-turns: 1}\n- write-capture: {format: scannetpp}", of: capture)
        #expect(turned?.summary != place)
    }

    @Test func depthThatWasTurnedHasNoPlaceInScanNetPP() throws {
        let desk = SharedData.checkout.appendingPathComponent("samples/desk").path
        let stages = "- read\n- turn: {quarter-turns: 1}\n- decompress\n- write-capture: {format: scannetpp}"
        let problem = problem { _ = try StageRun(stages, reading: desk) }
        #expect(problem?.summary == "ScanNet++'s depth file has no place for maps of 96×128: they are 4 : 3")
        #expect(problem?.fix == "write another format, or take `turn` out")
    }

    /// No video has an odd side: that is told when the capture is opened, unless the pictures become smaller.
    @Test(arguments: [
        ("write-capture: {format: stray-scanner}", true), ("write-capture: {format: scannetpp}", true),
        ("write-capture: {format: polycam}", false), ("write-staging: {rgb: mp4}", true), ("write-staging", false),
    ])
    func oddPicturesHaveNoPlaceInAVideo(_ stage: String, _ isVideo: Bool) throws {
        var capture = try MemoryCapture.posed(1)
        capture.colorSize = PixelSize(65, 49)
        let summary = "a video of 65 × 49 pixels cannot be written"
        let refusal = try StageRun.refusal("- \(stage)", of: capture)
        let isRefused = refusal?.summary == summary
        #expect(isRefused == isVideo, "\(refusal as Any)")
        let resized = try StageRun.refusal("- resize: {width: 64, height: 48}\n- \(stage)", of: capture)
        #expect(resized?.summary != summary)
    }

    /// None of these apps records pictures of several sizes, and readers take the first one's for all.
    @Test(arguments: formats) func picturesOfSeveralSizesHaveNoPlace(_ format: String) throws {
        var capture = try MemoryCapture.posed(2)
        for n in 0..<2 { capture.items[n].timestamp = Int64(n) * 1_000_000_000 }
        capture.items[1].pixels = RGBImage(width: 4, height: 3, pixels: Array(repeating: 99, count: 36))
        capture.items[1].intrinsics = capture.items[1].intrinsics?.resized(to: PixelSize(4, 3))
        let problem = problem { _ = try StageRun("- write-capture: {format: \(format)}", on: capture) }
        #expect(problem?.summary == "the frame's pictures are 4×3, and those before are 8×6")
        #expect(problem?.fault == .input && problem?.place.frame == 1)
    }

    /// The tools of the data set use this pose with +z ahead, and the other as the phone recorded it.
    @Test func scanNetPPsAlignedPoseHasTheAxesOfItsTools() throws {
        var capture = try MemoryCapture.posed(1)
        capture.items[0].timestamp = 0
        let run = try StageRun("- write-capture: {format: scannetpp}", on: capture)
        let file = try JSONValue.parse(try run.bytes("pose_intrinsic_imu.json"), file: "")["frame_000000"]
        func rows(_ key: String) -> [[Double]] { (file?[key]?.array ?? []).compactMap(\.doubles) }
        let pose = rows("pose")
        #expect(pose.count == 4 && pose == capture.items[0].pose?.rowMajorRows)
        #expect(rows("aligned_pose") == pose.map { [$0[0], -$0[1], -$0[2], $0[3]] })
    }

    // MARK: - The samples

    /// What is committed below `samples/` is read, and is what the generator knows.
    @Test(arguments: [
        ("stray-scanner", 128, 96), ("polycam", 128, 96), ("scannetpp", 128, 96), ("arkitscenes", 64, 48),
        ("3d-scanner-app", 128, 96), ("tum", 128, 96),
    ]) func theCommittedSampleIsTheTruth(_ format: String, _ width: Int, _ height: Int) throws {
        let sample = SharedData.checkout.appendingPathComponent("samples/\(format)").path
        let read = try StageRun("- read\n- decompress", reading: sample, probing: [.depth])
        #expect(read.capture.format == format && read.warnings == [])
        let truth = try StageRun(
            "- synthesize: {frames: 12, rate: 3, seed: 7, picture-width: \(width), picture-height: \(height), "
                + "depth-width: 64, depth-height: 48}\n- decompress", reading: "nowhere/made", probing: [.depth])
        #expect(read.frames.count == 12)
        let turn = format == "arkitscenes" ? Self.yUpToZUp : .identity
        for (one, other) in zip(truth.frames, read.frames) {
            let (pose, found) = (try #require(one.pose), try #require(other.pose))
            #expect((turn * pose.position - found.position).length < 1e-9)
            #expect(((turn * pose.rotation).columns.2 - found.rotation.columns.2).length < 1e-9)
            let (before, after) = (try #require(one.depth), try #require(other.depth))
            #expect(after.validCount > 3000)
            // TUM's depth has the pictures' size, and steps of a fifth of a millimetre.
            let factor = format == "tum" ? 2 : 1
            let limit: Float = format == "tum" ? 0.000101 : 0.000501
            #expect((factor * before.width, factor * before.height) == (after.width, after.height))
            let strays = after.metres.indices.count { pixel in
                let (u, v) = (pixel % after.width / factor, pixel / after.width / factor)
                return !(abs(before.metres[v * before.width + u] - after.metres[pixel]) <= limit)
            }
            #expect(strays == 0)
        }
    }
}
