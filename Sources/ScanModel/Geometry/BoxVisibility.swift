import Glibc

/// Which sides of a box the pictures show, from how far, and from which directions around it.
///
/// Each side is cut into ``patches`` × ``patches`` equal parts. A picture shows a part when the part's middle lies in front
/// of the camera and within the picture, and the line to the camera is at most ``steepest`` degrees off the side's normal.
/// A box is convex, so it never hides a side of its own that is turned to the camera; other things in between are
/// ignored.
public struct BoxVisibility: Sendable {
    /// How many pictures should show at least half of a side. Two views measure a point's depth, the third tells
    /// whether they are wrong about it (R. Hartley and A. Zisserman, "Multiple View Geometry", part III).
    public static let goal = 3
    /// Degrees off a side's normal; beyond them a side is foreshortened to a quarter and tells little.
    public static let steepest = 75.0
    /// A picture is a view of the box if it shows at least this share of what is turned to the camera.
    private static let leastShare = 0.25
    /// Degrees. An upright surface that faces the middle of a gap is seen from half the gap off its normal at best:
    /// from 60°, where it is foreshortened to a half.
    public static let largestGap = 120.0
    /// Along each edge of a side.
    private static let patches = 8

    /// How a side was seen.
    public struct Side: Hashable, Sendable {
        /// At least half of its parts are each in so many pictures.
        public var views: Int
        /// The share of its parts that are in any picture.
        public var share: Double
        /// From its middle to the nearest camera whose picture shows any of it; in the world's unit, nil without one.
        public var nearest: Double?
    }

    /// A stretch of the ring without a view. Degrees about the box's own up axis: 0 is in front of the front face, 90
    /// of the right, 180 of the back, 270 of the left.
    public struct Gap: Hashable, Sendable {
        /// 360 with no view or a single one.
        public var size: Double
        /// Where the last view before it and the first one after it stand; from 0 to below 360.
        public var from: Double
        public var to: Double
        /// Its middle.
        public var middle: Double { (from + size / 2).truncatingRemainder(dividingBy: 360) }
    }

    /// Pictures that show all, some, or nothing of what the box turns to the camera.
    public private(set) var wholeCount = 0
    public private(set) var partCount = 0
    public private(set) var absentCount = 0
    /// From the box's centre to the cameras whose pictures are views of the box; in the world's unit.
    public private(set) var distances: [Double] = []

    private let box: OrientedBox
    private let sides: [(face: BoxFace, normal: Vector3, middle: Vector3, points: [Vector3])]
    private var views: [BoxFace: [Int]]
    private var nearest: [BoxFace: Double] = [:]
    private var azimuths: [Double] = []

    /// - Parameter box: if a floor cuts it off, only the part above the floor counts.
    public init(of box: OrientedBox) {
        let box = box.cutByItsFloor
        self.box = box
        let (right, up, back) = box.worldFromBox.columns
        let half = box.halfSize
        let (x, y, z) = (right * half.x, up * half.y, back * half.z)
        // Each as its outward normal, its middle relative to the box's, and two half edges.
        let planes: [(face: BoxFace, normal: Vector3, middle: Vector3, a: Vector3, b: Vector3)] = [
            (.front, -back, -z, x, y), (.back, back, z, x, y), (.left, -right, -x, z, y), (.right, right, x, z, y),
            (.bottom, -up, -y, x, z), (.top, up, y, x, z),
        ]
        let steps = (0..<Self.patches).map { (2 * Double($0) + 1) / Double(Self.patches) - 1 }
        sides = planes.map { plane in
            let middle = box.center + plane.middle
            let points = steps.flatMap { s in steps.map { t in middle + plane.a * s + plane.b * t } }
            return (plane.face, plane.normal, middle, points.filter { $0.y >= box.floor ?? -.infinity })
        }
        views = Dictionary(uniqueKeysWithValues: sides.map { ($0.face, Array(repeating: 0, count: $0.points.count)) })
    }

    /// Adds a picture.
    /// - Parameter camera: of the picture, in pixels of it.
    /// - Returns: whether it is a view of the box: at least ``leastShare`` of what is turned to the camera is in it.
    @discardableResult
    public mutating func add(_ pose: Pose, _ camera: CameraIntrinsics) -> Bool {
        let view = CameraView(camera: camera.counted(from: .corner), pose: pose)
        let limit = cos(Self.steepest * .pi / 180)
        var turned = (all: 0, upright: 0)
        var shown = (all: 0, upright: 0)
        for (face, normal, middle, points) in sides {
            let isUpright = face != .top && face != .bottom
            var isSeen = false
            for (number, point) in points.enumerated() {
                let line = pose.position - point
                guard normal.dot(line) > limit * line.length else { continue }
                turned.all += 1
                if isUpright { turned.upright += 1 }
                guard let (u, v, _) = view.project(point), u >= 0, v >= 0, u <= Double(camera.width),
                    v <= Double(camera.height)
                else { continue }
                shown.all += 1
                if isUpright { shown.upright += 1 }
                views[face]?[number] += 1
                isSeen = true
            }
            if isSeen {
                nearest[face] = min(nearest[face] ?? .infinity, (pose.position - middle).length)
            }
        }
        if shown.all == 0 {
            absentCount += 1
        } else if shown.all == turned.all {
            wholeCount += 1
        } else {
            partCount += 1
        }
        let isView = shown.all > 0 && Double(shown.all) >= Self.leastShare * Double(turned.all)
        if isView { distances.append((pose.position - box.center).length) }
        // From above, a camera has no place in the ring.
        if shown.upright > 0, Double(shown.upright) >= Self.leastShare * Double(turned.upright) {
            let d = box.worldFromBox.transposed * (pose.position - box.center)
            let angle = atan2(d.x, -d.z) * 180 / .pi
            // A hair to the left of the front, the sum is rounded to 360, which is the front again.
            azimuths.append(angle < 0 ? (angle + 360).truncatingRemainder(dividingBy: 360) : angle)
        }
        return isView
    }

    /// Pictures that were added.
    public var pictureCount: Int { wholeCount + partCount + absentCount }

    public subscript(face: BoxFace) -> Side {
        guard let counts = views[face], let usual = counts.middle else { return Side(views: 0, share: 0) }
        return Side(
            views: usual, share: Double(counts.count { $0 > 0 }) / Double(counts.count),
            nearest: nearest[face])
    }

    /// The largest stretch of the ring around the box from which no picture shows its upright sides.
    public var gap: Gap {
        let ring = azimuths.sorted()
        guard let first = ring.first, let last = ring.last else { return Gap(size: 360, from: 0, to: 0) }
        var best = Gap(size: first + 360 - last, from: last, to: first)
        for (from, to) in zip(ring, ring.dropFirst()) where to - from > best.size {
            best = Gap(size: to - from, from: from, to: to)
        }
        return best
    }
}
