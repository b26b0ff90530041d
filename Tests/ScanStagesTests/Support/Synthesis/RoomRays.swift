import ScanModel
import ScanStages

/// One point or one ray at a time, as the renderer never asks.
extension SyntheticRoom {
    /// How far a point is from the nearest surface, metres.
    func distanceToSurface(_ point: Vector3) -> Double {
        boxes.map { box in
            let q = box.worldFromBox.transposed * (point - box.center)
            let (x, y, z) = (abs(q.x) - box.halfSize.x, abs(q.y) - box.halfSize.y, abs(q.z) - box.halfSize.z)
            let inside = max(x, y, z)
            return inside < 0 ? -inside : Vector3(max(x, 0), max(y, 0), max(z, 0)).length
        }.min() ?? .infinity
    }

    /// What a ray from inside the room hits first.
    /// - Returns: the distance in units of `direction`, so z-depth when that is (x, y, −1) in the camera's axes; and the
    ///   surface's number.
    func hit(from origin: Vector3, along direction: Vector3) -> (depth: Double, surface: Int) {
        var nearest = (depth: Double.infinity, surface: 0)
        for (number, box) in boxes.enumerated() {
            let boxFromWorld = box.worldFromBox.transposed
            let o = boxFromWorld * (origin - box.center)
            let d = boxFromWorld * direction
            let h = box.halfSize
            let (depth, face) =
                number == 0
                ? Self.leave(Nearness(o, in: h), d.x, d.y, d.z)
                : Self.enter(o.x, o.y, o.z, d.x, d.y, d.z, h.x, h.y, h.z)
            if depth < nearest.depth { nearest = (depth, 6 * number + face) }
        }
        return nearest
    }
}
