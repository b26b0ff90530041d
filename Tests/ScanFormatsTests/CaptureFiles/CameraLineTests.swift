import ScanFormats
import ScanModel
import TestSupport
import Testing

/// A good line with some of its parts exchanged.
func cameraLine(
    timestamp: String = "280670466266040", intrinsics: String = "[585.0,0,0,0,586.0,0,320.5,240.25,1]",
    transform: String = "[1,0,0,0,0,1,0,0,0,0,1,0,0.5,-1.5,2.5,1]", more: String = ""
) -> String {
    "{\"timestamp\":\(timestamp),\"intrinsics\":\(intrinsics),\"transform\":\(transform)\(more)}"
}

func parseCameraLine(_ text: String) throws(Problem) -> CameraLine {
    try Array(text.utf8).withUnsafeBufferPointer { (bytes) throws(Problem) in
        try CameraLine(bytes, file: "a.jsonl", line: 12, byte: 7000)
    }
}

@Suite struct CameraLineTests {
    @Test func readsItsParts() throws {
        let line = try parseCameraLine(cameraLine(more: ",\"exposure_duration\":16666666,\"source_frame\":17"))
        #expect(line.timestamp == 280_670_466_266_040)
        #expect([line.fx, line.fy, line.cx, line.cy] == [585, 586, 320.5, 240.25])
        #expect(line.pose == Pose(rotation: .identity, position: Vector3(0.5, -1.5, 2.5)))
        #expect(line.exposure == 16_666_666)
        #expect(line.sourceFrame == 17)
        #expect(line.defect == nil)
        let camera = line.intrinsics(width: 640, height: 480)
        #expect(camera.width == 640 && camera.height == 480 && camera.pixelOrigin == .centre)
    }

    @Test func readsColumnsAndDividesByTheLastElement() throws {
        let line = try parseCameraLine(cameraLine(transform: "[0,2,0,0,-2,0,0,0,0,0,2,0,2,4,6,2]"))
        #expect(line.pose.rotation.columns == (Vector3(0, 1, 0), Vector3(-1, 0, 0), Vector3(0, 0, 1)))
        #expect(line.pose.position == Vector3(1, 2, 3))
        #expect(line.defect == nil)
    }

    @Test func takesAndroidsLines() throws {
        let more = """
            ,"euler_angles":"null","transformMatrices_from_androidSensorPose":[1,2],"rotationQuaternion":[0,0,0,1],\
            "exposure_duration":0,"unknown":{"a":[{"b":null}]}
            """
        let line = try parseCameraLine(cameraLine(more: more))
        #expect(line.exposure == 0)
        #expect(line.defect == nil)
    }

    @Test func neverUsesTheQuaternion() throws {
        let with = try parseCameraLine(cameraLine(more: ",\"quaternion\":[0.1,0.2,0.3,0.4]"))
        let without = try parseCameraLine(cameraLine())
        #expect(with.pose == without.pose)
        #expect(try parseCameraLine(cameraLine(more: ",\"quaternion\":\"none\"")).pose == without.pose)
    }

    @Test func takesWholeTimestampsInAnyForm() throws {
        for text in ["280670466266040.0", "2.8067046626604e14", "\"280670466266040\""] {
            #expect(try parseCameraLine(cameraLine(timestamp: text)).timestamp == 280_670_466_266_040)
        }
        for (text, found) in [
            ("280670.466266", "280670.466266"), ("\"280670.4\"", "\"280670.4\""), ("\"\"", "\"\""), ("-1", "-1"),
            ("1e30", "1e30"), ("null", "null"), ("[1]", "a list"), ("\"nul\"", "\"nul\""),
        ] {
            let problem = #expect(throws: Problem.self) { try parseCameraLine(cameraLine(timestamp: text)) }
            #expect(problem?.summary == "a timestamp is a whole number of nanoseconds, not \(found)")
            #expect(problem?.place.column == 14)
        }
    }

