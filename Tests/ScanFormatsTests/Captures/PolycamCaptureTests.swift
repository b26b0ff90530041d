import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

/// Exports as polyform's documentation lays them out, written by hand.
@Suite struct PolycamCaptureTests {
    /// A camera at (time, 2, −3) that looks along −x.
    private func camera(_ time: Int, _ more: String = "", size: String = #""width": 8, "height": 6,"#) -> String {
        """
        {"fx": 9.5, "fy": 9, "cx": 4.25, "cy": 2.75, \(size) "blur_score": 123.5, "timestamp": \(time), \
        "t_00": 0, "t_01": 0, "t_02": 1, "t_03": \(Double(time) / 10), "t_10": 0, "t_11": 1, "t_12": 0, "t_13": 2, \
        "t_20": -1, "t_21": 0, "t_22": 0, "t_23": -3, "manual_keyframe": false\(more)}
        """
    }

    private func export(_ times: [Int] = [9, 10, 200], top: String = "keyframes/", sets: [String] = [""]) throws
        -> WrittenCapture
    {
        let capture = try WrittenCapture("export")
        for (rank, set) in sets.enumerated() {
            for time in times {
                try capture.write(camera(time + 1000 * rank), to: "\(top)\(set)cameras/\(time).json")
                try capture.picture("\(top)\(set)images/\(time).jpg", isJPEG: true)
            }
        }
        for (number, time) in times.enumerated() {
            try capture.depth("\(top)depth/\(time).png", first: UInt16(1000 * (number + 1)))
            try capture.confidence("\(top)confidence/\(time).png", [0, 54, 127, 255, 1, 128, 254])
        }
        return capture
    }

