import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct COLMAPModelTests {
    private let camera = CameraIntrinsics(
        fx: 500.5, fy: 501, cx: 320, cy: 240.25, width: 640, height: 480, pixelOrigin: .corner)

    private func text(_ write: (any ByteSink) throws -> Void) throws -> String {
        let sink = MemorySink()
        try write(sink)
        return String(decoding: sink.bytes, as: UTF8.self)
    }

    private func bytes(_ write: (any ByteSink) throws -> Void) throws -> [UInt8] {
        let sink = MemorySink()
        try write(sink)
        return sink.bytes
    }

    @Test func anIdentityPoseLooksAlongItsOwnAxes() {
        // ARKit's camera looks down −Z with +Y up; COLMAP's looks down +Z with +Y down: half a turn about x.
        let (q, t) = COLMAPModel.cameraFromWorld(Pose(rotation: .identity, position: Vector3(1, 2, 3)))
        #expect(q == Quaternion(w: 0, x: 1, y: 0, z: 0))
        // A point 2 m ahead of that camera, (1, 2, 1), is at z = 2; the camera's centre at 0.
        #expect(t == Vector3(-1, 2, 3))
        #expect(q.matrix * Vector3(1, 2, 1) + t == Vector3(0, 0, 2))
    }

    @Test func pointsAreSeenWhereTheCameraSeesThem() {
        var dice = SplitMix(seed: 50)
        for _ in 0..<300 {
            let pose = Pose(
                rotation: Quaternion(
                    w: Double.random(in: -1...1, using: &dice), x: Double.random(in: -1...1, using: &dice),
                    y: Double.random(in: -1...1, using: &dice), z: Double.random(in: -1...1, using: &dice)
                ).matrix, position: Vector3(Double.random(in: -9...9, using: &dice), 2, -5))
            let (q, t) = COLMAPModel.cameraFromWorld(pose)
            #expect(q.w >= 0)
            #expect(abs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1) < 1e-12)
            // The centre is −Rᵀt.
            #expect((-(q.matrix.transposed * t) - pose.position).length < 1e-12)
            // Right, down and forward of the camera.
            let inCamera = Vector3(0.3, -0.2, -1.5)
            let seen = q.matrix * pose.apply(inCamera) + t
            #expect((seen - Vector3(0.3, 0.2, 1.5)).length < 1e-12)
        }
    }

    @Test func theCentreStaysExactWhateverTheRecordedMatrix() {
        // Off by as much as is still taken for a rotation.
        let pose = Pose(
            rotation: Matrix3(columns: Vector3(1.004, 0.002, 0), Vector3(0, 0.997, 0.003), Vector3(0.001, 0, 1.001)),
            position: Vector3(123.456, -78.9, 1e4))
        #expect(pose.defect == nil)
        let (q, t) = COLMAPModel.cameraFromWorld(pose)
        #expect((-(q.matrix.transposed * t) - pose.position).length < 1e-12 * 1e4)
    }

    @Test func theTextForm() throws {
        var model = COLMAPModel()
        model.add("000000.jpg", pose: Pose(rotation: .identity, position: Vector3(1, 2, 3)), intrinsics: camera)
        model.add("000007.jpg", pose: .identity, intrinsics: camera)
        #expect(
            try text(model.writeCameras(text:)) == """
                # Camera list with one line of data per camera:
                #   CAMERA_ID, MODEL, WIDTH, HEIGHT, PARAMS[]
                1 PINHOLE 640 480 500.5 501.0 320.0 240.25

                """)
        #expect(
            try text(model.writeImages(text:)) == """
                # Image list with two lines of data per image:
                #   IMAGE_ID, QW, QX, QY, QZ, TX, TY, TZ, CAMERA_ID, NAME
                #   POINTS2D[] as (X, Y, POINT3D_ID)
                1 0.0 1.0 0.0 0.0 -1.0 2.0 3.0 1 000000.jpg

                2 0.0 1.0 0.0 0.0 -0.0 -0.0 -0.0 1 000007.jpg


                """)
    }

    @Test func theBinaryForm() throws {
        var model = COLMAPModel()
        model.add("a.jpg", pose: Pose(rotation: .identity, position: Vector3(1, 2, 3)), intrinsics: camera)
        func double(_ value: Double) -> [UInt8] { withUnsafeBytes(of: value.bitPattern.littleEndian, Array.init) }
        let cameras: [UInt8] =
            [1, 0, 0, 0, 0, 0, 0, 0] + [1, 0, 0, 0] + [1, 0, 0, 0] + [0x80, 2, 0, 0, 0, 0, 0, 0] + [
                0xE0, 1, 0, 0, 0, 0, 0, 0,
            ]
            + double(500.5) + double(501) + double(320) + double(240.25)
        #expect(try bytes(model.writeCameras(binary:)) == cameras)
        let images: [UInt8] =
            [1, 0, 0, 0, 0, 0, 0, 0] + [1, 0, 0, 0] + [0.0, 1, 0, 0, -1, 2, 3].flatMap(double) + [1, 0, 0, 0]
            + Array("a.jpg\0".utf8) + [0, 0, 0, 0, 0, 0, 0, 0]
        #expect(try bytes(model.writeImages(binary:)) == images)
    }

    @Test func camerasAreSharedByWhatTheyAre() {
        var model = COLMAPModel()
        var other = camera
        other.fx = 500.50000001
        for (name, k) in [("a", camera), ("b", camera.counted(from: .centre)), ("c", other), ("d", camera)] {
            model.add(name, pose: .identity, intrinsics: k)
        }
        #expect(model.cameras == [camera, other])
        #expect(model.images.map(\.camera) == [1, 1, 2, 1])
        #expect(model.images.map(\.id) == [1, 2, 3, 4])
        // Counted from the pixel's centre, the principal point moves by half a pixel.
        var centred = COLMAPModel()
        centred.add(
            "a", pose: .identity,
            intrinsics: CameraIntrinsics(fx: 1, fy: 1, cx: 3.5, cy: 2.5, width: 8, height: 6, pixelOrigin: .centre))
        #expect(centred.cameras.first?.cx == 4 && centred.cameras.first?.cy == 3)
    }

    @Test func pointsComeInPartsAndAreCountedAtTheEnd() throws {
        let (textSink, binarySink) = (MemorySink(), MemorySink())
        let writer = try COLMAPPointWriter(text: textSink, binary: binarySink)
        try writer.add(PointCloud(positions: [1, -0.5, 0.1], colors: [1, 2, 255]))
        try writer.add(PointCloud())
        try writer.add(PointCloud(positions: [4, 5, 6]))
        #expect(writer.count == 2)
        #expect(
            String(decoding: textSink.bytes, as: UTF8.self) == """
                # 3D point list with one line of data per point:
                #   POINT3D_ID, X, Y, Z, R, G, B, ERROR, TRACK[]
                1 1.0 -0.5 0.1 1 2 255 0
                2 4.0 5.0 6.0 128 128 128 0

                """)
        #expect(writer.countBytes == [2, 0, 0, 0, 0, 0, 0, 0])
        // The count is put there at the end; a point has 8 + 24 + 3 + 8 + 8 bytes.
        #expect(binarySink.bytes.prefix(8).allSatisfy { $0 == 0 })
        #expect(binarySink.bytes.count == 8 + 2 * 51)
        #expect(Array(binarySink.bytes[8..<16]) == [1, 0, 0, 0, 0, 0, 0, 0])
        #expect(Array(binarySink.bytes[40..<43]) == [1, 2, 255])
    }

    @Test func aCameraOfNoKnownModel() throws {
        let text = "# Cameras\n3 PINHOLE_OF_OURS 100 80 90.5 90.5 50 40.25\n"
        let failure = problem {
            _ = try COLMAPModelReader.cameras(text: MemorySource(Array(text.utf8), name: "cameras.txt"))
        }
        #expect(failure?.summary == "the camera model PINHOLE_OF_OURS is not known" && failure?.place.line == 2)
    }

    /// A number that lost its digits is another number.
    @Test func aCameraThatWasCutOff() throws {
        let lines = (1...12).map { "\($0) PINHOLE 100 80 90.5 90.5 50.\($0)5 40.25\n" }.joined()
        func read(_ text: String) throws -> [UInt32: COLMAPModelReader.Camera] {
            try COLMAPModelReader.cameras(text: MemorySource(Array(text.utf8), name: "cameras.txt"))
        }
        #expect(try read(lines).count == 12)
        #expect(try read(String(lines.dropLast())).count == 12)
        let cut = try #require(throws: Problem.self) { try read(String(lines.dropLast(5))) }
        #expect(cut.summary.contains("its number “4” fewer digits than the others") && cut.place.line == 12)
        // Of a few lines, or beside other whole numbers, nothing tells.
        #expect(try read("1 PINHOLE 100 80 90.5 90.5 50 40.25\n2 PINHOLE 100 80 90.5 90.5 50 40").count == 2)
        #expect(try read(lines + "13 PINHOLE 100 80 90.5 90.5 50 41\n14 PINHOLE 100 80 90.5 90.5 50 4").count == 14)
    }
}
