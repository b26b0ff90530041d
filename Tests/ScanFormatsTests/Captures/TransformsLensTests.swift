import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

/// Lenses, as datasets tell them.
extension TransformsDatasetTests {
    @Test(
        arguments: [
            (["camera_model": "EQUIRECTANGULAR"], "the camera model EQUIRECTANGULAR cannot be undistorted here"),
            (
                ["camera_model": "FISHEYE624", "distortion_params": [0.1, 0, 0, 0, 0, 0]],
                "expected k0 to k5, p0, p1, s0 to s3"
            ),
            (["camera_model": "OpenCVFisheye"], "the camera model OpenCVFisheye is not one that nerfstudio knows"),
            (["latlong": true], "the file says “latlong”"), (["ftheta_p0": 0.5], "the file says “ftheta_p0”"),
            (["distortion_params": [0.1, 0.2, 0, 0, 0.3]], "expected k1, k2, k3, k4, p1, p2"),
            (["is_fisheye": true, "p1": 0.1], "a fisheye lens with p1 or p2 cannot be undistorted here"),
        ] as [([String: any Sendable], String)])
    func lensesThatNothingUndoesAreRefused(_ top: [String: any Sendable], _ words: String) throws {
        try write([frame("a.png")], Self.lens.merging(top.mapValues { $0 as Any }) { $1 })
        let tree = try CaptureFormats.tree(at: "\(folder.path)/d")
        let problem = problem { () throws(Problem) in _ = try TransformsDataset.open(tree, rules: ReadRules()) }
        #expect(problem?.summary.contains(words) == true, "\(problem?.summary ?? "read")")
    }

    @Test(
        arguments: [
            (["k1": 0.1, "p2": 0.003], LensDistortion(radial: [0.1, 0, 0, 0], tangential: [0, 0.003])),
            (
                ["distortion_params": [0.1, 0.2, 0.3, 0.4, 0.005, 0.006]],
                LensDistortion(radial: [0.1, 0.2, 0.3, 0.4], tangential: [0.005, 0.006])
            ),
            (["is_fisheye": 1, "distortion_params": [0, 0]], LensDistortion(.fisheye)),
            (["camera_model": "OPENCV_FISHEYE", "k1": 0.01], LensDistortion(.fisheye, radial: [0.01, 0, 0, 0])),
            (["is_fisheye": true, "k4": 0.01], LensDistortion(.fisheye, radial: [0, 0, 0, 0.01])),
        ] as [([String: any Sendable], LensDistortion)])
    func lensesThatDistortAreLeftToUndistort(_ top: [String: any Sendable], _ lens: LensDistortion) throws {
        try write([frame("a.png"), frame("b.png", with: ["k1": 0.05])], Self.lens.merging(top) { $1 })
        for name in ["a.png", "b.png"] { try picture(name) }
        let capture = try open()
        #expect(capture.undistortions[0]?.recorded.lens == lens)
        #expect(capture.undistortions[0]?.recorded.intrinsics.fx == 9.5)
        #expect(capture.frames.allSatisfy { $0.intrinsics == nil && !$0.isDropped })
        #expect(capture.channels.contains(.lens) && !capture.channels.contains(.intrinsics))
        #expect(capture.absences[.intrinsics]?.reason == "the lens distorts (\(lens))")
        // A frame's own numbers hide those at the top.
        #expect(capture.undistortions[1]?.recorded.lens.radial == [0.05, 0, 0, 0])
    }