    @Test(arguments: ["keyframes/", ""]) func anExport(top: String) throws {
        let capture = try export(top: top).open(PolycamCapture.self)
        #expect(capture.format == "polycam" && capture.variant == "as recorded")
        // By number, not by name: 9 comes before 10 and 200.
        #expect(capture.frames.map(\.timestamp) == [9000, 10_000, 200_000])
        #expect(capture.frames.map(\.pictureFile) == [9, 10, 200].map { "\(top)images/\($0).jpg" })
        #expect(capture.frames.allSatisfy { !$0.isDropped })
        let pose = try #require(capture.frames[1].pose)
        #expect(pose.position == Vector3(1, 2, -3))
        #expect(pose.apply(Vector3(0, 0, -1)) == Vector3(0, 2, -3))
        #expect(
            capture.frames[0].intrinsics
                == CameraIntrinsics(fx: 9.5, fy: 9, cx: 4.25, cy: 2.75, width: 8, height: 6, pixelOrigin: .corner))
        #expect(capture.worldUp == Vector3(0, 1, 0) && capture.isMetric)
        let frames = try capture.loaded([.recordedDepth, .recordedConfidence, .color])
        #expect(frames.map { $0.recordedDepth?.first } == [1, 2, 3])
        // 54 and 127 were both seen for the middle level, and all between nothing and everything are taken for it.
        #expect(frames[0].recordedConfidence?.values.prefix(7) == [0, 1, 1, 2, 1, 1, 1])
        #expect(frames[0].recordedConfidence?.range == 0...2)
    }

    @Test func theCorrectedSetIsUsedWhenItIsWhole() throws {
        let export = try export(sets: ["", "corrected_"])
        let whole = try export.open(PolycamCapture.self)
        #expect(whole.variant == "corrected")
        #expect(whole.frames.map { $0.pose?.position.x } == [100.9, 101, 120])
        #expect(whole.frames[0].pictureFile == "keyframes/corrected_images/9.jpg")
        // One camera less: the recorded ones are used for all frames.
        try export.remove("keyframes/corrected_cameras/10.json")
        let mixed = try export.open(PolycamCapture.self)
        #expect(mixed.variant == "as recorded")
        #expect(mixed.frames.map { $0.pose?.position.x } == [0.9, 1, 20])
        #expect(mixed.frames.allSatisfy { $0.pictureFile?.hasPrefix("keyframes/images/") == true && !$0.isDropped })
        // What the app leaves out lacks its picture too: here a file has not arrived.
        let lack = "the corrected pictures and cameras lack 1 of 3 frames, so the recorded ones were used for all"
        let loss =
            "; for 1 of them only the picture or the camera is there: copy keyframes/corrected_images/ and "
            + "keyframes/corrected_cameras/ again"
        #expect(mixed.warnings == [lack + loss])
        try export.remove("keyframes/corrected_images/10.jpg")
        #expect(try export.open(PolycamCapture.self).warnings == [lack])
        // Without their pictures the recorded cameras are no better, though there is one more of them.
        try export.remove("keyframes/images")
        let corrected = try export.open(PolycamCapture.self)
        #expect(corrected.variant == "corrected" && corrected.keptFrames.count == 2 && corrected.warnings == [])
    }

    /// As app 6.0.21 exports it: the corrected cameras have no pictures of their own, and no sizes.
    private func exportWithCorrectedCameras(_ times: [Int] = [9, 10, 200]) throws -> WrittenCapture {
        let export = try export(times)
        for time in times {
            try export.write(camera(time + 1000, size: ""), to: "keyframes/corrected_cameras/\(time).json")
        }
        return export
    }

    @Test func correctedCamerasWithoutPicturesOfTheirOwn() throws {
        let export = try exportWithCorrectedCameras()
        let capture = try export.open(PolycamCapture.self)
        #expect(capture.variant == "corrected cameras" && capture.warnings == [])
        #expect(capture.frames.map { $0.pose?.position.x } == [100.9, 101, 120])
        #expect(capture.frames.map(\.pictureFile) == [9, 10, 200].map { "keyframes/images/\($0).jpg" })
        #expect(
            capture.frames[0].intrinsics
                == CameraIntrinsics(fx: 9.5, fy: 9, cx: 4.25, cy: 2.75, width: 8, height: 6, pixelOrigin: .corner))
        #expect(try capture.loaded([.recordedDepth]).map { $0.recordedDepth?.first } == [1, 2, 3])
        // A camera less: the recorded ones are used for all frames.
        try export.remove("keyframes/corrected_cameras/10.json")
        let recorded = try export.open(PolycamCapture.self)
        #expect(recorded.variant == "as recorded")
        #expect(recorded.frames.map { $0.pose?.position.x } == [0.9, 1, 20])
        #expect(
            recorded.warnings
                == ["the corrected cameras lack 1 of 3 frames, so the recorded ones were used for all"])
    }

    @Test(arguments: ["keyframes/", ""]) func correctedCamerasAlone(top: String) throws {
        let export = try exportWithCorrectedCameras()
        try export.remove("keyframes/cameras")
        if top.isEmpty {
            for folder in ["images", "corrected_cameras", "depth", "confidence"] {
                try FileManager.default.moveItem(
                    atPath: "\(export.path)/keyframes/\(folder)", toPath: "\(export.path)/\(folder)")
            }
            try export.remove("keyframes")
        }
        #expect(export.recognition?.reason == "\(top)corrected_cameras/10.json has Polycam's keys t_00, …")
        let capture = try export.open(PolycamCapture.self)
        #expect(capture.variant == "corrected cameras" && capture.keptFrames.count == 3)
        #expect(capture.frames.map { $0.pose?.position.x } == [100.9, 101, 120])
    }

    @Test func correctedCamerasThatCannotBeUsedAreSaid() throws {
        func warnings(_ change: (WrittenCapture) throws -> Void) throws -> [String] {
            let export = try exportWithCorrectedCameras()
            try change(export)
            let capture = try export.open(PolycamCapture.self)
            #expect(capture.variant == "as recorded" && capture.frames.map { $0.pose?.position.x } == [0.9, 1, 20])
            return capture.warnings
        }
        let fallback = "so the recorded ones were used for all"
        // A corrected picture of no camera.
        let alone = try warnings { try $0.picture("keyframes/corrected_images/77.jpg", isJPEG: true) }
        let apart = "no frame has both a corrected camera and its picture, \(fallback)"
        #expect(alone.first?.hasPrefix(apart) == true, "\(alone)")
        let damaged = try warnings { try $0.write("{", to: "keyframes/corrected_cameras/10.json") }
        let again = "cannot be used: copy keyframes/corrected_cameras/ again"
        #expect(damaged == ["the corrected cameras lack 1 of 3 frames, \(fallback); 1 of them \(again)"])
        // Nothing says for which size they are.
        let unsized = try warnings { try $0.remove("keyframes/images") }
        #expect(unsized.first == "the corrected cameras lack 3 of 3 frames, \(fallback); 3 of them \(again)")
    }

    /// Depth belongs to both, and must not move where pictures were not copied.
    @Test func correctedCamerasOfAnExportWithoutPictures() throws {
        let export = try exportWithCorrectedCameras()
        for time in [9, 10, 200] {
            try export.write(camera(time + 1000), to: "keyframes/corrected_cameras/\(time).json")
        }
        try export.remove("keyframes/images")
        let capture = try export.open(PolycamCapture.self)
        #expect(capture.variant == "corrected cameras")
        #expect(capture.frames.map { $0.pose?.position.x } == [100.9, 101, 120])
    }

    /// An older export, of which the pictures were left behind.
    @Test func correctedPicturesThatWereNotCopied() throws {
        let export = try export(sets: ["", "corrected_"])
        for time in [9, 10, 200] { try export.remove("keyframes/corrected_images/\(time).jpg") }
        let capture = try export.open(PolycamCapture.self)
        #expect(capture.variant == "corrected cameras")
        let taken = "the corrected cameras were taken for the recorded pictures"
        #expect(capture.warnings == ["keyframes/corrected_images/ is empty, so \(taken): copy it too"])
    }

    /// Recorded poses on either side do not fit; corrected ones do.
    @Test func trackingThatBeganAnewIsSaid() throws {
        let export = try export([1, 2, 3, 4, 5])
        for time in 1...5 {
            let segment = [1, 1, 2, 2, 3][time - 1]
            try export.write(camera(time, #", "tracking_segment": \#(segment)"#), to: "keyframes/cameras/\(time).json")
        }
        #expect(
            try export.open(PolycamCapture.self).warnings == [
                "tracking was lost and began again at frames 2, 4, where tracking_segment changes: the poses before "
                    + "and after have no common frame of reference"
            ])
        for time in 1...5 {
            let segment = time < 3 ? 1 : 2
            try export.write(
                camera(time, #", "tracking_segment": \#(segment)"#), to: "keyframes/corrected_cameras/\(time).json")
        }
        let corrected = try export.open(PolycamCapture.self)
        #expect(corrected.variant == "corrected cameras" && corrected.warnings == [])
        try export.remove("keyframes/corrected_cameras")
        for time in 1...5 {
            try export.write(camera(time, #", "tracking_segment": 1"#), to: "keyframes/cameras/\(time).json")
        }
        #expect(try export.open(PolycamCapture.self).warnings == [])
    }

    /// The app writes confidence with all depth.
    @Test func confidenceThatDidNotArriveIsMissed() throws {
        let export = try export([1])
        try export.remove("keyframes/confidence/1.png")
        let capture = try export.open(PolycamCapture.self)
        #expect(
            capture.absences[.recordedConfidence]?.reason
                == "there are no pictures in keyframes/confidence/, though depth is there")
        #expect(capture.remedies[.recordedConfidence] == "copy the folder keyframes/confidence/ too")
        #expect(capture.channels.contains(.recordedDepth))
        // Other programs need not write it.
        try export.remove("keyframes/confidence")
        #expect(try export.open(PolycamCapture.self).remedies.count == 1)
        try export.write("{}", to: "receipt.json")
        #expect(try export.open(PolycamCapture.self).remedies == [:])
    }

    @Test func depthThatBelongsToNoCamera() throws {
        let export = try export([1])
        try export.remove("keyframes/depth/1.png")
        let without = try export.open(PolycamCapture.self)
        #expect(
            without.absences[.recordedDepth]?.reason
                == "there are no pictures in keyframes/depth/, though confidence is there")
        #expect(without.remedies[.recordedDepth] == "copy the folder keyframes/depth/ too")
        #expect(without.channels.contains(.recordedConfidence))
        try export.remove("keyframes/confidence")
        let empty = try export.open(PolycamCapture.self)
        #expect(
            empty.absences[.recordedDepth]?.reason
                == "there are no pictures in keyframes/depth/, though the folder is there")
        try export.depth("keyframes/depth/depth_a.png", first: 1000)
        try export.depth("keyframes/depth/77.png", first: 1000)
        let renamed = try export.open(PolycamCapture.self)
        #expect(
            renamed.absences[.recordedDepth]?.reason
                == "no file in keyframes/depth/ is a PNG called after a camera's time; it holds 2 files")
    }

    @Test func sizesThatOnlyThePictureTells() throws {
        let export = try export([1])
        try export.write(camera(1, size: ""), to: "keyframes/cameras/1.json")
        try export.picture("keyframes/images/1.jpg", 16, 12, isJPEG: true)
        let open = try export.open(PolycamCapture.self)
        #expect(open.frames[0].intrinsics?.width == 16 && open.frames[0].intrinsics?.fx == 9.5)
        // With a size the intrinsics follow the picture.
        try export.write(camera(1), to: "keyframes/cameras/1.json")
        #expect(try export.open(PolycamCapture.self).frames[0].intrinsics?.fx == 19)
        try export.picture("keyframes/images/1.jpg", 6, 8, isJPEG: true)
        #expect(
            try export.problem(PolycamCapture.self)?.summary == "depth of 4×3 does not fit pictures of 6×8")
        try export.remove("keyframes/depth/1.png")
        let turned = try export.open(PolycamCapture.self)
        #expect(turned.frames[0].drop?.isBad == true)
    }

    /// The app writes one for the other: the copy is not whole.
    @Test func aPictureOrCameraWithoutTheOtherIsBad() throws {
        let export = try export([1, 2, 3])
        try export.remove("keyframes/cameras/1.json")
        try export.remove("keyframes/images/2.jpg")
        try export.remove("keyframes/depth/3.png")
        let capture = try export.open(PolycamCapture.self)
        #expect(capture.dropReasons == ["its picture has no camera", "its camera has no picture", nil])
        #expect(capture.frames.map { $0.drop?.isBad } == [true, true, nil])
        #expect(capture.excessOfBadFrames()?.summary == "2 of 3 frames are bad (66.667 %)")
        #expect(capture.findings["frames-without-depth"]?.integer == 1)
    }

    @Test func whatCannotBeUsedCostsItsFrame() throws {
        let export = try export([1, 2, 3, 4, 5])
        try export.write("{", to: "keyframes/cameras/2.json")
        try export.write(camera(3, #", "t_00": "x""#), to: "keyframes/cameras/3.json")
        try export.write(camera(4, #", "t_02": 0"#), to: "keyframes/cameras/4.json")
        try export.write(camera(5, #", "fx": 0"#), to: "keyframes/cameras/5.json")
        let capture = try export.open(PolycamCapture.self)
        #expect(capture.frames.map { $0.drop?.isBad } == [nil, true, true, true, true])
        #expect(capture.dropReasons[4]?.contains("the focal length is") == true)
        #expect(capture.dropReasons[3]?.contains("singular") == true)
    }

    @Test func aDamagedFirstCameraIsStillPolycams() throws {
        let export = try export()
        try export.write("{", to: "keyframes/cameras/10.json")
        #expect(try export.open(PolycamCapture.self).frames.map { $0.drop?.isBad } == [nil, true, nil])
    }

    /// macOS writes `._1.json` beside `1.json` on disks of other systems; they come first.
    @Test func whatMacOSPutsBesideFilesIsNotTheirs() throws {
        let times = Array(1...7)
        let export = try export(times)
        for folder in ["cameras", "images", "depth"] {
            let ending = ["cameras": "json", "images": "jpg", "depth": "png"][folder] ?? ""
            for time in times { try export.write("Mac OS X", to: "keyframes/\(folder)/._\(time).\(ending)") }
        }
        let capture = try export.open(PolycamCapture.self)
        #expect(capture.frames.count == 7 && capture.keptFrames.count == 7)
    }

    @Test func anExportWithoutDepth() throws {
        let export = try export([1])
        try export.remove("keyframes/depth")
        try export.remove("keyframes/confidence")
        let capture = try export.open(PolycamCapture.self)
        #expect(!capture.channels.contains(.recordedDepth) && capture.depthSize == nil)
        #expect(
            capture.absences[.recordedDepth]?.reason
                == "there are no pictures in keyframes/depth/: the device has no lidar, the scan was made of photos, or they were not copied"
        )
        #expect(capture.remedies[.recordedDepth] == nil)
    }

    /// Poses, cameras and depth are there all the same.
    @Test(arguments: ["", "corrected_"]) func anExportWithoutPictures(set: String) throws {
        let export = try export(sets: [set])
        try export.remove("keyframes/\(set)images")
        let capture = try export.open(PolycamCapture.self)
        #expect(capture.frames.count == 3 && capture.frames.allSatisfy { !$0.isDropped })
        #expect(!capture.channels.contains(.color))
        // Every export has these, and not every one corrected ones.
        #expect(capture.absences[.color]?.reason == "there are 3 cameras, and no pictures in keyframes/images/")
        #expect(capture.remedies[.color] == "copy the folder keyframes/images/ too")
    }

    @Test func oneCameraWithoutItsPicture() throws {
        let export = try export([9])
        try export.remove("keyframes/images")
        let capture = try export.open(PolycamCapture.self)
        #expect(capture.absences[.color]?.reason == "there is 1 camera, and no pictures in keyframes/images/")
    }

    @Test func theOthersAreNotTakenForIt() throws {
        let other = try WrittenCapture()
        try other.write(#"{"fx": 1}"#, to: "cameras/1.json")
        try other.picture("images/1.png")
        #expect(other.recognition?.format == "frames")
        var rules = ReadRules()
        rules.maxFrames = 2
        #expect(try export().problem(PolycamCapture.self, rules: rules)?.fault == .input)
    }

    @Test func namesThatAreNoTimes() throws {
        let export = try export([1])
        try export.write(camera(1), to: "keyframes/cameras/9223372036854775807.json")
        try export.picture("keyframes/images/9223372036854775807.jpg", isJPEG: true)
        let capture = try export.open(PolycamCapture.self)
        #expect(capture.dropReasons == [nil, "its name is no time"])
    }

    @Test func camerasAreWrittenAsTheyAreRead() throws {
        let intrinsics = CameraIntrinsics(fx: 7, fy: 8, cx: 3.5, cy: 2.5, width: 9, height: 5, pixelOrigin: .centre)
        let pose = Pose(rotation: .rotation(aboutY: 0.3), position: Vector3(1e-9, -2.5, 1 / 3))
        let read = try PolycamCamera(PolycamCamera.text(intrinsics, pose, sharpness: 5), file: "1.json")
        #expect(read.pose == pose)
        #expect((read.fx, read.fy, read.cx, read.cy) == (7, 8, 4, 3))
        #expect(read.size == PixelSize(9, 5))
    }

    /// Not a folder of pictures that is called "keyframes".
    @Test func anExportWithoutCamerasFailsByItsName() throws {
        let export = try export()
        try export.remove("keyframes/cameras")
        #expect(export.recognition?.format == "polycam" && export.recognition?.folder == "keyframes")
        let missing = try export.problem(PolycamCapture.self)
        #expect(missing?.summary == "the cameras are missing")
        #expect(missing?.notes == ["keyframes/images/ has 3 pictures, and keyframes/cameras/ no cameras"])
        #expect(missing?.fix == "copy the folder keyframes/cameras/ too")
    }

    /// Without depth it is still a capture with pictures, as ScanNet's would be.
    @Test func depthThatCannotBeReadCostsTheDepthAlone() throws {
        let export = try export()
        for time in [9, 10, 200] {
            for folder in ["depth", "confidence"] { try export.write("x", to: "keyframes/\(folder)/\(time).png") }
        }
        let capture = try export.open(PolycamCapture.self)
        #expect(capture.channels.isDisjoint(with: [.recordedDepth, .recordedConfidence]))
        #expect(capture.keptFrames.count == 3 && capture.gaps.isEmpty)
        for (channel, name) in [(Channel.recordedDepth, "depth"), (.recordedConfidence, "confidence")] {
            #expect(capture.absences[channel]?.reason.hasPrefix("none of the \(name) pictures can be read: ") == true)
            #expect(capture.absences[channel]?.remedy == "copy the picture again from the device")
        }
        let inspection = try CaptureInspection.inspect(export.path)
        #expect(inspection.findings.contains { $0.problem.summary.hasPrefix("none of the depth pictures can be read") })
    }
}
