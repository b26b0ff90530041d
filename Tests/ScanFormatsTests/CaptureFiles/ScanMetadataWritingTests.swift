import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct ScanMetadataWritingTests {
    private func metadata(_ text: String) throws(Problem) -> ScanMetadata {
        try ScanMetadata(Array(text.utf8), file: "a.json")
    }

    @Test(.enabled(if: SharedData.isThere))
    func theOutputIsTheInputWithNewCounts() throws {
        let scan = try ScanMetadata(try SharedData.bytes("office/office.json"), file: "office.json")
        let value = scan.output(frameCount: 31, fileCount: 12, color: .h264)
        // Python says what changed.
        let folder = try TemporaryFolder()
        let script = """
            import json, sys
            old, new = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))
            assert list(old) == list(new)
            for key in old:
                if key != "streams" and old[key] != new[key]: print(key, old[key], new[key])
            for a, b in zip(old["streams"], new["streams"]):
                assert list(a) == list(b)
                print(b["id"], *("%s=%s" % (k, b[k]) for k in a if a[k] != b[k]))
            """
        let path = try folder.write(JSONWriter.text(value), to: "new.json")
        let result = try runPython(script, [SharedData.path("office/office.json"), path])
        #expect(result.errors == "")
        #expect(
            result.output == """
                number_of_files 10 12
                color_back_1 number_of_frames=31 file_extension=mp4 encoding=h264
                depth_back_1 number_of_frames=31
                confidence_map number_of_frames=31
                camera_info_color_back_1 number_of_frames=31
                rot_1
                acce_1
                mag_1
                atti_1
                grav_1

                """)
    }

    @Test func ordersStreamsAsTheServerReadsThem() throws {
        let scan = try metadata(
            """
            {"zebra":1,"streams":[{"id":"rot_1","type":"rot","number_of_frames":9,"x":1},{"id":"b","type":"camera_info"},
             {"id":"c","type":"confidence_map"},{"id":"d","type":"audio","number_of_frames":5},{"id":"e","type":"ARCore"},
             {"id":"f","type":"color_camera","encoding":"h264","file_extension":"mp4"}],"number_of_files":3,"apple":[{}]}
            """)
        let output = scan.output(frameCount: 2, fileCount: 7, color: .png, depthUnit: .metres)
        #expect(
            String(decoding: JSONWriter.text(output, pretty: false), as: UTF8.self) == """
                {"zebra":1,"streams":[{"id":"f","type":"color_camera","encoding":"png","file_extension":"png",\
                "number_of_frames":2},{"id":"e","type":"ARCore","number_of_frames":2,"encoding":"float16_zlib"},\
                {"id":"c","type":"confidence_map","number_of_frames":2},\
                {"id":"b","type":"camera_info","number_of_frames":2},\
                {"id":"rot_1","type":"rot","number_of_frames":9,"x":1},{"id":"d","type":"audio","number_of_frames":5}],\
                "number_of_files":7,"apple":[{}],"depth_unit":"m"}
                """)
        let without = scan.output(frameCount: 2, fileCount: 7, without: [.confidence, .motion(.rotationRate)])
        #expect(without["streams"]?.array?.map { $0["id"]?.string } == ["f", "e", "b", "d"])
        #expect(without["depth_unit"] == nil)
        // The intrinsics refer to its resolution.
        let bare = scan.output(frameCount: 2, fileCount: 7, without: [.color])
        #expect(bare["streams"]?.array?.first?["id"]?.string == "f")
        #expect(bare["streams"]?.array?.map { $0["number_of_frames"]?.integer } == [0, 2, 2, 2, 9, 5])
    }

    /// Apps spell the key in different ways.
    @Test(arguments: ["avaliable", "available", "avaiable"])
    func confidenceThatWasLeftOutIsNotClaimed(_ word: String) throws {
        let key = "depth_confidence_\(word)"
        let scan = try metadata("{\"\(key)\": true, \"streams\": [{\"id\": \"f\", \"type\": \"color_camera\"}]}")
        #expect(scan.output(frameCount: 1, fileCount: 1)[key] == .bool(true))
        #expect(scan.output(frameCount: 1, fileCount: 1, without: [.confidence])[key] == .bool(false))
    }

    @Test func whatIsMadeReadsBack() throws {
        var facts = ScanMetadata.Facts(frameCount: 40, fileCount: 9, colorSize: PixelSize(640, 480), color: .jpeg)
        facts.deviceType = "Structure sensor"
        facts.frequency = 29.97
        facts.intrinsics = CameraIntrinsics(
            fx: 585, fy: 586, cx: 320.5, cy: 240.5, width: 640, height: 480, pixelOrigin: .corner)
        facts.depthSize = PixelSize(256, 192)
        facts.confidenceRange = 0...255
        facts.motion = [(.gravity, 390, 60), (.attitude, 1, .nan)]
        let scan = try ScanMetadata(JSONWriter.text(ScanMetadata.make(facts)), file: "a.json")
        #expect(scan.deviceType == "Structure sensor")
        #expect(scan.colorStream?.size == PixelSize(640, 480))
        #expect(scan.colorStream?.intrinsics == facts.intrinsics?.counted(from: .centre))
        #expect(scan.colorStream?.frequency == 30)
        #expect(scan.depthStream?.size == PixelSize(256, 192))
        #expect(scan.depthUnit == .metres && scan.depthStream?.encoding == "float16_zlib")
        #expect(scan.confidenceRange == 0...255)
        #expect(scan.json["depth_confidence_avaliable"] == .bool(true))
        #expect(scan.motionStream(.gravity)?.frameCount == 390)
        #expect(scan.motionStream(.attitude)?.frequency == nil)
        #expect(scan.streams.map(\.role).prefix(4) == [.color, .depth, .confidence, .cameraInfo])
        #expect(scan.json["number_of_files"] == .integer(9))

        facts.depthSize = nil
        facts.confidenceRange = nil
        let colorOnly = try ScanMetadata(JSONWriter.text(ScanMetadata.make(facts)), file: "a.json")
        #expect(colorOnly.depthStream == nil && colorOnly.confidenceStream == nil)
        #expect(colorOnly.json["depth_confidence_avaliable"] == .bool(false))
        facts.color = nil
        let bare = try ScanMetadata(JSONWriter.text(ScanMetadata.make(facts)), file: "a.json")
        #expect(bare.colorStream?.frameCount == 0 && bare.colorStream?.size == PixelSize(640, 480))
    }
}
