import ScanFormats
import ScanModel
import ScanPipeline
import ScanStages
import TestSupport
import Testing

@Suite struct ResizeTests {
    private static let scene =
        "- synthesize: {frames: 2, picture-width: 96, picture-height: 72, depth-width: 32, depth-height: 24}\n"

    private static func noise(_ size: PixelSize, channels: Int) -> [UInt8] {
        var random = SplitMix(seed: 11)
        return (0..<size.width * size.height * channels).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }

    private static func picture(_ width: Int, _ height: Int) -> RGBImage {
        RGBImage(width: width, height: height, pixels: noise(PixelSize(width, height), channels: 3))
    }

    /// The mean over each new pixel's area by brute force: every old pixel is cut into new.width × new.height parts.
    private static func means(_ values: [UInt8], _ old: PixelSize, _ new: PixelSize, channels: Int) -> [UInt8] {
        let area = old.width * old.height
        var means: [UInt8] = []
        for y in 0..<new.height {
            for x in 0..<new.width {
                for channel in 0..<channels {
                    var sum = area / 2
                    for v in y * old.height..<(y + 1) * old.height {
                        for u in x * old.width..<(x + 1) * old.width {
                            let pixel = (v / new.height) * old.width + u / new.width
                            sum += Int(values[pixel * channels + channel])
                        }
                    }
                    means.append(UInt8(sum / area))
                }
            }
        }
        return means
    }

    private static func means(_ image: RGBImage, _ width: Int, _ height: Int) -> RGBImage {
        let pixels = means(image.pixels, image.size, PixelSize(width, height), channels: 3)
        return RGBImage(width: width, height: height, pixels: pixels)
    }

    /// A frame with a picture of this size, and its camera.
    private static func item(_ width: Int, _ height: Int) -> MemoryCapture.Item {
        var item = MemoryCapture.Item()
        item.pixels = picture(width, height)
        item.intrinsics = CameraIntrinsics(
            fx: 4, fy: 4, cx: Double(width) / 2, cy: Double(height) / 2, width: width, height: height,
            pixelOrigin: .corner)
        return item
    }

    // MARK: - What belongs to a frame

    @Test func everythingOfAPictureGetsSmallerAndDepthStays() throws {
        var item = Self.item(8, 6)
        let depth = DepthMap(width: 4, height: 3, metres: (1...12).map { Float($0) })
        let gray = Self.noise(PixelSize(8, 6), channels: 1)
        item.depth = depth
        item.luma = LumaImage(width: 8, height: 6, pixels: gray)
        item.mask = LumaImage(width: 8, height: 6, pixels: (0..<48).map { UInt8($0) })
        var centred = item
        centred.intrinsics = item.intrinsics?.counted(from: .centre)
        let run = try StageRun(
            "- resize: {width: 5, height: 4}", on: MemoryCapture([item, centred]),
            probing: [.color, .luma, .mask, .depth])
        #expect(run.frames.count == 2 && run.count("resize", "resized") == 2)
        for frame in run.frames {
            #expect(frame.picture == .pixels(Self.means(Self.picture(8, 6), 5, 4)))
            let luma = Self.means(gray, PixelSize(8, 6), PixelSize(5, 4), channels: 1)
            #expect(frame.luma == LumaImage(width: 5, height: 4, pixels: luma))
            // The middle of new pixel x lies at (x + ½) · 8 / 5, in these columns; rows alike.
            let nearest = [0, 2, 3, 5].flatMap { row in [0, 2, 4, 5, 7].map { UInt8(8 * row + $0) } }
            #expect(frame.mask == LumaImage(width: 5, height: 4, pixels: nearest))
            #expect(frame.depth == depth)
        }
        // Of (4, 3) from the corner, and of (3½, 2½) from the first pixel's centre.
        for (frame, (cx, cy)) in zip(run.frames, [(2.5, 2.0), (2.0, 1.5)]) {
            let camera = try #require(frame.intrinsics)
            #expect(camera.size == PixelSize(5, 4))
            #expect(abs(camera.fx - 2.5) < 1e-12 && abs(camera.fy - 8.0 / 3) < 1e-12)
            #expect(abs(camera.cx - cx) < 1e-12 && abs(camera.cy - cy) < 1e-12)
        }
    }

