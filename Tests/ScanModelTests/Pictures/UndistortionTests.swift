import ScanModel
import TestSupport
import Testing

@Suite struct UndistortionTests {
    private static let camera = CameraIntrinsics(
        fx: 200, fy: 202, cx: 121, cy: 88, width: 240, height: 180, pixelOrigin: .corner)

    /// Barrels, a pincushion, a skew one, a divided one, fisheyes, a skew one and one with prisms among them, and the other
    /// projections.
    static let lenses = [
        LensDistortion(radial: [-0.2, 0.04, 0, 0]), LensDistortion(radial: [0.12, 0, 0, 0]),
        LensDistortion(radial: [-0.1, 0, 0, 0], tangential: [0.01, -0.008]),
        LensDistortion(radial: [0.3, 0.05, 0, 0], divisor: [0.5, 0.1, 0]),
        LensDistortion(.fisheye, radial: [0.03, 0, 0, 0]),
        LensDistortion(.fisheye, radial: [0.03, -0.01, 0, 0], tangential: [0.02, -0.01], prism: [0.01, 0, -0.02, 0]),
        LensDistortion(
            .fisheye, radial: [0.03, 0, 0, 0], higherRadial: [-0.002, 0.001], tangential: [0.01, -0.02],
            prism: [0.01, -0.02, 0.015, 0.01], isRadialFirst: true),
        LensDistortion(.fieldOfView(0.9)), LensDistortion(.division(-0.15)), LensDistortion(.division(0.1)),
        LensDistortion(.unified(alpha: 0.6, beta: 1.1)),
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
        let undistortion = try Undistortion(of: CalibratedCamera(Self.camera, lens))
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

    /// Another principal point and focal length for a pinhole, as where all pictures are to have the same camera.
    @Test func aPinholeGetsAnotherCamera() throws {
        var camera = Self.camera
        (camera.cx, camera.cy) = (120, 90)
        let recorded = CalibratedCamera(Self.camera)
        let scale = try Undistortion.leastScale(of: camera, seenBy: recorded)
        camera.fx *= scale
        camera.fy *= scale
        let undistortion = Undistortion(recorded, to: camera)
        #expect(!undistortion.changesNothing && Undistortion(straight: Self.camera).changesNothing)
        let picture = undistortion.picture(Self.places)
        var farthest = -1.0
        for row in 0..<180 {
            for column in 0..<240 {
                let (x, y) = Self.source(of: column, row, undistortion)
                let color = picture[column, row]
                #expect(abs(Double(color.red) - min(max(x, 0), 239)) < 0.51)
                #expect(abs(Double(color.green) - min(max(y, 0), 179)) < 0.51)
                farthest = max(farthest, -0.5 - x, x - 239.5, -0.5 - y, y - 179.5)
            }
        }
        // All was recorded, and with a picture any larger it would not have been.
        #expect(abs(farthest) < 1e-6)
    }

    /// As of a phone's telephoto beside its main camera: no fault of either.
    @Test func aPinholeGetsAMuchLongerFocalLength() throws {
        var camera = Self.camera
        (camera.fx, camera.fy) = (camera.fx / 6, camera.fy / 6)
        let scale = try Undistortion.leastScale(of: camera, seenBy: CalibratedCamera(Self.camera))
        // Between the centres of the pixels at the border and the border itself, half a pixel is left.
        #expect(scale > 5.9 && scale <= 6)
    }

    /// The search ends however large its numbers are, as with a damaged focal length beside a sound one.
    @Test func aPinholeGetsAnAbsurdFocalLength() throws {
        var (camera, recorded) = (Self.camera, Self.camera)
        (camera.fx, camera.fy) = (camera.fx / 4, camera.fy / 4)
        (recorded.fx, recorded.fy) = (recorded.fx * 4e6, recorded.fy * 4e6)
        let scale = try Undistortion.leastScale(of: camera, seenBy: CalibratedCamera(recorded))
        #expect(scale > 0.98 * 16e6 && scale <= 16e6)
    }

    /// Of a picture that was cropped on one side, a camera that looks along its middle would see next to nothing.
    @Test func aPrincipalPointThatIsTooFarOff() {
        var recorded = Self.camera
        let target = CameraIntrinsics(
            fx: 200, fy: 202, cx: 120, cy: 90, width: 240, height: 180, pixelOrigin: .corner)
        let cases = [(10.0, "so far from the new one, 120, 90, that"), (-1.0, "lies outside of the picture")]
        for (cx, words) in cases {
            recorded.cx = cx
            let camera = CalibratedCamera(recorded)
            let problem = #expect(throws: Problem.self) {
                try Undistortion.leastScale(of: target, seenBy: camera)
            }
            #expect(problem?.summary.contains(words) == true)
            #expect(problem?.fix?.contains("pictures of another size") == true)
        }
    }

