import ScanModel
import ScanStages
import Testing

@Suite struct SyntheticRoomTests {
    let room = SyntheticRoom()

    @Test func isAsTheStagePageSays() {
        let walls = room.walls.corners
        #expect(isNear(walls[0], Vector3(-2.1, SyntheticRoom.floorHeight, -1.4)))
        #expect(isNear(walls[7], Vector3(1.9, 1.1, 1.6)))
        #expect(room.object.worldFromBox.orthonormalityError < 1e-15)
        #expect(room.object.worldFromBox.determinant > 0)
        // Things stand on each other: floor, legs, table, object.
        #expect(abs(room.table[1].corners[0].y - SyntheticRoom.floorHeight) < 1e-12)
        #expect(abs(room.table[1].corners[7].y - room.table[0].corners[0].y) < 1e-12)
        #expect(abs(room.table[0].corners[7].y - SyntheticRoom.tableHeight) < 1e-12)
        #expect(abs(room.object.corners[0].y - SyntheticRoom.tableHeight) < 1e-12)
        for corner in room.object.corners {
            #expect(abs(corner.x) < 0.5 && abs(corner.z) < 0.35, "the object stands on the table")
        }
    }

    @Test(arguments: [
        (Vector3(-1, 0, 0), 2.1, 0), (Vector3(1, 0, 0), 1.9, 1), (Vector3(0, 1, 0), 1.1, 3),
        (Vector3(0, 0, -1), 1.4, 4), (Vector3(0, 0, 1), 1.6, 5),
        // Down onto the object's top, and twice as fast.
        (Vector3(0, -1, 0), 0.44, 39), (Vector3(0, -2, 0), 0.22, 39),
        // Zeros of either sign are parallel to the other walls.
        (Vector3(-1, -0.0, -0.0), 2.1, 0), (Vector3(-0.0, -1, -0.0), 0.44, 39),
    ])
    func raysMeetWhatIsThere(direction: Vector3, depth: Double, surface: Int) {
        let hit = room.hit(from: .zero, along: direction)
        #expect(abs(hit.depth - depth) < 1e-12)
        #expect(hit.surface == surface)
    }

    @Test func raysFromUnderTheTableMeetItFromBelow() {
        let hit = room.hit(from: Vector3(0, -1, 0), along: Vector3(0, 1, 0))
        #expect(abs(hit.depth - 0.28) < 1e-12)
        #expect(hit.surface == 8, "the table top's −y face")
        // Between the legs to the wall, and against a leg.
        #expect(abs(room.hit(from: Vector3(0, -1, 0), along: Vector3(0, 0, -1)).depth - 1.4) < 1e-12)
        #expect(abs(room.hit(from: Vector3(0, -1, 0.3), along: Vector3(1, 0, 0)).depth - 0.42) < 1e-12)
    }

    @Test func distancesAreToTheNearestSurface() {
        #expect(abs(room.distanceToSurface(Vector3(1.8, 0, 0)) - 0.1) < 1e-12)
        #expect(abs(room.distanceToSurface(Vector3(2, 0, 0)) - 0.1) < 1e-12, "outside the room, too")
        #expect(abs(room.distanceToSurface(Vector3(0, -1.3, 0)) - 0.1) < 1e-12)
        let top = room.object.center + Vector3(0, 0.12, 0)
        #expect(room.distanceToSurface(top) < 1e-12)
        #expect(abs(room.distanceToSurface(room.object.center) - 0.11) < 1e-12, "inside the object")
        let side = room.object.worldFromBox.columns.0
        #expect(abs(room.distanceToSurface(room.object.center + side * 0.2) - 0.04) < 1e-12)
    }

    @Test(arguments: [false, true])
    func theBoundingBoxHoldsTheObjectAndNothingElse(isClamped: Bool) {
        let box = room.boundingBox(isClamped: isClamped)
        #expect(box.defect == nil)
        #expect((box.floor != nil) == isClamped)
        let up = Vector3(0, 1, 0)
        for corner in room.object.corners {
            #expect(box.contains(corner.y > room.object.center.y ? corner : corner + up * 0.011))
        }
        #expect(!box.contains(Vector3(0.05, SyntheticRoom.tableHeight, -0.03)), "the table")
        #expect(box.contains(Vector3(0.05, SyntheticRoom.tableHeight + 0.0101, -0.03)))
        #expect(!box.contains(room.object.center + up * 0.15))
        // Clamped or not, the same points are inside.
        #expect(abs(box.corners[7].y - (-0.42)) < 1e-12)
        #expect(abs(box.corners[0].y - (isClamped ? -0.77 : -0.67)) < 1e-12)
    }

    private func isNear(_ a: Vector3, _ b: Vector3) -> Bool { (a - b).length < 1e-12 }
}
