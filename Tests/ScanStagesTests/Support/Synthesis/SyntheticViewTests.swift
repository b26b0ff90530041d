import ScanModel
import ScanStages
import TestSupport
import Testing

@Suite struct SyntheticViewTests {
    let truth = SyntheticTruth(SyntheticSettings())

    /// The renderer goes over the pixels box by box; one ray at a time is the plain way to say the same.
    @Test(arguments: [0, 31, 500])
    func everyPixelIsWhatItsRayMeets(frame: Int) {
        let view = truth.depthView(of: frame)
        let camera = truth.intrinsics(of: frame).resized(to: PixelSize(256, 192))
        let pose = truth.pose(of: frame)
        var surfaces: Set<UInt8> = []
        var others: [Int] = []
        for v in 0..<192 {
            for u in 0..<256 {
                let ray = Vector3(
                    (Double(u) + 0.5 - camera.cx) / camera.fx, -(Double(v) + 0.5 - camera.cy) / camera.fy, -1)
                let hit = truth.room.hit(from: pose.position, along: pose.rotation * ray)
                let pixel = v * 256 + u
                // Where two faces meet, rounding may decide for either surface, but the depth is the same.
                if abs(view.depth[pixel] - hit.depth) > 1e-12 { others.append(pixel) }
                surfaces.insert(view.surface[pixel])
            }
        }
        #expect(others.isEmpty)
        #expect(surfaces.contains(39), "the object's top is in sight")
        #expect(surfaces.contains(9), "so is the table's")
        #expect(surfaces.contains { $0 < 6 }, "and the room")
    }

    /// Independent of how boxes are intersected: the ray ends on a surface and passes only through empty space.
    @Test func nothingStandsBeforeWhatIsSeen() {
        let view = truth.depthView(of: 12)
        let camera = truth.intrinsics(of: 12).resized(to: PixelSize(256, 192))
        let pose = truth.pose(of: 12)
        let things = truth.room.table + [truth.room.object]
        var (floating, hidden): ([Int], [Int]) = ([], [])
        for pixel in stride(from: 0, to: view.depth.count, by: 53) {
            let (u, v) = (Double(pixel % 256) + 0.5, Double(pixel / 256) + 0.5)
            let ray = pose.rotation * Vector3((u - camera.cx) / camera.fx, -(v - camera.cy) / camera.fy, -1)
            let end = pose.position + ray * view.depth[pixel]
            if truth.room.distanceToSurface(end) > 1e-12 { floating.append(pixel) }
            let way = stride(from: 0.01, to: view.depth[pixel] - 1e-6, by: 0.01).map { pose.position + ray * $0 }
            if way.contains(where: { point in things.contains { $0.contains(point) } }) { hidden.append(pixel) }
        }
        #expect(floating.isEmpty && hidden.isEmpty)
    }

    /// Python packs doubles into half floats with ties to even, in code that is not ours.
    @Test func depthIsRoundedOnceToTheNearest() throws {
        let view = truth.depthView(of: 3)
        let folder = try TemporaryFolder()
        let exact = try folder.write(view.depth.flatMap { littleEndian($0.bitPattern) }, to: "exact")
        let halves = try folder.write(view.recordedDepth(.float16Metres).bytes, to: "halves")
        let floats = try folder.write(view.recordedDepth(.float32Metres).bytes, to: "floats")
        let millimetres = try folder.write(view.recordedDepth(.uint16(unitsPerMetre: 1000)).bytes, to: "millimetres")
        let python = try runPython(
            """
            import struct, sys
            from fractions import Fraction
            exact = open(sys.argv[1], 'rb').read()
            n = len(exact) // 8
            z = struct.unpack(f'<{n}d', exact)
            print(n)
            print(open(sys.argv[2], 'rb').read() == struct.pack(f'<{n}e', *z))
            print(open(sys.argv[3], 'rb').read() == struct.pack(f'<{n}f', *z))
            mm = struct.unpack(f'<{n}H', open(sys.argv[4], 'rb').read())
            print(all(abs(Fraction(m) - Fraction(d) * 1000) <= Fraction(1, 2) + Fraction(1, 10**9) for m, d in zip(mm, z)))
            """, [exact, halves, floats, millimetres])
        #expect(python.output == "49152\nTrue\nTrue\nTrue\n", "\(python.errors)")
    }