    /// Widths that are no multiple of four; pictures of another shape than the camera's, as maps are, and of one row or column.
    @Test(arguments: [1, 2, 3, 5, 23], [1, 2, 17]) func coloursLieBetweenNeighbours(_ width: Int, _ height: Int) throws
    {
        let undistortion = try Undistortion(of: CalibratedCamera(Self.camera, Self.lenses[2]))
        // So steep that the nearest pixel would be wrong.
        let steep = LumaImage(
            width: width, height: height,
            pixels: (0..<width * height).map { UInt8(7 * ($0 % width) + 5 * ($0 / width)) })
        let luma = undistortion.luma(steep)
        let picture = undistortion.picture(
            RGBImage(width: width, height: height, pixels: steep.pixels.flatMap { [$0, 0, $0] }))
        let (sx, sy) = (240 / Double(width), 180 / Double(height))
        let (new, old) = (undistortion.camera, Self.camera)
        for row in 0..<height {
            for column in 0..<width {
                let (u, v): (Double, Double) = ((Double(column) + 0.5) * sx, (Double(row) + 0.5) * sy)
                let seen = Self.lenses[2].distorted((u - new.cx) / new.fx, (v - new.cy) / new.fy)
                let x = min(max((old.fx * seen.x + old.cx) / sx - 0.5, 0), Double(width - 1))
                let y = min(max((old.fy * seen.y + old.cy) / sy - 0.5, 0), Double(height - 1))
                let value = luma.pixels[row * width + column]
                let expected: Double = 7 * x + 5 * y
                // Half a step of the colour, and what places in 64ths of a pixel leave.
                #expect(abs(Double(value) - expected) < 0.595)
                #expect(picture[column, row] == RGBColor(value, 0, value))
            }
        }
    }

    /// Nothing is blank, and with a little more of the view something would be.
    @Test(arguments: lenses) func theViewIsTheLargestWithoutBlanks(_ lens: LensDistortion) throws {
        let undistortion = try Undistortion(of: CalibratedCamera(Self.camera, lens))
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
    }

    /// Counted pixel by pixel.
    @Test(arguments: lenses) func howMuchIsLeft(_ lens: LensDistortion) throws {
        let undistortion = try Undistortion(of: CalibratedCamera(Self.camera, lens))
        var seen: Set<Int> = []
        // Finer than the recorded pixels, so that none of them is missed.
        for row in 0..<540 {
            for column in 0..<720 {
                let (new, old) = (undistortion.camera, Self.camera)
                let (u, v) = (Double(column) / 3 + 0.5, Double(row) / 3 + 0.5)
                if u > 239.5 || v > 179.5 { continue }
                let place = lens.distorted((u - new.cx) / new.fx, (v - new.cy) / new.fy)
                seen.insert(Int(old.fx * place.x + old.cx) + 1000 * Int(old.fy * place.y + old.cy))
            }
        }
        #expect(abs(undistortion.shareLeft - Double(seen.count) / (240 * 180)) < 0.02)
        #expect(undistortion.shareLeft > 0.75)
    }

    @Test func aStraightLensChangesNothing() throws {
        let undistortion = try Undistortion(of: CalibratedCamera(Self.camera))
        #expect(undistortion == Undistortion(straight: Self.camera))
        #expect(undistortion.scale == 1 && undistortion.camera == Self.camera)
        #expect(undistortion.picture(Self.places) == Self.places)
        // Pictures that were cut to size.
        var cut = Self.camera
        cut.cx = -20
        #expect(try Undistortion(of: CalibratedCamera(cut)).camera == cut)
    }

