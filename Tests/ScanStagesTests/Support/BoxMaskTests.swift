import ScanModel
import ScanStages
import TestSupport
import Testing

@Suite struct BoxMaskTests {
    private let camera = MemoryCapture.camera
    private let ahead = OrientedBox(center: Vector3(0, 0, -4), worldFromBox: .identity, halfSize: Vector3(1, 1, 1))

    /// The rows of a mask as text: # inside, . outside.
    private func rows(_ mask: LumaImage) -> [String] {
        (0..<mask.height).map { v in
            String((0..<mask.width).map { u in mask.pixels[v * mask.width + u] == 255 ? "#" : "." })
        }
    }

    private func silhouette(_ box: OrientedBox, _ pose: Pose = .identity, _ camera: CameraIntrinsics? = nil) -> [String]
    {
        rows(BoxMask.silhouette(of: box, camera: camera ?? self.camera, pose: pose))
    }

    @Test func aBoxStraightAhead() {
        // Its front face, 3 m away, is seen where |u + ½ − 4| / 4 · 3 ≤ 1 and |v + ½ − 3| / 4 · 3 ≤ 1: within 4/3 pixels.
        #expect(silhouette(ahead) == ["........", "........", "...##...", "...##...", "........", "........"])
        // Half a metre nearer: within 1.6 pixels.
        let near = Pose(rotation: .identity, position: Vector3(0, 0, -0.5))
        #expect(silhouette(ahead, near) == ["........", "..####..", "..####..", "..####..", "..####..", "........"])
    }

    @Test func theFaceItselfBelongsToTheBox() {
        // The ray of column 2 is 1.5 / 4 · 3 m = 1.125 m beside the axis where it meets the front face.
        let box = OrientedBox(center: Vector3(0, 0, -4), worldFromBox: .identity, halfSize: Vector3(1.125, 1, 1))
        #expect(silhouette(box)[2] == "..####..")
    }

    @Test func whatIsBehindTheCameraIsNotSeen() {
        let behind = OrientedBox(center: Vector3(0, 0, 4), worldFromBox: .identity, halfSize: Vector3(1, 1, 1))
        #expect(silhouette(behind).allSatisfy { $0 == "........" })
    }

    @Test func insideTheBoxEverythingIsBox() {
        let around = OrientedBox(center: .zero, worldFromBox: .rotation(aboutY: 1), halfSize: Vector3(1, 1, 1))
        #expect(silhouette(around).allSatisfy { $0 == "########" })
    }

    @Test func aCameraCountedFromThePixelsCentreSeesTheSame() {
        var centred = camera
        centred.cx = 3.5
        centred.cy = 2.5
        centred.pixelOrigin = .centre
        #expect(silhouette(ahead, .identity, centred) == silhouette(ahead))
    }

    @Test func aFloorCutsTheBox() {
        // Above y = 0 only the upper half is left. From 3 m the floor's front edge is the horizon.
        var box = ahead
        box.floor = 0
        #expect(silhouette(box) == ["........", "........", "...##...", "........", "........", "........"])
        // A camera below the floor looks up at it through the floor: rays that rise meet it.
        let below = Pose(rotation: .identity, position: Vector3(0, -1, 0))
        box.floor = -0.5
        // Its rays rise by ⅝, ⅜, ⅛, −⅛ … per metre. Row 2 is at −0.625 in the front and at −0.375 > −0.5 in the back.
        #expect(silhouette(box, below).map { $0.contains("#") } == [true, true, true, false, false, false])
        // A floor above the box leaves nothing.
        box.floor = 2
        #expect(silhouette(box).allSatisfy { $0 == "........" })
        // A ray that runs level with the floor is inside above it and outside below.
        var level = camera
        level.cy = 2.5
        box.floor = 0.25
        #expect(silhouette(box, .identity, level)[2] == "........")
        box.floor = -0.25
        #expect(silhouette(box, .identity, level)[2] == "...##...")
    }

