/// Depth along the optical axis (z-depth, not ray length), in metres; 0 means "no value". Row-major, top-left first.
/// Values are finite and never negative: whoever makes a map sees to that.
public struct DepthMap: PixelSized, Hashable, Sendable {
    public var width: Int
    public var height: Int
    /// `width * height` values.
    public var metres: [Float]

    public init(width: Int, height: Int, metres: [Float]) {
        precondition(metres.count == width * height)
        self.width = width
        self.height = height
        self.metres = metres
    }

    /// Without any value.
    package init(emptyOf size: PixelSize) {
        self.init(width: size.width, height: size.height, metres: Array(repeating: 0, count: size.width * size.height))
    }
}

extension DepthMap {
    package mutating func multiply(by factor: Float) {
        for index in metres.indices { metres[index] *= factor }
    }

    /// Turns ray lengths l, which are distances from the camera, into depth along the optical axis: z = l / √(x² + y² + 1)
    /// for the direction (x, y, 1) of the pixel's centre.
    /// - Parameter camera: for pictures of the map's size.
    package mutating func convertRayLengths(seenBy camera: CameraIntrinsics) {
        let k = camera.counted(from: .corner)
        for row in 0..<height {
            let y = (Double(row) + 0.5 - k.cy) / k.fy
            for column in 0..<width {
                let x = (Double(column) + 0.5 - k.cx) / k.fx
                metres[row * width + column] /= Float((x * x + y * y + 1).squareRoot())
            }
        }
    }
}