    @Test func framesOfAVideoGetSmaller() throws {
        let planes = YUVImage(
            width: 8, height: 6, planes: (0..<72).map { UInt8(3 * $0) },
            encoding: YUVEncoding(matrix: .bt601, isFullRange: true))
        var item = MemoryCapture.Item()
        item.planes = planes
        let run = try StageRun("- resize: {width: 3}", on: MemoryCapture([item]), probing: [.color])
        // 6 · 3 / 8 is 2¼.
        #expect(run.frames.first?.picture == .pixels(Self.means(RGBImage(planes), 3, 2)))
        #expect(run.frames.first?.intrinsics?.size == PixelSize(3, 2))
    }

    @Test(arguments: [
        ("width: 6", 6, 5), ("height: 3", 4, 3), ("longest: 4", 4, 3), ("width: 5, height: 2", 5, 2),
        ("longest: 1", 1, 1),
    ])
    func oneSideGivesTheOther(_ options: String, _ width: Int, _ height: Int) throws {
        let run = try StageRun("- resize: {\(options)}", on: MemoryCapture([Self.item(8, 6)]), probing: [.color])
        #expect(run.frames.first?.picture == .pixels(Self.means(Self.picture(8, 6), width, height)))
        #expect(run.capture.colorSize == PixelSize(width, height))
    }

    /// Pictures of several sizes, of which some formats have only one.
    @Test func picturesBecomeAlike() throws {
        let capture = MemoryCapture([Self.item(8, 6), Self.item(16, 12)])
        let run = try StageRun("- resize: {width: 4, height: 3}", on: capture, probing: [.color])
        #expect(run.capture.colorSize == PixelSize(4, 3))
        #expect(run.frames.map { $0.intrinsics?.fx } == [2, 1])
        let both: [Picture?] = [Self.picture(8, 6), Self.picture(16, 12)].map { .pixels(Self.means($0, 4, 3)) }
        #expect(run.frames.map(\.picture) == both)
        let held = MemoryCapture([Self.item(8, 6), Self.item(6, 8)])
        let limited = try StageRun("- resize: {longest: 4}", on: held, probing: [.color])
        #expect(limited.capture.colorSize == nil && limited.warnings == [])
        #expect(limited.frames.map { $0.intrinsics?.size } == [PixelSize(4, 3), PixelSize(3, 4)])
    }

    /// What does not fit its picture is not made to fit.
    @Test func aMaskOfAnotherSizeStaysWrong() throws {
        var item = Self.item(8, 6)
        let mask = LumaImage(width: 12, height: 9, pixels: Array(repeating: 255, count: 108))
        item.mask = mask
        let run = try StageRun("- resize: {width: 4, height: 3}", on: MemoryCapture([item]), probing: [.mask])
        #expect(run.frames.first?.mask == mask)
    }

    // MARK: - What stays

