import ScanModel
import ScanPipeline

/// The one camera that stands for all frames in formats with room for only one: the median of each number.
struct OneCamera {
    private var cameras: [CameraIntrinsics] = []
    private var size = OneSize()

    /// - Throws: if the frame's pictures differ in size from those before.
    mutating func add(_ camera: CameraIntrinsics) throws(Problem) {
        try size.add(pictures: camera.size)
        cameras.append(camera.counted(from: .centre))
    }

    /// Nil without frames.
    private var median: CameraIntrinsics? {
        guard var camera = cameras.first else { return nil }
        for number in [\CameraIntrinsics.fx, \.fy, \.cx, \.cy] { camera[keyPath: number] = median(number) }
        return camera
    }

    /// For an even count the lower of the middle two: a number that some frame really has.
    private func median(_ number: KeyPath<CameraIntrinsics, Double>) -> Double {
        cameras.map { $0[keyPath: number] }.sorted()[(cameras.count - 1) / 2]
    }

    /// How many pixels away a frame's own camera sees a point, at most: in a corner of the picture.
    private func largestDeviation(from median: CameraIntrinsics) -> Double {
        cameras.reduce(0) { largest, camera in
            let x = Self.largestShift(
                focal: camera.fx / median.fx, from: median.cx, to: camera.cx, length: camera.width)
            let y = Self.largestShift(
                focal: camera.fy / median.fy, from: median.cy, to: camera.cy, length: camera.height)
            return max(largest, (x * x + y * y).squareRoot())
        }
    }

    /// How far the ends of a row or column are from where another camera sees them.
    /// - Parameters:
    ///   - focal: the other camera's focal length as a multiple of this one's.
    ///   - from: this camera's principal point, counted from the centre of the first pixel; `to` is the other's.
    private static func largestShift(focal: Double, from: Double, to: Double, length: Int) -> Double {
        let ends = [-0.5, Double(length) - 0.5]
        return ends.map { abs((focal - 1) * ($0 - from) + to - from) }.max() ?? 0
    }

    /// The median, with a word in the receipt on how far it is from the frames' own.
    func median(reportedTo context: StageContext) -> CameraIntrinsics? {
        guard let median else { return nil }
        let deviation = largestDeviation(from: median).rounded(decimals: 3)
        context.record("camera-deviation", .number(deviation))
        if deviation > 1 {
            context.warn(
                "one camera is written for all frames: with it, points are up to \(deviation) pixels from where some "
                    + "frames' own cameras see them; `undistort: {one-camera: true}` above gives all pictures the same "
                    + "camera")
        }
        return median
    }
}