    /// A lens bends around its axis; where that is not in the picture, the fault is not the lens's.
    @Test func theAxisHasToMeetThePicture() {
        var cut = Self.camera
        cut.cx = -20
        do throws(Problem) {
            _ = try Undistortion(of: CalibratedCamera(cut, Self.lenses[0]))
            Issue.record("it was undone")
        } catch {
            #expect(error.summary.hasPrefix("the principal point -20, 88 lies outside of the picture"))
        }
    }

    /// Some fits fold near a picture's corners: there they are squeezed to nothing first. No two places of the new picture
    /// may be one place of the recorded one.
    @Test(arguments: [(-0.2, 900.0, 1920, 1080), (-0.3, 500.0, 1000, 1000)])
    func nothingIsSeenTwice(_ k1: Double, _ focal: Double, _ width: Int, _ height: Int) throws {
        let camera = CameraIntrinsics(
            fx: focal, fy: focal, cx: Double(width) / 2, cy: Double(height) / 2, width: width, height: height,
            pixelOrigin: .corner)
        let undistortion = try Undistortion(of: CalibratedCamera(camera, LensDistortion(radial: [k1, 0, 0, 0])))
        let new = undistortion.camera
        let corner = (new.cx / new.fx, new.cy / new.fy)
        var last = -1.0
        for step in 0...10_000 {
            let part = Double(step) / 10_000
            let seen = undistortion.recorded.lens.distorted(corner.0 * part, corner.1 * part)
            let distance = (seen.x * seen.x + seen.y * seen.y).squareRoot()
            #expect(distance > last)
            last = distance
        }
    }

    /// Whether principal points count from a pixel's corner or its centre is how they are written, and nothing else.
    @Test func theOriginOfPixelsDoesNotMatter() throws {
        let lens = Self.lenses[0]
        let a = try Undistortion(of: CalibratedCamera(Self.camera, lens))
        let b = try Undistortion(of: CalibratedCamera(Self.camera.counted(from: .centre), lens))
        #expect(b.camera.pixelOrigin == .centre)
        #expect(abs(a.scale - b.scale) < 1e-8)
        #expect(a.picture(Self.places) == b.picture(Self.places))
    }

