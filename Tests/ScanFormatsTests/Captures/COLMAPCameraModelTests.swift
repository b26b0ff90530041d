import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

/// Every camera model of COLMAP, as text and as binary: a wrong place in the order of the models or of their parameters
/// is a wrong lens.
@Suite struct COLMAPCameraModelTests {
    /// A model with its number in binary files, as COLMAP's sensor/models.h has it.
    struct Model: Sendable {
        var number: Int32
        var name: String
        var parameters: [Double]
        var lens: LensDistortion

        init(_ number: Int32, _ name: String, _ parameters: [Double], _ lens: LensDistortion = LensDistortion()) {
            self.number = number
            self.name = name
            self.parameters = parameters
            self.lens = lens
        }
    }

    /// All with a focal length of 9 and the principal point (4, 3).
    static let models: [Model] = [
        Model(0, "SIMPLE_PINHOLE", [9, 4, 3]),
        Model(1, "PINHOLE", [9, 9, 4, 3]),
        Model(2, "SIMPLE_RADIAL", [9, 4, 3, 0.1], LensDistortion(radial: [0.1, 0, 0, 0])),
        Model(3, "RADIAL", [9, 4, 3, 0.1, 0.2], LensDistortion(radial: [0.1, 0.2, 0, 0])),
        Model(
            4, "OPENCV", [9, 9, 4, 3, 0.1, 0.2, 0.003, 0.004],
            LensDistortion(radial: [0.1, 0.2, 0, 0], tangential: [0.003, 0.004])),
        Model(
            5, "OPENCV_FISHEYE", [9, 9, 4, 3, 0.1, 0.2, 0.03, 0.04],
            LensDistortion(.fisheye, radial: [0.1, 0.2, 0.03, 0.04])),
        Model(
            6, "FULL_OPENCV", [9, 9, 4, 3, 0.1, 0.2, 0.003, 0.004, 0.05, 0.06, 0.07, 0.08],
            LensDistortion(radial: [0.1, 0.2, 0.05, 0], divisor: [0.06, 0.07, 0.08], tangential: [0.003, 0.004])),
        Model(7, "FOV", [9, 9, 4, 3, 0.5], LensDistortion(.fieldOfView(0.5))),
        Model(8, "SIMPLE_RADIAL_FISHEYE", [9, 4, 3, 0.1], LensDistortion(.fisheye, radial: [0.1, 0, 0, 0])),
        Model(9, "RADIAL_FISHEYE", [9, 4, 3, 0.1, 0.2], LensDistortion(.fisheye, radial: [0.1, 0.2, 0, 0])),
        Model(
            10, "THIN_PRISM_FISHEYE", [9, 9, 4, 3, 0.1, 0.2, 0.003, 0.004, 0.05, 0.06, 0.007, 0.008],
            LensDistortion(
                .fisheye, radial: [0.1, 0.2, 0.05, 0.06], tangential: [0.003, 0.004], prism: [0.007, 0, 0.008, 0])),
        Model(
            11, "RAD_TAN_THIN_PRISM_FISHEYE",
            [9, 9, 4, 3, 0.1, 0.2, 0.03, 0.04, 0.05, 0.06, 0.007, 0.008, 0.009, 0.001, 0.002, 0.003],
            LensDistortion(
                .fisheye, radial: [0.1, 0.2, 0.03, 0.04], higherRadial: [0.05, 0.06], tangential: [0.008, 0.007],
                prism: [0.009, 0.001, 0.002, 0.003], isRadialFirst: true)),
        Model(12, "SIMPLE_DIVISION", [9, 4, 3, -0.1], LensDistortion(.division(-0.1))),
        Model(13, "DIVISION", [9, 9, 4, 3, -0.1], LensDistortion(.division(-0.1))),
        Model(14, "SIMPLE_FISHEYE", [9, 4, 3], LensDistortion(.fisheye)),
        Model(15, "FISHEYE", [9, 9, 4, 3], LensDistortion(.fisheye)),
        Model(16, "EUCM", [9, 9, 4, 3, 0.5, 1.1], LensDistortion(.unified(alpha: 0.5, beta: 1.1))),
    ]

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let pixels = [UInt8](repeating: 9, count: 8 * 6 * 3)
        try folder.write(try PNG.encodeRGB(RGBImage(width: 8, height: 6, pixels: pixels)), to: "m/images/a.png")
    }

    private func open() throws -> Capture {
        let tree = try CaptureFormats.tree(at: "\(folder.path)/m")
        #expect(CaptureFormats.recognise(tree)?.format == "colmap")
        return try COLMAPCapture.open(tree, rules: ReadRules())
    }

    private func refusal() throws -> Problem? {
        let tree = try CaptureFormats.tree(at: "\(folder.path)/m")
        return problem { () throws(Problem) in _ = try COLMAPCapture.open(tree, rules: ReadRules()) }
    }

    /// A model with one camera, number 4, and one image.
    private func writeText(_ name: String, _ parameters: [Double]) throws {
        let numbers = parameters.map { "\($0)" }.joined(separator: " ")
        try folder.write("4 \(name) 8 6 \(numbers)\n", to: "m/cameras.txt")
        try folder.write("1 1 0 0 0 0 0 0 4 a.png\n\n", to: "m/images.txt")
    }

    /// The same, field by field as COLMAP's doc/format.rst has them.
    private func writeBinary(_ number: Int32, _ parameters: [Double]) throws {
        var cameras = ByteText()
        cameras.add(UInt64(1))
        cameras.add(UInt32(4))
        cameras.add(number)
        cameras.add(UInt64(8))
        cameras.add(UInt64(6))
        cameras.add(parameters)
        try folder.write(cameras.bytes, to: "m/cameras.bin")
        var images = ByteText()
        images.add(UInt64(1))
        images.add(UInt32(1))
        images.add([1, 0, 0, 0, 0, 0, 0] as [Double])
        images.add(UInt32(4))
        images.bytes += Array("a.png\0".utf8)
        images.add(UInt64(0))
        try folder.write(images.bytes, to: "m/images.bin")
    }

    /// What a pinhole would see is not what a wider lens sees.
    @Test(arguments: [("OPENCV", true), ("OPENCV_FISHEYE", false)])
    func onlyOfPinholesTheFieldOfViewIsTold(_ name: String, _ isTold: Bool) throws {
        try writeText(name, [9, 9, 4, 3, 0.1, 0, 0, 0])
        let intrinsics = try #require(try CaptureInspection.inspect("\(folder.path)/m").intrinsics)
        #expect((intrinsics.fieldOfView != nil) == isTold)
    }

    private func check(_ capture: Capture, _ model: Model) {
        let camera = CameraIntrinsics(fx: 9, fy: 9, cx: 4, cy: 3, width: 8, height: 6, pixelOrigin: .corner)
        if model.lens.isStraight {
            #expect(capture.frames.map(\.intrinsics) == [camera], "\(model.name)")
            #expect(capture.undistortions.isEmpty && capture.channels.contains(.intrinsics))
            return
        }
        #expect(capture.undistortions[0]?.recorded == CalibratedCamera(camera, model.lens), "\(model.name)")
        #expect(capture.channels.contains(.lens) && !capture.channels.contains(.intrinsics))
        #expect(capture.remedies[.intrinsics]?.contains("undistort") == true)
    }

    @Test(arguments: models) func asText(_ model: Model) throws {
        try writeText(model.name, model.parameters)
        let capture = try open()
        #expect(capture.variant == "text")
        check(capture, model)
    }

    @Test(arguments: models) func asBinary(_ model: Model) throws {
        try writeBinary(model.number, model.parameters)
        let capture = try open()
        #expect(capture.variant == "binary")
        check(capture, model)
    }

    /// A panorama's is known, and nothing undoes it; what comes behind it is not known.
    @Test func numbersOfOtherModels() throws {
        try writeBinary(17, [8, 6])
        #expect(
            try refusal()?.summary == "no pinhole picture shows what a camera of the model EQUIRECTANGULAR sees")
        for number: Int32 in [18, -1, .max] {
            try writeBinary(number, [9, 9, 4, 3])
            let problem = try refusal()
            #expect(problem?.summary == "camera 4 has a model that is not known (\(number))")
            #expect(problem?.fault == .input && problem?.place.file == "cameras.bin")
        }
    }
}
