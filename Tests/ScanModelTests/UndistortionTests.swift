import ScanModel
import TestSupport
import Testing

@Suite struct UndistortionTests {
    private static let camera = CameraIntrinsics(
        fx: 200, fy: 202, cx: 121, cy: 88, width: 240, height: 180, pixelOrigin: .corner)

    /// Barrels, a pincushion, a skew one, a divided one, a fisheye.
    static let lenses = [
        LensDistortion(radial: [-0.2, 0.04, 0, 0]), LensDistortion(radial: [0.12, 0, 0, 0]),
        LensDistortion(radial: [-0.1, 0, 0, 0], tangential: [0.01, -0.008]),
        LensDistortion(radial: [0.3, 0.05, 0, 0], divisor: [0.5, 0.1, 0]),
        LensDistortion(.fisheye, radial: [0.03, 0, 0, 0]),
    ]

    /// Red is a pixel's column and green its row.
    private static let places = RGBImage(
        width: 240, height: 180,
        pixels: (0..<180).flatMap { y in (0..<240).flatMap { x in [UInt8(x), UInt8(y), 77] } })

    /// Where a pixel of the new picture was recorded, from the centre of the top-left pixel.
    private static func source(of column: Int, _ row: Int, _ undistortion: Undistortion) -> (x: Double, y: Double) {
        let (new, old) = (undistortion.camera, undistortion.recorded.intrinsics)
        let seen = undistortion.recorded.lens.distorted(
            (Double(column) + 0.5 - new.cx) / new.fx, (Double(row) + 0.5 - new.cy) / new.fy)
        return (old.fx * seen.x + old.cx - 0.5, old.fy * seen.y + old.cy - 0.5)
    }

    @Test(arguments: lenses) func eachPixelComesFromWhereItWasSeen(_ lens: LensDistortion) throws {
        let undistortion = try Undistortion(CalibratedCamera(Self.camera, lens))
        let picture = undistortion.picture(Self.places)
        let columns = undistortion.luma(
            LumaImage(width: 240, height: 180, pixels: (0..<180).flatMap { _ in (0..<240).map { UInt8($0) } }))
        for row in 0..<180 {
            for column in 0..<240 {
                let (x, y) = Self.source(of: column, row, undistortion)
                let color = picture[column, row]
                #expect(abs(Double(color.red) - min(max(x, 0), 239)) < 0.51)
                #expect(abs(Double(color.green) - min(max(y, 0), 179)) < 0.51)
                #expect(color.blue == 77)
                #expect(columns.pixels[row * 240 + column] == color.red)
            }
        }
    }

    /// Nothing is blank, and with a little more of the view something would be.
    @Test(arguments: lenses) func theViewIsTheLargestWithoutBlanks(_ lens: LensDistortion) throws {
        let undistortion = try Undistortion(CalibratedCamera(Self.camera, lens))
        let border = (0..<240).flatMap { [($0, 0), ($0, 179)] } + (0..<180).flatMap { [(0, $0), (239, $0)] }
        var nearest = Double.infinity
        for (column, row) in border {
            let (x, y) = Self.source(of: column, row, undistortion)
            let room = min(x + 0.5, y + 0.5, 239.5 - x, 179.5 - y)
            #expect(room > -0.05)
            nearest = min(nearest, room)
        }
        #expect(nearest < 0.05)
        #expect(undistortion.camera.size == PixelSize(240, 180))
        #expect(undistortion.camera.cx == 121 && undistortion.camera.cy == 88)
        #expect(abs(undistortion.camera.fy / undistortion.camera.fx - 202.0 / 200) < 1e-12)
        #expect(undistortion.scale == undistortion.camera.fx / 200)
    }

    @Test func aStraightLensChangesNothing() throws {
        let undistortion = try Undistortion(CalibratedCamera(Self.camera))
        #expect(undistortion.scale == 1 && undistortion.camera == Self.camera)
        #expect(undistortion.picture(Self.places) == Self.places)
    }

    /// Whether principal points count from a pixel's corner or its centre is how they are written, and nothing else.
    @Test func theOriginOfPixelsDoesNotMatter() throws {
        let lens = Self.lenses[0]
        let a = try Undistortion(CalibratedCamera(Self.camera, lens))
        let b = try Undistortion(CalibratedCamera(Self.camera.counted(from: .centre), lens))
        #expect(b.camera.pixelOrigin == .centre)
        #expect(abs(a.scale - b.scale) < 1e-8)
        #expect(a.picture(Self.places) == b.picture(Self.places))
    }

    /// Values of depth, confidence and masks are those that were recorded, at the place where the picture's pixels are.
    @Test(arguments: lenses) func whatHasNothingInBetweenIsTheNearest(_ lens: LensDistortion) throws {
        let undistortion = try Undistortion(CalibratedCamera(Self.camera, lens))
        // A third of the picture's size: pixel (i, j) lies where the picture's (3i + 1, 3j + 1) does.
        let values = (0..<60).flatMap { y in (0..<80).map { x in UInt16(x + 100 * y) } }
        let depth = undistortion.depth(
            RecordedDepth(
                width: 80, height: 60, encoding: .uint16(unitsPerMetre: 1000),
                bytes: values.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }))
        let bytes = values.map { UInt8($0 % 251) }
        let mask = undistortion.mask(LumaImage(width: 80, height: 60, pixels: bytes))
        let confidence = undistortion.confidence(
            ConfidenceMap(width: 80, height: 60, values: bytes, range: 0...255))
        #expect(confidence.values == mask.pixels && depth.size == PixelSize(80, 60))
        for row in 0..<60 {
            for column in 0..<80 {
                let at = row * 80 + column
                let value = Int(depth.bytes[2 * at]) | Int(depth.bytes[2 * at + 1]) << 8
                let (x, y) = Self.source(of: 3 * column + 1, 3 * row + 1, undistortion)
                #expect(abs(Double(value % 100) - min(max((x - 1) / 3, 0), 79)) < 0.509)
                #expect(abs(Double(value / 100) - min(max((y - 1) / 3, 0), 59)) < 0.509)
                #expect(Int(mask.pixels[at]) == value % 251)
            }
        }
    }

    /// What a fisheye sees far from its axis would take all pixels for itself.
    @Test func aFisheyesMiddleKeepsHalfOfItsResolution() throws {
        let wide = CameraIntrinsics(fx: 72, fy: 72, cx: 120, cy: 90, width: 240, height: 180, pixelOrigin: .corner)
        let undistortion = try Undistortion(CalibratedCamera(wide, LensDistortion(.fisheye)))
        #expect(undistortion.scale == 0.5)
    }

    @Test(arguments: [
        LensDistortion(radial: [-90, 0, 0, 0]), LensDistortion(radial: [1e300, 0, 0, 0]),
        LensDistortion(divisor: [-100, 0, 0]), LensDistortion(tangential: [50, 0]),
    ])
    func whatFoldsThePictureIsRefused(_ lens: LensDistortion) {
        do throws(Problem) {
            _ = try Undistortion(CalibratedCamera(Self.camera, lens))
            Issue.record("it was undone")
        } catch {
            #expect(error.summary == "the lens cannot be undone (\(lens))")
            #expect(error.fix == "calibrate the camera again")
        }
    }
}