    @Test func nothingIsEnlarged() throws {
        let asked = try StageRun("- resize: {width: 9}", on: MemoryCapture.posed(2), probing: [.color])
        #expect(asked.frames.map(\.picture) == [.file("color/0.png"), .file("color/1.png")])
        #expect(asked.frames.map { $0.intrinsics?.size } == [PixelSize(8, 6), PixelSize(8, 6)])
        #expect(asked.count("resize", "resized") == 0)
        #expect(asked.warnings.count == 1)
        #expect(
            asked.warnings.first?.contains(
                "2 of 2 pictures stay as recorded, since none is enlarged; the first is 8×6") == true)
        // One side would do, but not the other.
        let tall = try StageRun("- resize: {width: 4, height: 7}", on: MemoryCapture.posed(1), probing: [.color])
        #expect(tall.frames.map(\.picture) == [.file("color/0.png")] && tall.warnings.count == 1)
    }

    /// Pictures that need no change are copied as they are, and nobody is told.
    @Test func aLimitThatIsKeptCostsNothing() throws {
        let capture = try MemoryCapture.posed(1)
        let run = try StageRun("- resize: {longest: 8}\n- write-transforms", on: capture, probing: [.color])
        #expect(run.count("resize", "resized") == 0 && !run.warnings.contains { $0.contains("enlarged") })
        #expect(try run.bytes("nerf/images/000000.png") == capture.files["color/0.png"])
    }

    /// No dataset gets both kinds of file where its capture has one.
    @Test func whatIsSmallEnoughAndWhatIsNotStayPNGs() throws {
        var capture = try MemoryCapture.posed(2)
        for n in 0..<2 { capture.items[n].depth = nil }
        capture.files["color/1.png"] = try pngOf(width: 16, height: 12)
        capture.items[1].intrinsics = MemoryCapture.camera.resized(to: PixelSize(16, 12))
        capture.colorSize = nil
        let run = try StageRun("- resize: {longest: 8}\n- write-transforms", on: capture, probing: [.color])
        #expect(run.count("resize", "resized") == 1 && run.drops == [])
        #expect(try run.bytes("nerf/images/000000.png") == capture.files["color/0.png"])
        #expect(try PNG.decodeRGB(try run.bytes("nerf/images/000001.png")).size == PixelSize(8, 6))
    }

    @Test func withoutPicturesThereIsNothingToDo() throws {
        let run = try StageRun("- resize: {width: 4}", on: MemoryCapture([.init(depth: [1, 2])]))
        #expect(run.count("resize", "resized") == 0)
        #expect(run.frames.first?.intrinsics == MemoryCapture.camera)
    }

    @Test(arguments: [
        (
            6, 8, "width: 4, height: 3",
            "pictures of 6×8 became 4×3: one side shrank 1.78 times as much as the other; to keep the aspect ratio:  "
                + "--set resize.width=3 --set resize.height=4"
        ),
        (
            8, 6, "width: 6, height: 2",
            "pictures of 8×6 became 6×2: one side shrank 2.25 times as much as the other; to keep the aspect ratio:  "
                + "--set resize.longest=6"
        ),
        (8, 6, "width: 4, height: 3", ""),
        // As 1296×968 becomes 640×480.
        (81, 60, "width: 40, height: 30", ""),
    ])
    func squeezedPicturesAreWarnedOf(_ width: Int, _ height: Int, _ options: String, _ warning: String) throws {
        let capture = MemoryCapture([Self.item(width, height)])
        let run = try StageRun("- resize: {\(options)}", on: capture, probing: [])
        #expect(run.warnings.count == (warning.isEmpty ? 0 : 1), "\(run.warnings)")
        #expect(warning.isEmpty || run.warnings.contains { $0.contains(warning) }, "\(run.warnings)")
        // The camera is right all the same.
        let camera = try #require(run.frames.first?.intrinsics)
        #expect(abs(camera.fx / 4 - Double(camera.width) / Double(width)) < 1e-12)
        #expect(abs(camera.fy / 4 - Double(camera.height) / Double(height)) < 1e-12)
    }

    /// Depth keeps its shape, and what is written of the two is refused when it is read.
    @Test func depthThatNoLongerFitsIsWarnedOf() throws {
        var item = Self.item(8, 6)
        item.recordedDepth = RecordedDepth(metres: [1])
        var capture = MemoryCapture([item])
        capture.depthSize = PixelSize(31, 23)
        func warnings(_ options: String) throws -> [String] {
            try StageRun("- resize: {\(options)}", on: capture, probing: []).warnings
        }
        #expect(
            try warnings("width: 3, height: 4") == [
                "resize: pictures of 8×6 became 3×4: one side shrank 1.78 times as much as the other, and depth keeps its "
                    + "shape, 31×23, so that readers will refuse the two together; to keep the aspect ratio:  "
                    + "--set resize.width=4 --set resize.height=3"
            ])
        #expect(try warnings("width: 6, height: 2").allSatisfy { !$0.contains("depth") })
        capture.items[0].recordedDepth = nil
        #expect(try warnings("width: 3, height: 4").allSatisfy { !$0.contains("depth") })
    }

    @Test func sidesAndALimitExcludeEachOther() throws {
        #expect(StageRun.mistakes(in: "- resize") == ["one of `longest`, `width`, `height` is needed"])
        #expect(
            StageRun.mistakes(in: "- resize: {longest: 8, height: 4}") == ["`longest` and `height` exclude each other"])
        #expect(StageRun.mistakes(in: "- resize: {width: 8, height: 4}") == [])
        // As the warning about squeezed pictures advises.
        let pipeline = try Pipeline.load(
            text: "stages:\n- read\n- resize: {width: 8, height: 4}\n- write-frames: {depth: none}\n", path: "p.yaml",
            settings: ["resize.longest=6"], library: .builtIn)
        let options = pipeline.steps[1].options
        #expect(options["longest"]?.integer == 6 && options["width"] == nil && options["height"] == nil)
    }

    // MARK: - Geometry

    /// Depth is aligned with a picture of any size.
    @Test(arguments: ["half", "integer"], ["width: 40, height: 30", "longest: 17", "width: 50, height: 20"])
    func theSamePointsComeOfTheDepth(_ centre: String, _ size: String) throws {
        let rest = "- decompress\n- unproject: {pixel-centre: \(centre)}"
        let plain = try StageRun(Self.scene + rest, reading: "nowhere/a")
        let resized = try StageRun("\(Self.scene)- resize: {\(size)}\n\(rest)", reading: "nowhere/a")
        #expect(resized.count("resize", "resized") == 2)
        for (before, after) in zip(plain.frames, resized.frames) {
            #expect(before.depth == after.depth && before.confidence == after.confidence)
            let old = try #require(before.points).positions
            let new = try #require(after.points).positions
            #expect(old.count == new.count && old.count > 150)
            #expect(zip(old, new).allSatisfy { abs($0 - $1) < 1e-5 })
        }
    }

    /// By the camera that COLMAP gets, the point of a depth pixel is seen in the middle of the part of the picture that
    /// this pixel covers.
    @Test func pointsAreSeenWhereTheirDepthIs() throws {
        let run = try StageRun(
            Self.scene.replacing("frames: 2", with: "frames: 1")
                + "- resize: {width: 50, height: 30}\n- decompress\n- unproject: {pixel-centre: half}\n"
                + "- write-colmap: {color: png}", reading: "nowhere/a")
        let line = try run.text("colmap/sparse/0/cameras.txt").split(separator: "\n").first { !$0.hasPrefix("#") }
        let fields = try #require(line).split(separator: " ").map { String($0) }
        #expect(Array(fields[1...3]) == ["PINHOLE", "50", "30"])
        let camera = fields[4...].compactMap { Double($0) }
        let frame = try #require(run.frames.first)
        let (depth, pose) = (try #require(frame.depth), try #require(frame.pose))
        let points = try #require(frame.points).positions
        let (right, up, back) = pose.rotation.columns
        var next = 0
        for v in 0..<24 {
            for u in 0..<32 where depth.metres[32 * v + u] > 0 {
                let xyz = points[next..<next + 3].map { Double($0) }
                next += 3
                let way = Vector3(xyz[0], xyz[1], xyz[2]) - pose.position
                let x = camera[2] - camera[0] * right.dot(way) / back.dot(way)
                let y = camera[3] + camera[1] * up.dot(way) / back.dot(way)
                let (column, row) = (50 * (Double(u) + 0.5) / 32, 30 * (Double(v) + 0.5) / 24)
                #expect(abs(x - column) < 1e-3 && abs(y - row) < 1e-3)
            }
        }
        #expect(next == points.count && next > 150)
    }

    // MARK: - With other stages

    @Test func everyWriterSeesTheNewSize() throws {
        let writers = [
            "write-transforms: {masks: silhouette, mask-as: alpha, depth: true}", "write-colmap", "write-frames",
            "write-tum: {color: png}", "write-scannet: {color: jpeg}",
        ]
        let run = try StageRun(
            Self.scene + "- resize: {width: 48, height: 30}\n- decompress\n"
                + writers.map { "- \($0)" }.joined(separator: "\n"), reading: "nowhere/a")
        let pictures = run.files.filter { ($0.hasSuffix(".png") || $0.hasSuffix(".jpg")) && !$0.contains("depth") }
        #expect(pictures.count >= 10, "\(pictures)")
        for file in pictures {
            let bytes = try run.bytes(file)
            let header = PNG.isPNG(bytes) ? try PNG.header(bytes) : try JPEG.header(bytes)
            #expect((header.width, header.height) == (48, 30), "\(file)")
        }
        let plain = try StageRun(Self.scene, reading: "nowhere/a").frames
        let json = try JSONValue.parse(try run.bytes("nerf/transforms.json"), file: "json")
        let entries = try #require(json["frames"]?.array)
        #expect(entries.count == 2 && plain.count == 2)
        for (entry, frame) in zip(entries, plain) {
            let camera = try #require(frame.intrinsics).counted(from: .corner)
            let keys = ["fl_x", "fl_y", "cx", "cy", "w", "h"]
            let written = keys.map { (key: String) -> Double in (entry[key] ?? json[key])?.double ?? 0 }
            let (down, across) = (30.0 / 72, 48.0 / 96)
            let expected = [camera.fx * across, camera.fy * down, camera.cx * across, camera.cy * down, 48, 30]
            #expect(zip(written, expected).allSatisfy { abs($0 - $1) < 1e-9 }, "\(written) \(expected)")
        }
    }

    /// Metadata that pass through must not speak of the pictures as they were: readers scale intrinsics by them.
    @Test func stagingWritesWhatWasResized() throws {
        let writer = "- write-staging: {depth: source, color: png}"
        let first = try StageRun(Self.scene + writer, reading: "nowhere/a")
        let again = try StageRun("- read\n- resize: {width: 48, height: 30}\n\(writer)", reading: first.path)
        let metadata = try JSONValue.parse(try again.bytes("a.json"), file: "a.json")
        let resolutions = (metadata["streams"]?.array ?? []).compactMap { $0["resolution"]?.doubles }
        #expect(resolutions == [[30, 48], [24, 32]])
        #expect(try again.bytes("a.depth.zlib") == first.bytes("a.depth.zlib"))
        let back = try MultiScanCapture.open(try CaptureFormats.tree(at: again.path), rules: ReadRules())
        #expect(back.colorSize == PixelSize(48, 30) && !back.warnings.contains { $0.contains("scaled") })
        #expect(back.frames.count == 2)
        for (frame, original) in zip(back.frames, first.frames) {
            let new = try #require(frame.intrinsics).counted(from: .corner)
            let old = try #require(original.intrinsics).counted(from: .corner)
            #expect(abs(new.fx - old.fx / 2) < 1e-9 && abs(new.cx - old.cx / 2) < 1e-9)
            let (fy, cy) = (old.fy * 30 / 72, old.cy * 30 / 72)
            #expect(abs(new.fy - fy) < 1e-9 && abs(new.cy - cy) < 1e-9)
        }
    }

    /// A video cannot be copied any more: its frames are decoded, made smaller and written.
    @Test(arguments: ["auto", "mp4", "frames"]) func resizedVideosAreWritten(_ rgb: String) throws {
        let sample = SharedData.checkout.appendingPathComponent("samples/stray-scanner").path
        let run = try StageRun(
            "- read\n- resize: {longest: 64}\n- write-staging: {depth: source, rgb: \(rgb)}", reading: sample)
        let pictures = run.files.filter { $0.hasSuffix(".mp4") || $0.hasPrefix("color/") }
        #expect(pictures.count == (rgb == "mp4" ? 1 : 12))
        let back = try MultiScanCapture.open(try CaptureFormats.tree(at: run.path), rules: ReadRules())
        #expect(back.colorSize == PixelSize(64, 48))
    }

    @Test func itMayStandAboveAndBelowTurn() throws {
        let above = try StageRun(
            Self.scene + "- resize: {width: 48, height: 30}\n- turn: {quarter-turns: 1}", reading: "nowhere/a",
            probing: [.color])
        let below = try StageRun(
            Self.scene + "- turn: {quarter-turns: 1}\n- resize: {width: 30, height: 48}", reading: "nowhere/a",
            probing: [.color])
        #expect(above.capture.colorSize == PixelSize(30, 48) && below.capture.colorSize == PixelSize(30, 48))
        #expect(above.frames.count == 2)
        for (one, other) in zip(above.frames, below.frames) {
            #expect(one.picture == other.picture && one.picture != nil)
            let (a, b) = (try #require(one.intrinsics), try #require(other.intrinsics))
            #expect(a.size == b.size && abs(a.fx - b.fx) < 1e-9 && abs(a.fy - b.fy) < 1e-9)
            #expect(abs(a.cx - b.cx) < 1e-9 && abs(a.cy - b.cy) < 1e-9)
        }
    }

    /// Copies are made of the smaller pictures, also where they were asked for above.
    @Test func itMayStandAboveAndBelowDownscale() throws {
        let (resize, downscale) = ("- resize: {width: 48, height: 36}\n", "- downscale: {factors: [2]}\n")
        func run(_ stages: String) throws -> StageRun {
            try StageRun("\(Self.scene)\(stages)- write-transforms: {color: png}", reading: "nowhere/a", probing: [])
        }
        let (above, below) = (try run(resize + downscale), try run(downscale + resize))
        let file = "nerf/images_2/000001.png"
        #expect(try PNG.decodeRGB(above.bytes(file)).size == PixelSize(24, 18))
        #expect(try above.bytes(file) == below.bytes(file))
    }

    /// Distortion is told in lengths of the focal length, so a lens keeps it; in smooth pictures the order hardly shows.
    @Test func itMayStandAboveAndBelowUndistort() throws {
        let folder = try TemporaryFolder()
        let ramp = RGBImage(
            width: 60, height: 40,
            pixels: (0..<40).flatMap { y in (0..<60).flatMap { x in [UInt8(4 * x), UInt8(6 * y), 9] } })
        let frames = (0..<2).map {
            #"{"file_path": "\#($0).png", "transform_matrix": [[1,0,0,\#($0)],[0,1,0,0],[0,0,1,0],[0,0,0,1]]}"#
        }
        try folder.write(
            #"{"camera_model": "OPENCV", "w": 60, "h": 40, "fl_x": 50, "fl_y": 50, "cx": 31, "cy": 19, "k1": -0.2, "#
                + #""p1": 0.01, "frames": [\#(frames.joined(separator: ","))]}"#, to: "set/transforms.json")
        for n in 0..<2 { try folder.write(try PNG.encodeRGB(ramp), to: "set/\(n).png") }
        func run(_ stages: String) throws -> StageRun {
            try StageRun("- read\n\(stages)- write-colmap", reading: "\(folder.path)/set", probing: [.color])
        }
        let (resize, undistort) = ("- resize: {width: 30, height: 16}\n", "- undistort\n")
        let (above, below) = (try run(resize + undistort), try run(undistort + resize))
        #expect(above.frames.count == 2 && below.frames.count == 2)
        for (one, other) in zip(above.frames, below.frames) {
            let (a, b) = (try #require(one.intrinsics), try #require(other.intrinsics))
            #expect(a.size == PixelSize(30, 16) && b.size == PixelSize(30, 16))
            #expect(abs(a.fx - b.fx) < 1e-9 && abs(a.fy - b.fy) < 1e-9 && a.fx != 25)
            #expect(abs(a.cx - 15.5) < 1e-9 && abs(b.cx - 15.5) < 1e-9)
            #expect(abs(a.cy - 7.6) < 1e-9 && abs(b.cy - 7.6) < 1e-9)
            guard case .pixels(let first)? = one.picture, case .pixels(let second)? = other.picture else {
                Issue.record("the pictures were not changed")
                continue
            }
            // One new pixel is 8 levels of red wide and 15 of green high. At the border, what lies beyond is repeated.
            var worst = 0
            for y in 2..<14 {
                for i in 6..<84 {
                    let at = 90 * y + i
                    worst = max(worst, abs(Int(first.pixels[at]) - Int(second.pixels[at])))
                }
            }
            #expect(worst <= 2)
        }
        let alike = try run(resize + "- undistort: {one-camera: true}\n")
        #expect(alike.frames.map { $0.intrinsics?.size } == [PixelSize(30, 16), PixelSize(30, 16)])
    }

    /// What fails with the first picture is said before.
    @Test(arguments: [
        ("longest: 101", "write-capture: {format: stray-scanner}", "longest"),
        ("width: 101, height: 76", "write-capture: {format: scannetpp}", "width"),
        ("height: 75", "write-staging: {depth: source, rgb: mp4}", "height"), ("longest: 100", "write-capture", ""),
        ("longest: 101", "write-capture: {format: polycam}", ""),
        ("longest: 101", "write-staging: {depth: source}", ""),
    ]) func anOddSizeAboveAVideo(_ size: String, _ writer: String, _ side: String) throws {
        let text = "stages:\n- read\n- resize: {\(size)}\n- \(writer)\n"
        let said = try Pipeline.load(text: text, path: "p.yaml", library: .builtIn).warnings.map(\.summary)
            .filter { $0.contains("a video has an even width and height") }
        #expect(said.count == (side.isEmpty ? 0 : 1), "\(said)")
        #expect(said.allSatisfy { $0.hasPrefix("`\(side)` of the `resize` above is ") }, "\(said)")
    }

    /// Whoever scores them sees the smaller pictures.
    @Test func sharpnessBelowItIsThatOfTheSmallerPictures() throws {
        var item = Self.item(8, 6)
        let gray = Self.noise(PixelSize(8, 6), channels: 1)
        item.luma = LumaImage(width: 8, height: 6, pixels: gray)
        let small = LumaImage(
            width: 4, height: 3, pixels: Self.means(gray, PixelSize(8, 6), PixelSize(4, 3), channels: 1))
        let run = try StageRun(
            "- resize: {width: 4, height: 3}\n- measure-blur: {gray: luma}", on: MemoryCapture([item]), probing: [])
        #expect(run.capture.frames.first?.sharpness == Sharpness.score(small))
        let color = try StageRun(
            "- resize: {width: 4, height: 3}\n- measure-blur", on: MemoryCapture([item]), probing: [])
        #expect(color.capture.frames.first?.sharpness == Sharpness.score(Self.means(Self.picture(8, 6), 4, 3)))
    }
}
