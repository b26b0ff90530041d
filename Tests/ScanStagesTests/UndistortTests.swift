import Foundation
import ScanFormats
import ScanModel
import ScanPipeline
import ScanStages
import TestSupport
import Testing

@Suite struct UndistortTests {
    private let folder: TemporaryFolder
    private var path: String { "\(folder.path)/d" }

    private static let size = PixelSize(60, 40)
    /// Red is a pixel's column and green its row.
    private static let places = RGBImage(
        width: 60, height: 40,
        pixels: (0..<40).flatMap { y in (0..<60).flatMap { x in [UInt8(4 * x), UInt8(6 * y), 9] } })
    /// 255 in the left half.
    private static let mask = LumaImage(
        width: 60, height: 40, pixels: (0..<2400).map { $0 % 60 < 30 ? 255 : 0 })

    /// Millimetres.
    private static let depth = Gray16Image(width: 30, height: 20, pixels: (1000..<1600).map { UInt16($0) })

    private static var recordedDepth: RecordedDepth {
        RecordedDepth(
            width: 30, height: 20, encoding: .uint16(unitsPerMetre: 1000),
            bytes: depth.pixels.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] })
    }

    init() throws {
        folder = try TemporaryFolder()
        for n in 0..<2 {
            try folder.write(try PNG.encodeRGB(Self.places), to: "d/images/\(n).png")
            try folder.write(try PNG.encodeGray16(Self.depth), to: "d/depth/\(n).png")
            try folder.write(try PNG.encodeGray8(Self.mask), to: "d/masks/\(n).png")
        }
    }

    /// A dataset of two frames with pictures, depth and masks.
    /// - Parameter lenses: of each.
    private func dataset(_ lenses: [[String: Double]]) throws {
        let frames = lenses.enumerated().map { n, lens -> [String: Any] in
            var frame: [String: Any] = [
                "file_path": "images/\(n).png", "depth_file_path": "depth/\(n).png", "mask_path": "masks/\(n).png",
                "transform_matrix": [[1, 0, 0, Double(n)], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]],
            ]
            for (key, value) in lens { frame[key] = value }
            return frame
        }
        let json: [String: Any] = [
            "fl_x": 50, "fl_y": 50, "cx": 30, "cy": 20, "w": 60, "h": 40, "frames": frames,
        ]
        try folder.write([UInt8](try JSONSerialization.data(withJSONObject: json)), to: "d/transforms.json")
    }

    private static let bent = [["k1": -0.2], ["k1": -0.1, "p1": 0.01]]

    private static func undistortion(_ lens: LensDistortion) throws -> Undistortion {
        try Undistortion(
            of: CalibratedCamera(
                CameraIntrinsics(fx: 50, fy: 50, cx: 30, cy: 20, width: 60, height: 40, pixelOrigin: .corner), lens))
    }

    @Test func everythingOfAFrameIsUndistorted() throws {
        try dataset(Self.bent)
        let run = try StageRun(
            "- read\n- undistort\n- decompress", reading: path, probing: [.color, .mask, .depth, .previousDepth])
        let lenses = [
            LensDistortion(radial: [-0.2, 0, 0, 0]), LensDistortion(radial: [-0.1, 0, 0, 0], tangential: [0.01, 0]),
        ]
        let undistortions = try lenses.map(Self.undistortion)
        #expect(run.frames.count == 2)
        for (frame, undistortion) in zip(run.frames, undistortions) {
            #expect(frame.intrinsics == undistortion.camera)
            #expect(frame.picture == .pixels(undistortion.picture(Self.places)))
            #expect(frame.mask == undistortion.mask(Self.mask))
            let values = undistortion.depth(Self.recordedDepth)
            #expect(frame.depth?.metres == values.bytes.metres)
        }
        // Through the lens of its own frame, not of the one behind it.
        #expect(run.frames[1].previousDepth == run.frames[0].depth)
        #expect(run.frames[0].depth != run.frames[1].depth)
        #expect(run.count("undistort", "undistorted") == 2)
        let scales = run.receipt["stages"]?.array?.first { $0["name"]?.string == "undistort" }?["counts"]?[
            "focal-scale"]
        #expect(scales?.doubles == undistortions.map(\.scale).sorted())
        #expect(run.warnings.allSatisfy { !$0.contains("distort") }, "\(run.warnings)")
    }

    /// For trainers that take the middle of the picture for the principal point, or the first camera for all.
    @Test func allPicturesGetOneCamera() throws {
        try dataset([["fl_x": 50, "fl_y": 50, "cx": 28, "cy": 20, "w": 60, "h": 40], ["k1": -0.1]])
        let run = try StageRun(
            "- read\n- undistort: {one-camera: true}\n- decompress\n- write-colmap", reading: path,
            probing: [.color, .mask, .depth])
        let cameras = run.frames.compactMap(\.intrinsics)
        let camera = try #require(cameras.first)
        #expect(cameras == [camera, camera])
        #expect(camera.counted(from: .corner).cx == 30 && camera.counted(from: .corner).cy == 20)
        #expect(camera.fx == camera.fy && camera.fx > 50)
        let lenses = [LensDistortion(), LensDistortion(radial: [-0.1, 0, 0, 0])]
        for (n, frame) in run.frames.enumerated() {
            var recorded = CameraIntrinsics(
                fx: 50, fy: 50, cx: 30, cy: 20, width: 60, height: 40, pixelOrigin: .corner)
            if n == 0 { recorded.cx = 28 }
            let undistortion = Undistortion(CalibratedCamera(recorded, lenses[n]), to: camera)
            #expect(frame.picture == .pixels(undistortion.picture(Self.places)))
            #expect(frame.mask == undistortion.mask(Self.mask))
            #expect(frame.depth?.metres == undistortion.depth(Self.recordedDepth).bytes.metres)
        }
        #expect(run.count("undistort", "undistorted") == 2)
        #expect(run.count("write-colmap", "cameras") == 1)
        // Nobody is told to do what was done.
        #expect(run.warnings.allSatisfy { !$0.contains("distort") }, "\(run.warnings)")
    }

    /// One wrong camera, the first or the last, costs its own frame: the reader's limit says whether that is too many.
    @Test(arguments: [0, 1]) func aCameraThatCannotBeSharedCostsItsFrame(_ bad: Int) throws {
        let camera: [String: Double] = ["fl_x": 50, "fl_y": 50, "cx": 28, "cy": 20, "w": 60, "h": 40]
        var cameras = [camera, camera]
        cameras[bad]["cx"] = -5
        try dataset(cameras)
        let rest = "- undistort: {one-camera: true}\n- decompress"
        let run = try StageRun(
            "- read: {bad-frame-limit: 0.5}\n\(rest)", reading: path, probing: [.color, .depth, .previousDepth])
        let wrong = "the principal point -5, 20 lies outside of the picture"
        #expect(run.kept == [1 - bad] && run.frames.map(\.index) == [1 - bad])
        #expect(run.drops.count == 1 && run.drops[0].hasPrefix("\(bad) undistort: \(wrong)"), "\(run.drops)")
        #expect(run.capture.frames[bad].drop?.isBad == true)
        // The border pixel's centre is 29.5 from the new principal point, and must be within the 28 that were recorded.
        let shared = try #require(run.frames[0].intrinsics?.counted(from: .corner))
        #expect(shared.cx == 30 && abs(shared.fx - 50 * 29.5 / 28) < 1e-6)
        // One that reads nothing of the frames does not get the bad one either.
        let probed = try StageRun("- read: {bad-frame-limit: 0.5}\n\(rest)", reading: path, probing: [])
        #expect(probed.frames.map(\.index) == [1 - bad])

        let refusal = problem { _ = try StageRun("- read\n\(rest)", reading: path, probing: []) }
        #expect(refusal?.summary == "1 of 2 frames is bad (50 %)" && refusal?.place.stage == "undistort")
        #expect(refusal?.notes.contains { $0.hasPrefix("frame \(bad): \(wrong)") } == true, "\(refusal?.notes ?? [])")
        #expect(
            refusal?.fix == "check whether the intrinsics are for pictures of another size, or for pictures that were "
                + "cropped, or allow more with  --set read.bad-frame-limit=0.5")
        let strict = problem {
            _ = try StageRun("- read: {on-bad-frame: fail}\n\(rest)", reading: path, probing: [])
        }
        #expect(strict?.summary.hasPrefix(wrong) == true && strict?.place.frame == bad)
    }

    /// What stands above has taken the frame when its camera is looked at: the capture is run again without it.
    @Test func aCameraThatCannotBeSharedIsInNoFile() throws {
        let camera: [String: Double] = ["fl_x": 50, "fl_y": 50, "cx": 28, "cy": 20, "w": 60, "h": 40]
        var cameras = [camera, camera]
        cameras[1]["cx"] = -5
        try dataset(cameras)
        let run = try StageRun(
            "- read: {bad-frame-limit: 0.5}\n- write-frames: {depth: none}\n- undistort: {one-camera: true}",
            reading: path,
            probing: [])
        #expect(run.kept == [0] && run.drops.count == 1)
        #expect(run.files.filter { $0.contains("color/") }.count == 1, "\(run.files)")
    }

    /// Straight pictures too are cut to what all of them show: between the centres of the pixels at the border, here to
    /// (8 / 29.5)² of 59 × 39 of 60 × 40.
    @Test func aPrincipalPointFarFromTheMiddleIsNoWideLens() throws {
        try dataset([[:], ["fl_x": 50, "fl_y": 50, "cx": 8, "cy": 20, "w": 60, "h": 40]])
        let run = try StageRun("- read\n- undistort: {one-camera: true}", reading: path, probing: [])
        let warning = try #require(run.warnings.first { $0.contains("is left in 2 of 2 frames, in one 7.051 %") })
        #expect(
            warning.hasSuffix(
                "%: a principal point is far from the middle, or one frame's focal length far from the others'"))
    }

    /// Turning leaves nothing of a lens that distorts. Where none does, both orders are right.
    @Test func oneCameraBelowTurn() throws {
        let (turn, straighten) = ("- turn: {quarter-turns: 1}\n", "- undistort: {one-camera: true}\n")
        func warnings(_ stages: String) throws -> [String] {
            let text = "stages:\n- read\n\(stages)- write-colmap\n"
            return try Pipeline.load(text: text, path: "p.yaml", library: .builtIn).warnings
                .map { "\($0.summary); \($0.fix ?? "")" }
        }
        #expect(
            try warnings(turn + straighten) == [
                "the `turn` above leaves no distortion to undo: a capture whose lens distorts will fail; move it "
                    + "above `turn`"
            ])
        #expect(try warnings(straighten + turn) == [])
        #expect(try warnings("- turn: {quarter-turns: 0}\n" + straighten) == [])

        try dataset(Self.bent)
        let refusal = problem { _ = try StageRun("- read\n\(turn)\(straighten)- write-colmap", reading: path) }
        #expect(refusal?.summary == "the lens distorts, and the `turn` above undistort leaves no distortion to undo")
        #expect(refusal?.fix == "move `undistort` above `turn`" && refusal?.place.stage == "undistort")
        #expect(refusal?.isOfPipeline == true)
        try dataset([[:], [:]])
        let run = try StageRun("- read\n\(turn)\(straighten)- write-colmap", reading: path, probing: [])
        #expect(run.frames.map { $0.intrinsics?.size } == [PixelSize(40, 60), PixelSize(40, 60)])
    }

    /// Pictures that have that camera already are copied.
    @Test func oneCameraThatAllHaveCostsNothing() throws {
        try dataset([[:], [:]])
        let run = try StageRun(
            "- read\n- undistort: {one-camera: true}\n- write-transforms", reading: path, probing: [.color])
        #expect(run.frames.map(\.picture) == [.file("images/0.png"), .file("images/1.png")])
        #expect(run.frames.map { $0.intrinsics?.fx } == [50, 50])
        #expect(run.count("undistort", "undistorted") == 0)
    }

    /// Cameras of several sizes: each picture keeps its own.
    @Test(arguments: [[:], ["k1": -0.1]]) func picturesOfTwoSizes(_ first: [String: Double]) throws {
        let small = RGBImage(width: 30, height: 20, color: .black)
        try folder.write(try PNG.encodeRGB(small), to: "d/images/1.png")
        let half = ["fl_x": 25.0, "fl_y": 25, "cx": 15, "cy": 10, "w": 30, "h": 20]
        try dataset([first, half.merging(["k1": -0.2]) { $1 }])
        let run = try StageRun(
            "- read\n- undistort\n- write-transforms: {masks: none}", reading: path, probing: [.color])
        #expect(run.drops == [])
        #expect(run.frames.map { $0.intrinsics?.size } == [Self.size, PixelSize(30, 20)])
        #expect(run.files.contains("nerf/images/000001.png"))
    }

    /// Nothing is opened where there is nothing to undo, whatever cannot be.
    @Test func itIsIdleWhereNoLensDistorts() throws {
        var capture = try MemoryCapture.twoCameras(1)
        let obstacle = Problem(.environment, "ffmpeg was not found")
        capture.absences[.color] = Absence("nothing decodes it", obstacle: obstacle)
        capture.items[0].pixels = nil
        let run = try StageRun("- undistort", on: capture, probing: [])
        #expect(run.count("undistort", "undistorted") == 0)
    }

    /// What no lens bends is copied as it is.
    @Test func straightLensesCostNothing() throws {
        try dataset([[:], ["k1": 0]])
        let run = try StageRun("- read\n- undistort\n- write-transforms", reading: path, probing: [.color])
        #expect(run.frames.map(\.picture) == [.file("images/0.png"), .file("images/1.png")])
        #expect(run.count("undistort", "undistorted") == 0)
        #expect(try run.bytes("nerf/images/000000.png") == folder.bytes("d/images/0.png"))
    }

    @Test func aStraightFrameAmongBentOnesIsCopied() throws {
        try dataset([[:], ["k1": -0.3]])
        let run = try StageRun("- read\n- undistort\n- write-transforms", reading: path, probing: [.color])
        #expect(run.frames[0].picture == .file("images/0.png") && run.frames[0].intrinsics?.fx == 50)
        #expect(run.frames[1].picture != .file("images/1.png"))
        #expect(run.count("undistort", "undistorted") == 1)
        #expect(try run.bytes("nerf/images/000000.png") == folder.bytes("d/images/0.png"))
        let depth = try StageRun("- read\n- undistort\n- decompress", reading: path, probing: [.depth])
        #expect(depth.frames[0].depth?.metres == Self.recordedDepth.bytes.metres)
        #expect(depth.frames[1].depth?.metres != Self.recordedDepth.bytes.metres)
    }

    /// A pinhole's numbers would be wrong for all that is done with them.
    @Test func withoutItThereAreNoIntrinsics() throws {
        try dataset(Self.bent)
        let refusal = problem { _ = try StageRun("- read\n- write-colmap", reading: path) }
        #expect(refusal?.summary == "write-colmap needs intrinsics, and this capture has none")
        #expect(refusal?.notes.contains("the lens distorts (k1 -0.2)") == true)
        #expect(refusal?.fix == "undistort the pictures with the stage  undistort  above those that need intrinsics")
        // Whoever needs none goes on.
        let run = try StageRun("- read\n- write-frames: {depth: none}", reading: path)
        #expect(run.frames.count == 2 && run.drops == [])
    }

    @Test func theModelThatIsWrittenIsAPinholes() throws {
        try dataset(Self.bent)
        let run = try StageRun("- read\n- undistort\n- write-colmap: {color: png}", reading: path)
        let cameras = try run.text("colmap/sparse/0/cameras.txt").split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(cameras.count == 2 && cameras.allSatisfy { $0.contains(" PINHOLE 60 40 ") })
        let undistortion = try Self.undistortion(LensDistortion(radial: [-0.2, 0, 0, 0]))
        let picture = try PNG.decodeRGB(try run.bytes("colmap/images/000000.png"))
        #expect(picture == undistortion.picture(Self.places))
    }

    /// Turning goes by the pinhole, so it comes after.
    @Test func turnedWhereItIsUndistorted() throws {
        try dataset(Self.bent)
        let turn = "- turn: {quarter-turns: 1}\n"
        let run = try StageRun("- read\n- undistort\n\(turn)- write-colmap", reading: path, probing: [.color])
        let undistortion = try Self.undistortion(LensDistortion(radial: [-0.2, 0, 0, 0]))
        #expect(run.frames[0].picture == .pixels(undistortion.picture(Self.places).turned(quarterTurns: 1)))
        #expect(run.frames[0].intrinsics == undistortion.camera.turned(quarterTurns: 1))
        do {
            _ = try StageRun("- read\n\(turn)- undistort\n- write-colmap", reading: path)
            Issue.record("it ran")
        } catch let error as PipelineMistakes {
            #expect(error.problems.map(\.fix) == ["move it above `turn`"])
        }
    }

    @Test func aSequenceThatTellsItsLens() throws {
        let sequence = try StageRun(
            "- synthesize: {frames: 2, picture-width: 96, picture-height: 72, depth-width: 96, depth-height: 72}\n"
                + "- write-tum", reading: "nowhere/a")
        let tum = "\(sequence.path)/tum"
        try Array("80 80 47.5 35.5 0.1 -0.05 0.001 0.002 0.01\n".utf8).write(to: "\(tum)/calibration.txt")
        let run = try StageRun("- read\n- undistort\n- decompress", reading: tum)
        #expect(run.count("undistort", "undistorted") == 2)
        let lens = LensDistortion(radial: [0.1, -0.05, 0.01, 0], tangential: [0.001, 0.002])
        let camera = CameraIntrinsics(
            fx: 80, fy: 80, cx: 47.5, cy: 35.5, width: 96, height: 72, pixelOrigin: .centre)
        #expect(run.frames[0].intrinsics == (try Undistortion(of: CalibratedCamera(camera, lens)).camera))
        #expect(!run.warnings.contains { $0.contains("distorts") })
        let refusal = problem { _ = try StageRun("- read\n- decompress\n- unproject", reading: tum) }
        #expect(refusal?.summary == "unproject needs intrinsics, and this capture has none")
    }

    /// The desk's room is known: its walls are hit as well as they are without another camera, by less than a millimetre. With
    /// the depth of the nearest pixel it would be 4 mm.
    @Test func wallsStayFlatWhereThePrincipalPointMoves() throws {
        let desk = SharedData.checkout.appendingPathComponent("samples/desk").path
        let run = try StageRun(
            "- read\n- select-every: {step: 12}\n- undistort: {one-camera: true}\n- decompress\n"
                + "- mask-confidence: {at-least: 2}\n- unproject: {pixel-centre: half, color: false}",
            reading: desk, probing: [.points])
        #expect(run.count("undistort", "undistorted") == run.frames.count && !run.frames.isEmpty)
        let walls = SyntheticRoom().walls
        let faces = [
            (walls.center.x, walls.halfSize.x), (walls.center.y, walls.halfSize.y), (walls.center.z, walls.halfSize.z),
        ].map { [$0 - $1, $0 + $1] }
        var distances: [Double] = []
        for cloud in run.frames.compactMap(\.points) {
            for at in stride(from: 0, to: cloud.positions.count, by: 3) {
                let nearest = (0..<3).flatMap { axis in faces[axis].map { abs(Double(cloud.positions[at + axis]) - $0) }
                }
                if let distance = nearest.min(), distance < 0.05 { distances.append(distance) }
            }
        }
        #expect(distances.count > 10_000)
        distances.sort()
        #expect(distances[distances.count / 2] < 0.001)
        #expect(distances[distances.count * 9 / 10] < 0.002)
    }

    /// A camera counted from a pixel's centre stays one, so that `unproject` has nothing to choose, as its card says.
    @Test func oneCameraIsCountedFromWhereItWas() throws {
        let tum = SharedData.checkout.appendingPathComponent("samples/tum").path
        func run(_ centre: String) throws -> StageRun {
            try StageRun(
                "- read\n- undistort: {one-camera: true}\n- decompress\n"
                    + "- unproject: {pixel-centre: \(centre), color: false}",
                reading: tum, probing: [.points])
        }
        let (integer, half) = (try run("integer"), try run("half"))
        let camera = try #require(integer.frames.first?.intrinsics)
        #expect(camera.pixelOrigin == .centre && camera.cx == 63.5 && camera.cy == 47.5)
        #expect(integer.frames.allSatisfy { $0.intrinsics == camera })
        #expect(integer.frames.contains { ($0.points?.count ?? 0) > 0 })
        #expect(integer.frames.map(\.points) == half.frames.map(\.points))
    }

    /// What leaves next to nothing of the pictures is done, and doubted.
    @Test func lensesThatTakeMostOfThePicture() throws {
        try dataset([["k1": -3], ["k1": -0.1]])
        let run = try StageRun("- read\n- undistort", reading: path, probing: [])
        #expect(run.warnings.contains { $0.contains("less than half of the picture is left in 1 of 2 frames, in one") })
        // Of frames that are there, too.
        let rest = try StageRun("- read\n- select-frames: {include: [1]}\n- undistort", reading: path, probing: [])
        #expect(!rest.warnings.contains { $0.contains("less than half") })
        #expect(rest.counts("undistort")["focal-scale"]?.doubles?.count == 2)
        #expect(rest.count("undistort", "undistorted") == 1)
    }

    /// Those that are left have intrinsics, though none of them was bent.
    @Test func onlyStraightFramesAreLeft() throws {
        try dataset([[:], ["k1": -0.1]])
        let run = try StageRun(
            "- read\n- select-frames: {include: [0]}\n- undistort\n- write-colmap", reading: path, probing: [])
        #expect(run.count("undistort", "undistorted") == 0 && run.files.contains("colmap/images/000000.png"))
        #expect(run.frames[0].intrinsics?.fx == 50)
    }
}

extension [UInt8] {
    /// Of 16-bit millimetres.
    fileprivate var metres: [Float] {
        stride(from: 0, to: count, by: 2).map { Float(UInt16(self[$0]) | UInt16(self[$0 + 1]) << 8) / 1000 }
    }

    fileprivate func write(to path: String) throws { try Data(self).write(to: URL(fileURLWithPath: path)) }
}
