import Glibc
import ScanModel

/// The box that a person put around an object in the HMC capture app, `boundingbox.json`.
///
/// The file holds a centre, a turn about +y and eight corners, in the world of the poses. Sizes are not stored: they are
/// the lengths of the edges at the corner `top_left_front`. Left is −x, bottom −y, **front −z** in the box's own axes.
///
/// When the app knew a floor it raised the bottom corners to it and left the centre unchanged. A box with clamped floor
/// corners is cut at their lowest y: it keeps its full height, 2·(top − centre), and gets a ``OrientedBox/floor``.
///
/// `entity_anchor_4x4` has been the identity in every file seen. The app draws the corners relative to that anchor while
/// the other readers of the file take them for world coordinates, so another matrix is refused rather than guessed at.
public struct BoundingBoxJSON: Hashable, Sendable {
    public var box: OrientedBox
    /// What the user should know about the box: sentences without a full stop.
    public var warnings: [String]

    /// The names of the corners with their signs in the box's own axes, in the app's order.
    static let corners: [(name: String, signs: Vector3)] = [
        ("top_left_front", Vector3(-1, 1, -1)), ("top_right_front", Vector3(1, 1, -1)),
        ("bot_right_front", Vector3(1, -1, -1)), ("bot_left_front", Vector3(-1, -1, -1)),
        ("top_left_back", Vector3(-1, 1, 1)), ("top_right_back", Vector3(1, 1, 1)),
        ("bot_right_back", Vector3(1, -1, 1)), ("bot_left_back", Vector3(-1, -1, 1)),
    ]

    /// - Throws: fault `input`, naming the JSON path of what is missing or not a number; and for boxes that cannot be
    ///   used: another anchor, or the corners of a fitted parallelepiped (`model_boundingbox.json`).
    public init(_ bytes: [UInt8], file: String) throws(Problem) {
        var warnings: [String] = []
        let root = try JSONField(parsing: bytes, file: file, warnings: &warnings)
        _ = try root.object()
        if root["positions"].isAbsent, root[Self.corners[0].name].value?.array != nil {
            throw Problem(
                .input, "the box is the fitted parallelepiped of a model_boundingbox.json, which has no right angles",
                fix: "use the boundingbox.json that the capture app wrote"
            ).at(file: file)
        }
        try Self.checkAnchor(root["entity_anchor_4x4"])
        let center = try Self.vector(root["center"])
        let angle = try root["rad_rot_about_y"].number()
        var positions: [String: Vector3] = [:]
        for (name, _) in Self.corners { positions[name] = try Self.vector(root["positions"][name]) }
        guard let origin = positions["top_left_front"], let right = positions["top_right_front"],
            let back = positions["top_left_back"], let bottom = positions["bot_left_front"]
        else { throw Problem(.tool, "a corner of the box got lost").at(file: file) }

        let lowest = Self.corners.filter { $0.signs.y < 0 }.compactMap { positions[$0.name]?.y }.min() ?? bottom.y
        let scale = positions.values.flatMap(\.components).reduce(1) { max($0, abs($1)) }
        // The app writes single precision; a tenth of a millimetre in a room is far more than that.
        let tolerance = 1e-5 * scale
        let isClamped = lowest > 2 * center.y - origin.y + tolerance
        let height = isClamped ? 2 * (origin.y - center.y) : (bottom - origin).length
        box = OrientedBox(
            center: center, worldFromBox: .rotation(aboutY: angle),
            halfSize: Vector3((right - origin).length, height, (back - origin).length) / 2,
            floor: isClamped ? lowest : nil)
        if let defect = box.defect { throw Problem(.input, defect).at(file: file) }

        if let doubt = Self.disagreement(of: box, with: positions, tolerance: tolerance) { warnings.append(doubt) }
        if min(box.halfSize.x, box.halfSize.y, box.halfSize.z) == 0 || lowest >= origin.y {
            warnings.append("the box has no volume, so nothing is inside it")
        }
        self.warnings = warnings
    }

    /// The same layout as the app's. The anchor is the identity.
    /// - Throws: fault `input` when the box is not finite or is turned about anything but y, which the layout cannot
    ///   express; up to `Vector3.axisTolerance` counts as rounding.
    public static func text(_ box: OrientedBox) throws(Problem) -> [UInt8] {
        if let defect = box.defect { throw Problem(.input, defect) }
        let (right, up, back) = box.worldFromBox.columns
        let angle = atan2(back.x, back.z)
        let turned = Matrix3.rotation(aboutY: angle)
        let tilt = max(
            (turned.columns.0 - right).length, (turned.columns.1 - up).length, (turned.columns.2 - back).length)
        if tilt > Vector3.axisTolerance {
            throw Problem(.input, "the box is tilted, and boundingbox.json holds only boxes turned about y")
        }
        var positions = JSONObject()
        for (name, signs) in corners {
            positions[name] = object(corner(signs, of: box))
        }
        let identity = (0..<4).map { column in JSONValue.of((0..<4).map { $0 == column ? 1 : 0 }) }
        return JSONWriter.text(
            .object([
                "center": object(box.center), "rad_rot_about_y": .number(angle), "positions": .object(positions),
                "entity_anchor_4x4": .array(identity),
            ]))
    }

    /// A corner of the box, or where the app raises it to.
    private static func corner(_ signs: Vector3, of box: OrientedBox) -> Vector3 {
        let half = box.halfSize
        var corner = box.center + box.worldFromBox * Vector3(signs.x * half.x, signs.y * half.y, signs.z * half.z)
        if signs.y < 0, let floor = box.floor { corner.y = max(corner.y, floor) }
        return corner
    }

    private static func object(_ v: Vector3) -> JSONValue {
        .object(["x": .number(v.x), "y": .number(v.y), "z": .number(v.z)])
    }

    private static func vector(_ field: JSONField) throws(Problem) -> Vector3 {
        if field.isAbsent { throw field.unlike("x, y and z") }
        return Vector3(try field["x"].number(), try field["y"].number(), try field["z"].number())
    }

    private static func checkAnchor(_ field: JSONField) throws(Problem) {
        if field.isAbsent { return }
        let columns = try field.elements()
        guard columns.count == 4 else { throw field.unlike("four columns of four numbers") }
        for (i, column) in columns.enumerated() {
            for (j, value) in try column.numbers(4).enumerated() where abs(value - (i == j ? 1 : 0)) > 1e-6 {
                throw Problem(
                    .input, "the box is attached to an anchor away from the world's origin, so its place is unknown",
                    notes: ["“\(column.path)[\(j)]” is \(value); the matrix has to be the identity"],
                    fix: "make entity_anchor_4x4 the identity if the corners are world coordinates"
                ).at(file: field.file)
            }
        }
    }

    /// How far the corners are from where centre, turn and sizes put them, if that is more than rounding.
    private static func disagreement(
        of box: OrientedBox, with positions: [String: Vector3], tolerance: Double
    ) -> String? {
        var worst = (distance: 0.0, name: "")
        for (name, signs) in corners {
            let expected = corner(signs, of: box)
            let distance = ((positions[name] ?? expected) - expected).length
            if distance > worst.distance { worst = (distance, name) }
        }
        guard worst.distance > tolerance else { return nil }
        let rounded = worst.distance.rounded(decimals: 4)
        return "the box's corners do not fit its centre and turn: \(worst.name) is off by \(rounded);"
            + " the centre, the turn and the lengths of the edges are used"
    }
}
