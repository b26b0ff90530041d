/// A box in the world: a centre, three axes, three half sizes, and perhaps a floor that cuts it off.
public struct OrientedBox: Hashable, Sendable {
    public var center: Vector3
    /// The columns are the box's own x (right), y (top) and z (back) axes in the world: `worldFromBox`.
    public var worldFromBox: Matrix3
    /// Half the size along each own axis, metres.
    public var halfSize: Vector3
    /// When the capture app clamped the bottom corners to a floor: the world y below which nothing is inside.
    public var floor: Double?
    /// Whether its bottom face is a floor to which the app clamped it, which a margin does not move: the box ends on its
    /// floor, as in worlds where y is not up.
    public private(set) var isBottomClamped = false

    public init(center: Vector3, worldFromBox: Matrix3, halfSize: Vector3, floor: Double? = nil) {
        self.center = center
        self.worldFromBox = worldFromBox
        self.halfSize = halfSize
        self.floor = floor
    }

    /// Multiplies all coordinates.
    package mutating func scale(by factor: Double) {
        center = center * factor
        halfSize = halfSize * factor
        floor = floor.map { $0 * factor }
    }

    /// The same box grown by `margin` on every face except a clamped floor, and with its bottom face moved down by
    /// `bottom` (metres; negative shrinks). A clamped floor moves with `bottom` alone.
    public func grown(by margin: Double, bottom: Double) -> OrientedBox {
        var box = self
        box.halfSize = halfSize + Vector3(margin, margin, margin)
        if let floor {
            box.floor = floor - bottom
            // The bottom face itself lies below the floor; it must not cut before the floor does.
            box.moveBottom(by: max(0, bottom) + max(0, -margin))
        } else {
            box.moveBottom(by: isBottomClamped ? bottom - margin : bottom)
        }
        return box
    }

    /// The same box with its bottom face where the floor cuts it off. Nil if the box has a floor and is tilted against
    /// y by more than ``Vector3/axisTolerance``, so that its bottom face is not parallel to the floor.
    public var endingOnItsFloor: OrientedBox? {
        guard let floor else { return self }
        guard worldFromBox.columns.1.snappedToAxis == Vector3(0, 1, 0) else { return nil }
        let top = center.y + halfSize.y
        let bottom = max(center.y - halfSize.y, floor)
        var box = self
        box.floor = nil
        box.isBottomClamped = bottom == floor
        box.center.y = (top + bottom) / 2
        box.halfSize.y = max(0, (top - bottom) / 2)
        return box
    }

    /// The part of the box above its floor; a tilted box is returned as it is, since that part would be no box.
    public var cutByItsFloor: OrientedBox { endingOnItsFloor ?? self }

    /// The same part of the world as the capture app describes it where y is up: by a floor in place of a clamped bottom,
    /// and a box that reaches below it.
    package var cutByAFloor: OrientedBox {
        guard isBottomClamped else { return self }
        var box = grown(by: 0, bottom: halfSize.y)
        box.floor = center.y - halfSize.y
        box.isBottomClamped = false
        return box
    }

    /// Whether it has no interior, as after shrinking it too far.
    public var isEmpty: Bool {
        let half = cutByItsFloor.halfSize
        return min(half.x, half.y, half.z) <= 0
    }

    private mutating func moveBottom(by distance: Double) {
        halfSize.y += distance / 2
        center = center - worldFromBox.columns.1 * (distance / 2)
    }

    /// Whether the point lies in the box; its faces belong to it.
    public func contains(_ point: Vector3) -> Bool {
        let q = worldFromBox.transposed * (point - center)
        if let floor, point.y < floor { return false }
        return abs(q.x) <= halfSize.x && abs(q.y) <= halfSize.y && abs(q.z) <= halfSize.z
    }

    /// How far a point is from the box; 0 inside. Ignores the floor.
    public func distance(to point: Vector3) -> Double {
        let q = worldFromBox.transposed * (point - center)
        return Vector3(
            max(0, abs(q.x) - halfSize.x), max(0, abs(q.y) - halfSize.y), max(0, abs(q.z) - halfSize.z)
        ).length
    }

    /// The eight corners: left/right, bottom/top, front/back in the box's own axes, left-bottom-front first, x fastest.
    public var corners: [Vector3] {
        var result: [Vector3] = []
        for z in [-1.0, 1] {
            for y in [-1.0, 1] {
                for x in [-1.0, 1] {
                    result.append(
                        center + worldFromBox * Vector3(x * halfSize.x, y * halfSize.y, z * halfSize.z))
                }
            }
        }
        return result
    }

    /// Why the box cannot be used; nil for a sound one.
    public var defect: String? {
        guard center.isFinite, worldFromBox.isFinite, halfSize.isFinite, floor?.isFinite ?? true else {
            return "the box is not finite"
        }
        guard halfSize.x >= 0, halfSize.y >= 0, halfSize.z >= 0 else { return "the box has a negative size" }
        if center.length > 1e7 || halfSize.length > 1e7 { return "the box reaches more than 10,000 km" }
        return nil
    }
}