    @Test func confidenceIsLowAtEdgesAndHighOnFaces() {
        let view = truth.depthView(of: 3)
        let map = view.recordedConfidence(0...2)
        #expect(map.range == 0...2)
        let counts = (0...2).map { level in map.values.count { $0 == level } }
        #expect(counts.reduce(0, +) == 256 * 192)
        #expect(counts[2] > 256 * 192 / 2 && counts[0] > 100 && counts[1] > 100, "\(counts)")
        let trusted = (0..<192 * 256).filter { pixel in
            guard pixel % 256 > 0 else { return false }
            let (a, b) = (view.depth[pixel - 1], view.depth[pixel])
            return abs(a - b) > 0.05 * min(a, b) && (map.values[pixel - 1] != 0 || map.values[pixel] != 0)
        }
        #expect(trusted.isEmpty, "pixels beside a jump")
        let bytes = view.recordedConfidence(0...255)
        #expect(bytes.range == 0...255)
        // The same pixels pass at each level, whichever range says so.
        for level in 0...2 {
            let (few, many) = (
                ConfidenceMap.threshold(level: level, in: 0...2), ConfidenceMap.threshold(level: level, in: 0...255)
            )
            #expect(map.values.map { Int($0) >= few } == bytes.values.map { Int($0) >= many })
        }
    }

    /// A pattern that is fixed to the room: a point that two pictures show has the same colour in both, which only
    /// holds when depth, poses, intrinsics and pictures agree.
    @Test func twoPicturesAgreeAboutThePointsThatBothShow() {
        let (here, there) = (truth.picture(of: 0), truth.picture(of: 24))
        let view = SyntheticView(of: truth.room, camera: truth.intrinsics(of: 0), pose: truth.pose(of: 0))
        let (k0, k1) = (truth.intrinsics(of: 0), truth.intrinsics(of: 24))
        let (p0, p1) = (truth.pose(of: 0), truth.pose(of: 24))
        #expect((p1.position - p0.position).length > 0.1)
        var sums = [0, 0]
        var count = 0
        for pixel in stride(from: 0, to: 640 * 480, by: 7) {
            let (u, v) = (Double(pixel % 640) + 0.5, Double(pixel / 640) + 0.5)
            let ray = Vector3((u - k0.cx) / k0.fx, -(v - k0.cy) / k0.fy, -1)
            let point = p0.apply(ray * view.depth[pixel])
            let seen = p1.rotation.transposed * (point - p1.position)
            let x = k1.cx - k1.fx * seen.x / seen.z
            let y = k1.cy + k1.fy * seen.y / seen.z
            guard seen.z < 0, x >= 0, y >= 0, x < 640 - 12, y < 480 else { continue }
            for (number, offset) in [0, 12].enumerated() {
                let other = (Int(y) * 640 + Int(x) + offset) * 3
                sums[number] += abs(Int(here.pixels[pixel * 3]) - Int(there.pixels[other]))
            }
            count += 1
        }
        #expect(count > 20_000)
        #expect(Double(sums[0]) < 0.75 * Double(sums[1]), "12 pixels beside it the colours differ more: \(sums)")
    }

    @Test func theBoxFilterIsTheMeanOfTheNeighbourhood() {
        var random = SplitMix64(seed: 9)
        let bytes = (0..<189).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        let image = RGBImage(width: 9, height: 7, pixels: bytes)
        let radius = 2
        let value = { (u: Int, v: Int, c: Int) -> Int in
            let pixel = min(max(v, 0), 6) * 9 + min(max(u, 0), 8)
            return Int(bytes[pixel * 3 + c])
        }
        let blurred = image.boxBlurred(radius: radius)
        let expected = (0..<189).map { i -> UInt8 in
            let (u, v, c) = (i / 3 % 9, i / 27, i % 3)
            let rows = (-radius...radius).map { dv -> Int in
                let row = (-radius...radius).map { du in value(u + du, v + dv, c) }
                return (row.reduce(0, +) + radius) / 5
            }
            return UInt8((rows.reduce(0, +) + radius) / 5)
        }
        #expect(blurred.pixels == expected)
        #expect(image.boxBlurred(radius: 40).pixels.count == 189, "a radius beyond the picture")
    }

    private func littleEndian(_ bits: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) }
    }
}
