import ScanModel
import TestSupport
import Testing

@Suite struct UnprojectionTests {
    @Test(arguments: PixelOrigin.allCases, PixelCentre.allCases)
    func everyPointIsSeenAtItsPixelAgain(origin: PixelOrigin, centre: PixelCentre) {
        var dice = SplitMix(seed: 10)
        for _ in 0..<20 {
            let k = CameraIntrinsics(
                fx: 500 + Double.random(in: -9...9, using: &dice), fy: 510, cx: 322, cy: 236, width: 640, height: 480,
                pixelOrigin: origin)
            let pose = Pose(rotation: Quaternion.random(&dice).matrix, position: .random(&dice))
            let depth = DepthMap(
                width: 16, height: 9, metres: (0..<144).map { _ in Float.random(in: 0.2...5, using: &dice) })
            let cloud = Unprojection(camera: k, pose: pose, width: 16, height: 9, centre: centre).points(of: depth)
            // Projected by the definition: into the camera, divided by the depth, onto the picture of 16 × 9. The middle
            // of pixel u lies u + ½ from the corner; MultiScan's rule scales cx as it stands.
            let scale = (x: 16.0 / 640, y: 9.0 / 480)
            let counted = centre == .half ? k.counted(from: .corner) : k
            let shift = centre == .half ? 0.5 : 0
            let (cx, cy) = (counted.cx * scale.x - shift, counted.cy * scale.y - shift)
            for i in 0..<144 {
                let p = Vector3(
                    Double(cloud.positions[3 * i]), Double(cloud.positions[3 * i + 1]),
                    Double(cloud.positions[3 * i + 2]))
                let q = pose.rotation.transposed * (p - pose.position)
                #expect(abs(-q.z - Double(depth.metres[i])) < 2e-6)
                #expect(abs(k.fx * scale.x * q.x / -q.z + cx - Double(i % 16)) < 1e-4)
                #expect(abs(k.fy * scale.y * -q.y / -q.z + cy - Double(i / 16)) < 1e-4)
            }
        }
    }

    @Test func onlyPixelsWithDepthMakePoints() {
        let k = CameraIntrinsics(fx: 2, fy: 2, cx: 1, cy: 1, width: 2, height: 2, pixelOrigin: .corner)
        let unprojection = Unprojection(camera: k, pose: .identity, width: 2, height: 2, centre: .integer)
        let depth = DepthMap(width: 2, height: 2, metres: [0, 2, 0, 4])
        #expect(unprojection.points(of: depth).positions == [0, 1, -2, 0, 0, -4])
        #expect(unprojection.points(of: DepthMap(width: 2, height: 2, metres: [0, 0, 0, 0])).count == 0)
        #expect(unprojection.points(of: DepthMap(width: 2, height: 2, metres: [1, 1, 1, 1])).count == 4)
    }

    @Test func thinningTakesTheSamePointsAsAll() {
        var dice = SplitMix(seed: 11)
        let k = CameraIntrinsics(fx: 10, fy: 10, cx: 5, cy: 4, width: 20, height: 14, pixelOrigin: .corner)
        let metres = (0..<70).map { _ in Bool.random(using: &dice) ? Float.random(in: 0.5...3, using: &dice) : 0 }
        let depth = DepthMap(width: 10, height: 7, metres: metres)
        let picture = RGBImage(width: 20, height: 14, pixels: (0..<840).map { UInt8(truncatingIfNeeded: $0 * 7) })
        let unprojection = Unprojection(camera: k, pose: .identity, width: 10, height: 7, centre: .half)
        let all = unprojection.points(of: depth, picture: picture)
        let places = metres.indices.filter { metres[$0] > 0 }
        #expect(all.count == places.count)
        for every in [1, 2, 3, 4, 10, 11] {
            let chosen = places.indices.filter { places[$0] % 10 % every == 0 && places[$0] / 10 % every == 0 }
            let numbers: [Int] = chosen.flatMap { [3 * $0, 3 * $0 + 1, 3 * $0 + 2] }
            let thinned = unprojection.points(of: depth, every: every, picture: picture)
            #expect(thinned.positions == numbers.map { all.positions[$0] })
            #expect(thinned.colors == numbers.map { (all.colors ?? [])[$0] })
        }
    }

    @Test func theColourComesFromTheMiddleOfTheDepthPixelAtAnySize() {
        var dice = SplitMix(seed: 12)
        let k = CameraIntrinsics(fx: 1, fy: 1, cx: 0, cy: 0, width: 1, height: 1, pixelOrigin: .corner)
        for _ in 0..<60 {
            let (w, h) = (Int.random(in: 1...20, using: &dice), Int.random(in: 1...20, using: &dice))
            let (pw, ph) = (Int.random(in: 1...60, using: &dice), Int.random(in: 1...60, using: &dice))
            let depth = DepthMap(width: w, height: h, metres: Array(repeating: 1, count: w * h))
            let picture = RGBImage(
                width: pw, height: ph, pixels: (0..<pw * ph).flatMap { [UInt8($0 % pw), UInt8($0 / pw), 9] })
            let colors = Unprojection(camera: k, pose: .identity, width: w, height: h, centre: .half)
                .points(of: depth, picture: picture).colors
            let expected: [[UInt8]] = (0..<w * h).map {
                [middle($0 % w, of: w, in: pw), middle($0 / w, of: h, in: ph), 9]
            }
            #expect(colors == Array(expected.joined()))
        }
    }

    /// floor((u + ½) · pictureWidth / width)
    private func middle(_ u: Int, of width: Int, in pictureWidth: Int) -> UInt8 {
        UInt8(((Double(u) + 0.5) * Double(pictureWidth) / Double(width) + 1e-9).rounded(.down))
    }
}