    /// Values of confidence and masks are those that were recorded, at the place where the picture's pixels are, and so are
    /// those of depth whose neighbours are of another surface.
    @Test(arguments: lenses) func whatHasNothingInBetweenIsTheNearest(_ lens: LensDistortion) throws {
        let undistortion = try Undistortion(of: CalibratedCamera(Self.camera, lens))
        // A third of the picture's size: pixel (i, j) lies where the picture's (3i + 1, 3j + 1) does.
        // Each pixel is farther from its neighbours than one surface is deep.
        let values = (0..<4800).map { (at: Int) -> UInt16 in
            let (x, y) = (at % 80, at / 80)
            return UInt16(x + 100 * y) + 8000 * UInt16((x + y) % 2 + 1)
        }
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
                let whole = Int(depth.bytes[2 * at]) | Int(depth.bytes[2 * at + 1]) << 8
                let value = whole % 8000
                let (x, y) = Self.source(of: 3 * column + 1, 3 * row + 1, undistortion)
                #expect(abs(Double(value % 100) - min(max((x - 1) / 3, 0), 79)) < 0.509)
                #expect(abs(Double(value / 100) - min(max((y - 1) / 3, 0), 59)) < 0.509)
                #expect(Int(mask.pixels[at]) == whole % 251)
            }
        }
    }

    /// 1/z in the direction (x, y, 1), of a plane that is seen at a slant.
    private static func inverseOfPlane(_ x: Double, _ y: Double) -> Double { 0.5 + 0.12 * x - 0.07 * y }

    /// How far off the plane a map of 80 × 60 pixels is at most, as a share of the depth, within its border. Of that the
    /// camera may see what was not recorded.
    private static func worstOfPlane(
        _ undistortion: Undistortion, as encoding: DepthEncoding
    ) throws -> Double {
        let (old, new) = (undistortion.recorded.intrinsics, undistortion.camera)
        let lens = undistortion.recorded.lens
        let metres = (0..<4800).map { at in
            // A pixel is three of the picture's.
            let (u, v) = (3 * Double(at % 80) + 1.5, 3 * Double(at / 80) + 1.5)
            let (seenX, seenY) = ((u - old.cx) / old.fx, (v - old.cy) / old.fy)
            var (x, y) = (seenX, seenY)
            for _ in 0..<60 {
                let seen = lens.distorted(x, y)
                (x, y) = (x + 0.7 * (seenX - seen.x), y + 0.7 * (seenY - seen.y))
            }
            return 1 / inverseOfPlane(x, y)
        }
        let packed = metres.flatMap { metres -> [UInt8] in
            switch encoding {
            case .float16Metres: bytes(of: Float16(metres).bitPattern)
            case .float32Metres: bytes(of: Float(metres).bitPattern)
            case .uint16(let unitsPerMetre, _, _): bytes(of: UInt16(metres * unitsPerMetre + 0.5))
            }
        }
        let depth = undistortion.depth(RecordedDepth(width: 80, height: 60, encoding: encoding, bytes: packed))
        var worst = 0.0
        for row in 1..<59 {
            for column in 1..<79 {
                let at = 80 * row + column
                let found: Double
                if case .uint16(let unitsPerMetre, _, _) = depth.encoding {
                    found = Double(number(at, in: depth.bytes, as: UInt16.self)) / unitsPerMetre
                } else {
                    try #require(depth.encoding == DepthEncoding.float32Metres)
                    found = Double(Float(bitPattern: number(at, in: depth.bytes, as: UInt32.self)))
                }
                let (x, y) = ((3 * Double(column) + 1.5 - new.cx) / new.fx, (3 * Double(row) + 1.5 - new.cy) / new.fy)
                worst = max(worst, abs(found * inverseOfPlane(x, y) - 1))
            }
        }
        return worst
    }

    private static func bytes<Number: FixedWidthInteger>(of number: Number) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }

    private static func number<Number: FixedWidthInteger>(_ at: Int, in bytes: [UInt8], as: Number.Type) -> Number {
        let size = MemoryLayout<Number>.size
        return (0..<size).reduce(0) { $0 | Number(bytes[size * at + $1]) << Number(8 * $1) }
    }

    static let limits: [(DepthEncoding, Double)] = [
        (.float32Metres, 1e-4), (.float16Metres, 6e-4), (.uint16(unitsPerMetre: 1000), 7e-4),
        (.uint16(unitsPerMetre: 5000), 2e-4), (.uint16(unitsPerMetre: 1000, mask: 0x1FFF), 7e-4),
    ]

    /// With the nearest pixel's depth, planes would be rough by 0.35 %, half a pixel's slope. The limits are what places in
    /// 64ths of a pixel leave, and the recorded number's rounding; whole numbers are rounded twice.
    @Test(arguments: limits)
    func aPlaneStaysFlatWhereThePrincipalPointMoves(_ encoding: DepthEncoding, _ limit: Double) throws {
        var camera = Self.camera
        (camera.cx, camera.cy) = (120, 90)
        let scale = try Undistortion.leastScale(of: camera, seenBy: CalibratedCamera(Self.camera))
        camera.fx *= scale
        camera.fy *= scale
        let worst = try Self.worstOfPlane(Undistortion(CalibratedCamera(Self.camera), to: camera), as: encoding)
        #expect(worst < limit)
    }

    /// Through a lens 1/z is not quite linear from pixel to pixel.
    @Test(arguments: lenses) func aPlaneStaysFlat(_ lens: LensDistortion) throws {
        let undistortion = try Undistortion(of: CalibratedCamera(Self.camera, lens))
        #expect(try Self.worstOfPlane(undistortion, as: .float32Metres) < 2e-4)
    }

    /// What maps hold on the left, on the right, and strewn over both.
    static let edges: [(DepthEncoding, [UInt32])] = [
        (.float32Metres, [Float]([1, 2, 0, .nan, .infinity, -1, .leastNonzeroMagnitude, 1e30]).map(\.bitPattern)),
        // In half floats: 1, 2, 0, NaN, infinite, −1, the smallest number, another NaN.
        (.float16Metres, [0x3C00, 0x4000, 0, 0x7E00, 0x7C00, 0xBC00, 1, 0x7E01]),
        // Bits above the mask, also with no depth below them.
        (
            .uint16(unitsPerMetre: 1000, mask: 0x1FFF),
            [1000, 2000, 0, 0xE000, 1000 | 0x6000, 2000 | 0x2000, 1, 0x2000]
        ),
        (.uint16(unitsPerMetre: 1000, invalid: 65535), [1000, 2000, 0, 65535, 3000, 65534, 1, 4000]),
        // Between the first two lies what stands for no depth.
        (.uint16(unitsPerMetre: 1000, invalid: 1001), [1000, 1002, 0, 1001, 3000, 65535, 1, 4000]),
    ]

    /// Nothing floats between two surfaces, nor beside what is no depth.
    @Test(arguments: edges)
    func depthIsNotMixedAcrossEdges(_ encoding: DepthEncoding, _ numbers: [UInt32]) throws {
        let undistortion = try Undistortion(of: CalibratedCamera(Self.camera, Self.lenses[0]))
        let which = (0..<4800).map { (at: Int) -> UInt8 in
            if at % 11 == 0 { return UInt8(2 + at / 11 % 6) }
            return at % 80 < 40 ? 0 : 1
        }
        let size = encoding.bytesPerPixel
        let depth = undistortion.depth(
            RecordedDepth(
                width: 80, height: 60, encoding: encoding,
                bytes: which.flatMap { Self.bytes(of: numbers[Int($0)]).prefix(size) }))
        let nearest = undistortion.confidence(ConfidenceMap(width: 80, height: 60, values: which, range: 0...7)).values
        for (at, which) in nearest.enumerated() {
            let recorded = numbers[Int(which)]
            switch encoding {
            case .float16Metres:
                let found = Float(bitPattern: Self.number(at, in: depth.bytes, as: UInt32.self))
                let expected = Float(Float16(bitPattern: UInt16(recorded)))
                #expect(found == expected || found.isNaN && expected.isNaN)
            case .float32Metres: #expect(Self.number(at, in: depth.bytes, as: UInt32.self) == recorded)
            case .uint16: #expect(UInt32(Self.number(at, in: depth.bytes, as: UInt16.self)) == recorded)
            }
        }
    }

    /// Maps of one row or column, or of one pixel, have no four pixels.
    @Test(arguments: [1, 2, 5], [1, 2, 5]) func depthOfTheSmallestMaps(_ width: Int, _ height: Int) throws {
        let undistortion = try Undistortion(of: CalibratedCamera(Self.camera, Self.lenses[2]))
        let metres = [Float](repeating: 1.5, count: width * height)
        let depth = RecordedDepth(
            width: width, height: height, encoding: .float32Metres,
            bytes: metres.flatMap { Self.bytes(of: $0.bitPattern) })
        #expect(undistortion.depth(depth) == depth)
    }

    /// What a fisheye sees far from its axis would take all pixels for itself.
    @Test func aFisheyesMiddleKeepsHalfOfItsResolution() throws {
        let wide = CameraIntrinsics(fx: 72, fy: 72, cx: 120, cy: 90, width: 240, height: 180, pixelOrigin: .corner)
        let undistortion = try Undistortion(of: CalibratedCamera(wide, LensDistortion(.fisheye)))
        #expect(undistortion.scale == 0.5 && undistortion.shareLeft < 0.7)
    }

    @Test(arguments: [
        LensDistortion(radial: [-90, 0, 0, 0]), LensDistortion(radial: [1e300, 0, 0, 0]),
        LensDistortion(divisor: [-100, 0, 0]), LensDistortion(tangential: [50, 0]),
    ])
    func whatFoldsThePictureIsRefused(_ lens: LensDistortion) {
        do throws(Problem) {
            _ = try Undistortion(of: CalibratedCamera(Self.camera, lens))
            Issue.record("it was undone")
        } catch {
            #expect(error.summary.hasPrefix("the lens (\(lens)) would fold the picture"))
            #expect(error.fix == "calibrate the camera again")
        }
    }
}