    @Test func raysAlongTheBoxsOwnAxes() {
        // The middle of pixel (3, 2) looks exactly down −z: two of the three slabs are never crossed.
        var exact = camera
        exact.cx = 3.5
        exact.cy = 2.5
        #expect(Array(silhouette(ahead, .identity, exact)[2])[3] == "#")
        let beside = OrientedBox(center: Vector3(1.5, 0, -4), worldFromBox: .identity, halfSize: Vector3(1, 1, 1))
        let row = Array(silhouette(beside, .identity, exact)[2])
        #expect(row[3] == "." && row[4] == "#")
        // A ray in the face itself.
        let touching = OrientedBox(center: Vector3(1, 0, -4), worldFromBox: .identity, halfSize: Vector3(1, 1, 1))
        #expect(Array(silhouette(touching, .identity, exact)[2])[3] == "#")
    }

    /// Every pixel against the part of its ray between the box's planes, with boxes near, around, beside and behind the
    /// camera.
    @Test func anyBoxFromAnywhere() {
        var random = SplitMix(seed: 7)
        func number(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &random) }
        func direction() -> Vector3 { Vector3(number(-1...1), number(-1...1), number(-1...1)).normalized }
        func rotation() -> Matrix3 {
            Quaternion(w: number(-1...1), x: number(-1...1), y: number(-1...1), z: number(-1...1)).matrix
        }
        var (some, whole, none) = (0, 0, 0)
        for round in 0..<200 {
            var box = OrientedBox(
                center: direction() * number(0...3),
                worldFromBox: round % 2 == 0 ? rotation() : .rotation(aboutY: number(0...6)),
                halfSize: Vector3(number(0...1), number(0...1), number(0...1)))
            if round % 3 == 0 { box.floor = number(-2...2) }
            let camera = CameraIntrinsics(
                fx: number(10...40), fy: number(10...40), cx: number(0...32), cy: number(0...24), width: 32, height: 24,
                pixelOrigin: .corner)
            let pose = Pose(rotation: rotation(), position: direction())
            // Inside is where normal · (p − point) ≤ 0 for all of them.
            let axes = box.worldFromBox.columns
            let faces = [(axes.0, box.halfSize.x), (axes.1, box.halfSize.y), (axes.2, box.halfSize.z)].flatMap {
                axis, half in
                [(axis, box.center + axis * half), (-axis, box.center - axis * half)]
            }
            let planes = faces + (box.floor.map { [(Vector3(0, -1, 0), Vector3(0, $0, 0))] } ?? [])
            let mask = BoxMask.silhouette(of: box, camera: camera, pose: pose)
            var count = 0
            for v in 0..<24 {
                for u in 0..<32 {
                    let inCamera = Vector3(
                        (Double(u) + 0.5 - camera.cx) / camera.fx, (camera.cy - Double(v) - 0.5) / camera.fy, -1)
                    let ray = pose.rotation * inCamera
                    var (near, far) = (0.0, Double.infinity)
                    for (normal, point) in planes {
                        let (speed, distance) = (normal.dot(ray), normal.dot(point - pose.position))
                        if speed > 0 { far = min(far, distance / speed) } else { near = max(near, distance / speed) }
                    }
                    // Where the ray only touches an edge, rounding decides.
                    if abs(far - near) < 1e-9 { continue }
                    #expect((mask.pixels[v * 32 + u] == 255) == (near < far), "round \(round), pixel \(u), \(v)")
                    count += near < far ? 1 : 0
                }
            }
            if count == 0 { none += 1 } else if count == 32 * 24 { whole += 1 } else { some += 1 }
        }
        #expect(some > 20 && whole > 2 && none > 10, "\(some) \(whole) \(none)")
    }

    @Test func depthMasksGrowToThePicturesSizeByNearest() {
        // 3 × 2 depth pixels at 1 m in a picture of 7 × 5: column x shows depth column floor((x + ½) · 3/7).
        let camera = CameraIntrinsics(fx: 7, fy: 5, cx: 3.5, cy: 2.5, width: 7, height: 5, pixelOrigin: .corner)
        let depth = DepthMap(width: 3, height: 2, metres: [1, 1, 1, 1, 0, 1])
        // x = (u + ½ − 1.5)/3 = −⅓, 0, ⅓ and y = −(v + ½ − 1)/2 = ¼, −¼.
        let left = OrientedBox(center: Vector3(-0.25, 0, -1), worldFromBox: .identity, halfSize: Vector3(0.3, 1, 0.1))
        let small = BoxMask.depth(depth, in: left, camera: camera, pose: .identity, centre: .half)
        let mask = rows(small.nearest(to: PixelSize(7, 5)))
        #expect(mask == ["#####..", "#####..", "##.....", "##.....", "##....."])
    }
}