    /// One field of view means one camera: that of most pictures.
    @Test func picturesOfOtherSizesThanMost() throws {
        try write((0..<5).map { frame("\($0).png") }, ["camera_angle_x": 1.5707963267948966])
        for number in 0..<3 { try picture("\(number).png") }
        try picture("3.png", 4, 3)
        try picture("4.png", 6, 6)
        let capture = try open()
        let odd = "the picture is 6×6, and most others of its lens are 8×6 (4.png)"
        #expect(capture.dropReasons == [nil, nil, nil, nil, odd] && capture.frames[4].drop?.isBad == true)
        #expect(
            capture.frames[4].drop?.fix == "copy such a picture again, or give its entry an fl_x, w and h of its own")
        let half = try #require(capture.frames[3].intrinsics)
        #expect(abs(half.fx - 2) < 1e-12 && half.size == PixelSize(4, 3))
        // An angle is the same at any size.
        #expect(capture.warnings == [])
        // As the fix says; and frames with lenses of their own are no others of that one.
        var frames = (0..<5).map { frame("\($0).png") }
        frames[3] = frame("3.png", with: ["camera_angle_x": 1.2])
        frames[4] = frame("4.png", with: ["fl_x": 4.0, "w": 6, "h": 6])
        try write(frames, ["camera_angle_x": 1.5707963267948966])
        let mended = try open()
        #expect(mended.keptFrames.map { $0.intrinsics?.width } == [8, 8, 8, 4, 6] && mended.warnings == [])
    }

    @Test func aMissingPrincipalPointIsSaid() throws {
        let frames = (0..<4).map { number -> [String: Any] in
            var centre: [String: Any] = [:]
            if number != 3 { centre["cx"] = 4.5 }
            if number < 2 { centre["cy"] = 3.5 }
            return frame("\(number).png", with: centre)
        }
        try write(frames, ["fl_x": 9.0, "w": 8, "h": 6])
        for number in 0..<4 { try picture("\(number).png") }
        let capture = try open()
        #expect(capture.frames.map { $0.intrinsics?.cx } == [4.5, 4.5, 4.5, 4])
        #expect(
            capture.warnings == [
                "1 of 4 frames has no cx, and was given the picture's middle: frame 3",
                "2 of 4 frames have no cy, and were given the picture's middle: frames 2 to 3",
            ])
        // Where no frame has one, the middle is what is meant.
        try write((0..<4).map { frame("\($0).png") }, ["fl_x": 9.0, "w": 8, "h": 6])
        #expect(try open().warnings == [])
    }

    /// Programs have names of their own for the lenses that nerfstudio knows.
    @Test(arguments: ["OpenCVPinhole", "pinhole", "opencv", "opencv_fisheye"])
    func namesOfLensesThatAreSpeltOtherwise(_ name: String) throws {
        try write([frame("a.png")], Self.lens.merging(["camera_model": name]) { $1 })
        try picture("a.png")
        let capture = try open()
        #expect(capture.channels.contains(.intrinsics) == (name != "opencv_fisheye"))
        #expect(capture.undistortions[0]?.recorded.lens == (name == "opencv_fisheye" ? LensDistortion(.fisheye) : nil))
    }

    /// As nerfstudio has Project Aria's: a list of numbers in each frame.
    @Test func theLensOfProjectAria() throws {
        let numbers = [0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 7e-4, 8e-4, 9e-4, 1e-3, 1.1e-3, 1.2e-3]
        try write(
            [frame("a.png", with: ["distortion_params": numbers])],
            Self.lens.merging(["camera_model": "FISHEYE624"]) { $1 })
        try picture("a.png")
        #expect(
            try open().undistortions[0]?.recorded.lens
                == LensDistortion(
                    .fisheye, radial: [0.01, 0.02, 0.03, 0.04], higherRadial: [0.05, 0.06], tangential: [8e-4, 7e-4],
                    prism: [9e-4, 1e-3, 1.1e-3, 1.2e-3], isRadialFirst: true))
    }

    /// Tools join folders with a slash too many, and Windows' have others.
    @Test(arguments: ["images//a.png", "images\\a.png", ".\\images\\a.png", "./images/./a.png"])
    func pathsThatAreSpeltOtherwise(_ path: String) throws {
        try write([frame(path)], Self.lens)
        try picture("images/a.png")
        let capture = try open()
        #expect(capture.frames.map(\.pictureFile) == ["images/a.png"] && capture.absences[.color] == nil)
    }

    @Test(arguments: [["camera_model": "OPENCV", "k1": 0.05], ["is_fisheye": false]] as [[String: any Sendable]])
    func aFramesOwnModelHidesThatAtTheTop(_ own: [String: any Sendable]) throws {
        let top: [String: Any] = ["camera_model": "OPENCV_FISHEYE", "k1": 0.01]
        try write([frame("a.png", with: own), frame("b.png")], Self.lens.merging(top) { $1 })
        for name in ["a.png", "b.png"] { try picture(name) }
        let lenses = try open().undistortions.mapValues(\.recorded.lens)
        #expect(lenses[0] == LensDistortion(radial: [own["k1"] as? Double ?? 0.01, 0, 0, 0]))
        #expect(lenses[1] == LensDistortion(.fisheye, radial: [0.01, 0, 0, 0]))
    }

    /// Among frames whose lens distorts, one that is straight has no intrinsics either, until all have.
    @Test func aStraightLensAmongOthers() throws {
        try write([frame("a.png"), frame("b.png", with: ["k1": 0.05])], Self.lens)
        for name in ["a.png", "b.png"] { try picture(name) }
        let capture = try open()
        #expect(capture.frames.allSatisfy { $0.intrinsics == nil })
        let straight = CameraIntrinsics(fx: 9.5, fy: 9, cx: 4, cy: 3, width: 8, height: 6, pixelOrigin: .corner)
        #expect(capture.undistortions[0] == Undistortion(straight: straight))
        #expect(try #require(capture.undistortions[1]).scale != 1)
        #expect(capture.colorSize == PixelSize(8, 6))
    }

    /// A lens that took no picture is nobody's.
    @Test func aBentFrameThatIsDropped() throws {
        try write([frame("a.png"), frame("b.png", with: ["k1": 0.05])], Self.lens)
        try picture("a.png")
        let capture = try open()
        #expect(capture.frames.map(\.isDropped) == [false, true])
        #expect(capture.channels.contains(.intrinsics) && !capture.channels.contains(.lens))
        #expect(capture.frames[0].intrinsics?.fx == 9.5)
    }

    /// What cannot be a lens costs the frames that have it.
    @Test func aLensThatFoldsItsPicture() throws {
        try write([frame("a.png", with: ["k1": -90]), frame("b.png"), frame("c.png", with: ["k1": 1e300])], Self.lens)
        for name in ["a.png", "b.png", "c.png"] { try picture(name) }
        let capture = try open()
        #expect(capture.frames.map(\.isDropped) == [true, false, true])
        #expect(capture.frames[0].drop?.reason.contains("the lens (k1 -90.0) would fold the picture") == true)
        #expect(capture.frames[0].drop?.isBad == true)
        #expect(capture.channels.contains(.intrinsics) && capture.frames[1].intrinsics?.fx == 9.5)
    }
}