    @Test func forgivesWhatNoResultDependsOn() throws {
        for text in ["\"null\"", "null", "1.5", "-3", "[1]", "{}"] {
            let line = try parseCameraLine(cameraLine(more: ",\"exposure_duration\":\(text),\"source_frame\":\(text)"))
            #expect(line.exposure == nil)
            #expect(line.sourceFrame == nil)
        }
    }

    @Test func namesWhatIsWrong() throws {
        let table: [(String, String, Int)] = [
            ("{}", "the camera line has no “timestamp”", 2),
            ("{\"timestamp\":1}", "the camera line has no “intrinsics”", 15),
            ("{\"timestamp\":1,\"intrinsics\":[1,0,0,0,1,0,0,0,1]}", "the camera line has no “transform”", 48),
            ("{\"timestamp\":1,\"timestamp\":2}", "“timestamp” is there twice in one camera line", 28),
            ("{\"intrinsics\":[1,2,3]}", "“intrinsics” has 3 numbers, not 9", 15),
            ("{\"transform\": [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]}", "“transform” has 17 numbers, not 16", 15),
            ("{\"transform\":[[1,0,0,0]]}", "expected a number, found a list", 15),
            ("{\"transform\":[1,null]}", "expected a number, found null", 17),
            ("{\"transform\":\"null\"}", "expected a list, found text", 14),
            (
                "{\"transform\":[1,NaN]}",
                "invalid JSON: NaN is not a number in JSON (Python's json writes it unless told allow_nan=False)", 17
            ),
            ("[]", "expected an object, found a list", 1),
            ("{\"timestamp\":1", "invalid JSON: the text ends where “,” or “}” is expected", 15),
            (cameraLine() + "x", "invalid JSON: expected the end of the text, found “x”", cameraLine().utf8.count + 1),
        ]
        for (text, summary, column) in table {
            let problem = #expect(throws: Problem.self) { try parseCameraLine(text) }
            #expect(problem?.summary == summary, "\(text)")
            #expect(problem?.place.column == column, "\(text)")
            #expect(problem?.place.line == 12)
            #expect(problem?.place.byte == 6999 + Int64(column))
            #expect(problem?.place.file == "a.jsonl")
            #expect(problem?.fault == .input)
        }
    }

    @Test func reportsImpossibleCamerasAsData() throws {
        let layout = "the intrinsics are not fx 0 0, 0 fy 0, cx cy 1 (column by column)"
        let table: [(String, String)] = [
            (cameraLine(intrinsics: "[585,0,320,0,585,240,0,0,1]"), layout),
            (cameraLine(intrinsics: "[585,0,0,2,585,0,320,240,1]"), layout),
            (cameraLine(intrinsics: "[0,0,0,0,0,0,0,0,0]"), layout),
            (cameraLine(intrinsics: "[0,0,0,0,585,0,320,240,1]"), "the focal length is 0.0 × 585.0"),
            (cameraLine(intrinsics: "[585,0,0,0,-585,0,320,240,1]"), "the focal length is 585.0 × -585.0"),
            (
                cameraLine(transform: "[1,0,0,0.5,0,1,0,-1.5,0,0,1,2.5,0,0,0,1]"),
                "the last row of the transform is not 0 0 0 1 (it is read column by column)"
            ),
            (cameraLine(transform: "[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,0]"), "the pose is not finite"),
            (cameraLine(transform: "[1e308,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1e-308]"), "the pose is not finite"),
            (
                cameraLine(transform: "[1,0,0,0,0,1,0,0,0,0,-1,0,0,0,0,1]"),
                "the pose is mirrored: its axes are left-handed"
            ),
            (cameraLine(transform: "[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1]"), "the pose is singular (determinant 0.0)"),
            (
                cameraLine(transform: "[1,0,0,0,0,1,0,0,0,0,1,0,1e9,0,0,1]"),
                "the camera is more than 10,000 km from the origin"
            ),
        ]
        for (text, defect) in table { #expect(try parseCameraLine(text).defect == defect, "\(text)") }
    }
}
