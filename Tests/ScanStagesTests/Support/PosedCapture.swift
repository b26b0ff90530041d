import ScanFormats
import ScanModel

extension MemoryCapture {
    /// Frames with pictures in files, each with its own pose and focal length; depth of 4 × 3 pixels at 2 m.
    static func posed(_ count: Int) throws(Problem) -> MemoryCapture {
        var capture = MemoryCapture([])
        for number in 0..<count {
            var item = Item(timestamp: Int64(number) * 1_000_000_000)
            item.pose = pose(number)
            item.intrinsics = camera
            item.intrinsics?.fx += Double(number) / 4
            item.file = "color/\(number).png"
            capture.files["color/\(number).png"] = try pngOf(
                width: 8, height: 6, [UInt8(truncatingIfNeeded: 50 * number), 90, 7])
            item.depth = DepthMap(width: 4, height: 3, metres: Array(repeating: 2, count: 12))
            capture.items.append(item)
        }
        capture.colorSize = PixelSize(8, 6)
        return capture
    }

    static func pose(_ number: Int) -> Pose {
        let turn = Matrix3.rotation(aboutY: 0.4 * Double(number))
        let tilt = Matrix3(rows: Vector3(1, 0, 0), Vector3(0, 0.8, -0.6), Vector3(0, 0.6, 0.8))
        return Pose(rotation: turn * tilt, position: Vector3(0.5 * Double(number) - 1, 0.25, 3 - Double(number) / 8))
    }

    /// Every frame's pose as four rows, for Python.
    var poses: String { "\(items.map { $0.pose?.rowMajorRows ?? [] })" }
}
