import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct ScanMetadataTests {
    private func metadata(_ text: String) throws(Problem) -> ScanMetadata {
        try ScanMetadata(Array(text.utf8), file: "a.json")
    }

    /// One colour stream with some members exchanged.
    private func stream(_ members: String) throws(Problem) -> ScanStream? {
        try metadata("{\"streams\":[{\"type\":\"imu\"},{\"type\":\"color_camera\",\(members)}]}").colorStream
    }

    @Test(.enabled(if: SharedData.isThere))
    func readsARealRecording() throws {
        let scan = try ScanMetadata(try SharedData.bytes("ipad/ipad.json"), file: "ipad.json")
        #expect(scan.deviceType == "iPad8,10")
        #expect(scan.deviceName == "multiscan’s iPad Pro")
        // This app wrote no unit.
        #expect(scan.depthUnit == .metres)
        #expect(scan.confidenceRange == 0...2)
        let color = try #require(scan.colorStream)
        #expect(color.size == PixelSize(1920, 1440))
        #expect(color.frameCount == 354)
        #expect(color.frequency == 60)
        #expect(color.encoding == "h264" && color.fileExtension == "mp4")
        let camera = try #require(color.intrinsics)
        #expect([camera.fx, camera.fy] == [1613.7047119140625, 1613.7047119140625])
        #expect([camera.cx, camera.cy] == [941.3975830078125, 727.03411865234375])
        #expect(camera.width == 1920 && camera.pixelOrigin == .centre)
        #expect(scan.depthStream?.size == PixelSize(256, 192))
        #expect(scan.depthStream?.intrinsics == nil)
        #expect(scan.confidenceStream?.fileExtension == "confidence.zlib")
        #expect(scan.cameraInfoStream?.id == "camera_info_color_back_1")
    }

    @Test(.enabled(if: SharedData.isThere))
    func readsMotionStreams() throws {
        let scan = try ScanMetadata(try SharedData.bytes("office/office.json"), file: "office.json")
        for kind in MotionKind.allCases {
            #expect(scan.motionStream(kind)?.frameCount == 390)
            #expect(scan.motionStream(kind)?.fileExtension == kind.rawValue)
        }
        #expect(scan.streams.count == 9)
    }

    @Test func readsAndroidsWords() throws {
        let scan = try metadata(
            """
            {"device":{"id":null,"name":"","type":"Google_Pixel 4"},"depth_unit":"mm",
             "depth_confidence_available":true,"depth_confidence_value_range":[0,255],
             "camera_orientation_euler_angles_format":null,
             "streams":[
              {"type":"rgb_camera","id":"color_back_1","resolution":[1080,1920],"intrinsics":null,"encoding":"h264"},
              {"type":"ARCore","id":"depth_back_1","resolution":[90,160],"encoding":"uint8_zlib"},
              {"type":"confidence_map","id":"confidence_map","encoding":"uint8_zlib"},
              {"type":"camera_info","id":"camera_info_color_back_1"}]}
            """)
        #expect(scan.depthUnit == .millimetres)
        #expect(scan.depthUnit.encoding == .uint16(unitsPerMetre: 1000, mask: 0x1FFF))
        #expect(scan.confidenceRange == 0...255)
        #expect(scan.colorStream?.size == PixelSize(1920, 1080))
        #expect(scan.depthStream?.size == PixelSize(160, 90))
        #expect(scan.deviceType == "Google_Pixel 4")
    }

    @Test func findsStreamsByWhatTheyAre() throws {
        let scan = try metadata(
            """
            {"streams":[{"type":"rot"},{"type":"x","file_extension":"acce"},{"type":"new","id":"camera_info_color"},
             {"id":"confidence_2"},{"type":"dual_camera_stereo_depth","id":"stereo_depth_1"},{"type":"tof","id":"depth_9"},
             {"type":"color_camera","id":"color_back_1"},{"type":"color_camera","id":"color_back_2"},{"type":"audio"}]}
            """)
        #expect(
            scan.streams.map(\.role) == [
                .motion(.rotationRate), .motion(.acceleration), .cameraInfo, .confidence, .depth, .depth, .color,
                .color,
                .other,
            ])
        #expect(scan.colorStream?.id == "color_back_1")
        #expect(scan.depthStream?.id == "stereo_depth_1")
        #expect(scan.motionStream(.gravity) == nil)
    }

    @Test func takesWhatTheAppWritesWhenItDoesNotKnow() throws {
        let stream = try stream("\"frequency\":0,\"resolution\":[],\"intrinsics\":[],\"number_of_frames\":null")
        #expect(stream?.frequency == nil)
        #expect(stream?.size == nil)
        #expect(stream?.intrinsics == nil)
        #expect(stream?.frameCount == nil)
        #expect(try metadata("{\"streams\":[],\"device\":{\"type\":7},\"scene\":[]}").deviceType == nil)
    }

    @Test func namesWhatDoesNotFit() throws {
        let table: [(String, String)] = [
            ("[]", "the text is []; expected an object"),
            ("{}", "“streams” is missing; expected a list"),
            ("{\"streams\":{}}", "“streams” is {}; expected a list"),
            ("{\"streams\":[1]}", "“streams[0]” is 1; expected an object"),
            ("{\"depth_unit\":\"cm\",\"streams\":[]}", "“depth_unit” is “cm”; expected “m” or “mm”"),
            ("{\"depth_unit\":\"\",\"streams\":[]}", "“depth_unit” is “”; expected “m” or “mm”"),
            ("{\"depth_unit\":1,\"streams\":[]}", "“depth_unit” is 1; expected text"),
            (
                "{\"depth_confidence_value_range\":[2],\"streams\":[]}",
                "“depth_confidence_value_range” is [2]; expected [lowest, highest]"
            ),
            (
                "{\"depth_confidence_value_range\":[2,2],\"streams\":[]}",
                "“depth_confidence_value_range[1]” is 2; expected a whole number from 3 to 255"
            ),
            (
                "{\"depth_confidence_value_range\":[0,1e9],\"streams\":[]}",
                "“depth_confidence_value_range[1]” is 1000000000.0; expected a whole number from 1 to 255"
            ),
        ]
        for (text, summary) in table {
            let problem = #expect(throws: Problem.self) { try metadata(text) }
            #expect(problem?.summary == summary)
            #expect(problem?.place.file == "a.json")
        }
        let side = "expected a whole number from 1 to 32768"
        let members: [(String, String)] = [
            ("\"resolution\":[192,256,3]", "“streams[1].resolution” is [192, 256, 3]; expected [height, width]"),
            ("\"resolution\":\"256x192\"", "“streams[1].resolution” is “256x192”; expected a list"),
            ("\"resolution\":[0,256]", "“streams[1].resolution[0]” is 0; \(side)"),
            ("\"resolution\":[192,-1]", "“streams[1].resolution[1]” is -1; \(side)"),
            ("\"resolution\":[192,\"256\"]", "“streams[1].resolution[1]” is “256”; \(side)"),
            ("\"resolution\":[192,256.5]", "“streams[1].resolution[1]” is 256.5; \(side)"),
            ("\"resolution\":[2147483647,1]", "“streams[1].resolution[0]” is 2147483647; \(side)"),
            ("\"resolution\":[1e300,1]", "“streams[1].resolution[0]” is 1e+300; \(side)"),
            (
                "\"number_of_frames\":-1",
                "“streams[1].number_of_frames” is -1; expected a whole number from 0 to 2147483647"
            ),
            (
                "\"number_of_frames\":\"12\"",
                "“streams[1].number_of_frames” is “12”; expected a whole number from 0 to 2147483647"
            ),
            ("\"frequency\":-60", "“streams[1].frequency” is -60; expected frames per second"),
            ("\"frequency\":\"60\"", "“streams[1].frequency” is “60”; expected a number"),
            (
                "\"intrinsics\":[1,2,3,4,5,6,7,8]",
                "“streams[1].intrinsics” is a list of 8 values; expected a list of 9 numbers"
            ),
        ]
        for (member, summary) in members {
            let problem = #expect(throws: Problem.self) { try stream(member) }
            #expect(problem?.summary == summary)
        }
    }

    @Test func takesTheLargestPicture() throws {
        #expect(try stream("\"resolution\":[32768,32768]")?.size == PixelSize(32768, 32768))
        #expect(throws: Problem.self) { try stream("\"resolution\":[32769,1]") }
    }

    @Test(.enabled(if: SharedData.isThere))
    func randomDamageNeverCrashes() throws {
        let bytes = try SharedData.bytes("office/office.json")
        var random = SplitMix(seed: 2)
        var survivors = 0
        for _ in 0..<3000 {
            var damaged = bytes
            for _ in 0...Int.random(in: 0..<3, using: &random) {
                damaged[Int.random(in: 0..<damaged.count, using: &random)] = UInt8.random(
                    in: 0x20...0x7E, using: &random)
            }
            do throws(Problem) {
                _ = try ScanMetadata(damaged, file: "a.json").output(frameCount: 1, fileCount: 1)
                survivors += 1
            } catch { #expect(error.fault == .input) }
        }
        #expect(survivors > 100)
    }
}
