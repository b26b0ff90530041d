import ScanModel
import TestSupport
import Testing

@Suite struct CameraIntrinsicsTests {
    private let corner = CameraIntrinsics(
        fx: 1600, fy: 1602, cx: 960, cy: 720.5, width: 1920, height: 1440, pixelOrigin: .corner)

    @Test func theSameCameraCountedFromTheOtherOrigin() {
        let centre = corner.counted(from: .centre)
        #expect([centre.cx, centre.cy] == [959.5, 720])
        #expect(centre.pixelOrigin == .centre)
        #expect(centre.counted(from: .corner) == corner)
        #expect(corner.counted(from: .corner) == corner)
    }

    @Test func resizedFromTheCornerEverythingScales() {
        // 1920 × 1440 → 256 × 192: by 2/15.
        let small = corner.resized(to: PixelSize(256, 192))
        #expect(abs(small.fx - 1600.0 * 2 / 15) < 1e-12)
        #expect(abs(small.fy - 1602.0 * 2 / 15) < 1e-12)
        #expect(abs(small.cx - 128) < 1e-12)
        #expect(abs(small.cy - 720.5 * 2 / 15) < 1e-12)
        #expect(small.width == 256 && small.height == 192)
        // Each side by its own factor.
        let squeezed = corner.resized(to: PixelSize(960, 1440))
        #expect([squeezed.fx, squeezed.fy, squeezed.cx, squeezed.cy] == [800, 1602, 480, 720.5])
    }

    @Test func resizedFromTheCentreTheHalfPixelIsKept() {
        // OpenCV's rule: c' = s · (c + ½) − ½.
        let centre = CameraIntrinsics(fx: 8, fy: 8, cx: 3.5, cy: 2.5, width: 8, height: 6, pixelOrigin: .centre)
        let half = centre.resized(to: PixelSize(4, 3))
        #expect([half.fx, half.fy, half.cx, half.cy] == [4, 4, 1.5, 1])
        #expect(half.pixelOrigin == .centre)
        var dice = SplitMix(seed: 4)
        for _ in 0..<100 {
            var k = centre
            k.cx = Double.random(in: 0...8, using: &dice)
            let width = Int.random(in: 1...50, using: &dice)
            let s = Double(width) / 8
            #expect(abs(k.resized(to: PixelSize(width, 6)).cx - (s * (k.cx + 0.5) - 0.5)) < 1e-12)
        }
    }

    @Test func aPointIsSeenAtTheSamePlaceOfAResizedPicture() {
        var dice = SplitMix(seed: 5)
        for origin in PixelOrigin.allCases {
            let k = corner.counted(from: origin)
            let small = k.resized(to: PixelSize(333, 77))
            for _ in 0..<50 {
                let x = Double.random(in: -1...1, using: &dice)
                let y = Double.random(in: -1...1, using: &dice)
                // As shares of the picture from its top-left corner.
                let shift = origin == .corner ? 0 : 0.5
                let (u, v) = ((k.fx * x + k.cx + shift) / 1920, (k.fy * y + k.cy + shift) / 1440)
                let (a, b) = ((small.fx * x + small.cx + shift) / 333, (small.fy * y + small.cy + shift) / 77)
                #expect(abs(u - a) < 1e-12 && abs(v - b) < 1e-12)
            }
        }
    }

    @Test func whatNoPictureCanHave() {
        func defect(_ change: (inout CameraIntrinsics) -> Void) -> String? {
            var k = corner
            change(&k)
            return k.defect
        }
        #expect(corner.defect == nil)
        #expect(defect { $0.fx = .nan } == "the intrinsics are not finite")
        #expect(defect { $0.cy = .infinity } == "the intrinsics are not finite")
        #expect(defect { $0.fx = 0 } == "the focal length is 0.0 × 1602.0")
        #expect(defect { $0.fy = -1602 } == "the focal length is 1600.0 × -1602.0")
        #expect(defect { $0.fx = 1e-300 } == "the focal length is 1e-300 × 1602.0")
        #expect(defect { $0.fy = 1e300 } == "the focal length is 1600.0 × 1e+300")
        #expect(defect { $0.cx = -1e300 } == "the principal point is -1e+300, 720.5")
        // Placeholders of real files (fl_x = 1) and long lenses are cameras.
        #expect(defect { ($0.fx, $0.fy) = (1, 1) } == nil)
        #expect(defect { ($0.fx, $0.fy) = (1e6, 1e6) } == nil)
    }

    @Test func whatHasNoDefectMakesFinitePoints() {
        let depth = DepthMap(width: 2, height: 1, metres: [65504, 65504])
        for fx in [1e-3, 1e9] {
            for cx in [-1e9, 0, 1e9] {
                let k = CameraIntrinsics(fx: fx, fy: fx, cx: cx, cy: cx, width: 2, height: 1, pixelOrigin: .corner)
                #expect(k.defect == nil)
                let far = Pose(rotation: .rotation(aboutY: 0.5), position: Vector3(9e6, 0, 0))
                let points = Unprojection(camera: k, pose: far, width: 2, height: 1, centre: .half).points(of: depth)
                #expect(points.positions.allSatisfy { $0.isFinite })
            }
        }
    }
}
