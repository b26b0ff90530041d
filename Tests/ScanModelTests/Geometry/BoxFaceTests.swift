import ScanModel
import Testing

@Suite struct BoxFaceTests {
    /// 2 × 4 × 6 m around (1, 2, 3).
    private let box = OrientedBox(center: Vector3(1, 2, 3), worldFromBox: .identity, halfSize: Vector3(1, 2, 3))

    @Test(arguments: [
        (Vector3(1, 2, -10), Vector3(0, 0, 1), BoxFace.front), (Vector3(1, 2, 10), Vector3(0, 0, -2), .back),
        (Vector3(-10, 2, 3), Vector3(1, 0, 0), .left), (Vector3(10, 2, 3), Vector3(-1, 0, 0), .right),
        (Vector3(1, -10, 3), Vector3(0, 1, 0), .bottom), (Vector3(1, 10, 3), Vector3(0, -0.1, 0), .top),
        // Aslant: past the edge of the top, down to the side.
        (Vector3(4, 5, 3), Vector3(-1, -1, 0), .right), (Vector3(2.5, 6, 3), Vector3(-1, -1, 0), .top),
    ])
    func aRayEntersThroughTheFaceItMeetsFirst(origin: Vector3, direction: Vector3, face: BoxFace) {
        #expect(box.encounter(from: origin, along: direction) == .face(face))
    }

    @Test(arguments: [
        // Beside it, past an edge, and away from it.
        (Vector3(3, 2, -10), Vector3(0, 0, 1)), (Vector3(4, 8.5, 3), Vector3(-1, -1, 0)),
        (Vector3(1, 2, -10), Vector3(0, 0, -1)),
    ])
    func aRayMisses(origin: Vector3, direction: Vector3) {
        #expect(box.encounter(from: origin, along: direction) == .miss)
    }

    @Test func aRayStartsInside() {
        #expect(box.encounter(from: Vector3(1, 2, 3), along: Vector3(0, 0, 1)) == .inside)
        #expect(box.encounter(from: Vector3(1, 2, 0), along: Vector3(0, 0, -1)) == .inside)
    }

    @Test func facesTurnWithTheBox() {
        var turned = box
        turned.worldFromBox = .rotation(aboutY: .pi / 2)
        // Its own −z points along the world's −x now.
        #expect(turned.encounter(from: Vector3(-10, 2, 3), along: Vector3(1, 0, 0)) == .face(.front))
        #expect(turned.encounter(from: Vector3(1, 2, 10), along: Vector3(0, 0, -1)) == .face(.left))
    }

    @Test func theFloorIsTheBottom() {
        var clamped = box
        clamped.floor = 1.5
        #expect(clamped.encounter(from: Vector3(1, 1, 3), along: Vector3(0, 1, 0)) == .face(.bottom))
        #expect(clamped.encounter(from: Vector3(1, 1, -10), along: Vector3(0, 0, 1)) == .miss)
        #expect(clamped.encounter(from: Vector3(1, 1.6, -10), along: Vector3(0, 0, 1)) == .face(.front))
    }
}
