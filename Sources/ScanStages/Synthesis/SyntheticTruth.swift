import ScanModel

/// What a synthesised capture looks like.
package struct SyntheticSettings: Hashable, Sendable {
    package var frameCount = 60
    package var seed: UInt64 = 1
    package var pictureSize = PixelSize(640, 480)
    package var depthSize = PixelSize(256, 192)
    /// Frames per second.
    package var rate = 30.0
    /// Seconds for one lap round the table.
    package var lap = 20.0
    /// The last of every n frames is blurred; 0 for none.
    package var blurEvery = 7
    /// After every n frames the clock advances by one extra frame; 0 for never.
    package var gapEvery = 0
    /// nil for a capture without depth.
    package var depthEncoding: DepthEncoding? = .float16Metres
    /// nil for a capture without confidence.
    package var confidenceRange: ClosedRange<Int>? = 0...2
    package var hasPictures = true

    package init() {}
}

/// Everything that is true of a synthesised capture, exactly: what it shows, from where, and when.
///
/// A value that holds no pixels: everything is computed from the frame's number on request.
package struct SyntheticTruth: Sendable {
    package let settings: SyntheticSettings
    package let room = SyntheticRoom()
    package let path: SyntheticPath
    /// The first frame, nanoseconds since the imaginary device was switched on.
    package static let start: Int64 = 23_456_789_012_345

    package init(_ settings: SyntheticSettings) {
        self.settings = settings
        path = SyntheticPath(seed: settings.seed, lap: settings.lap)
    }

    package func timestamp(of frame: Int) -> Int64 {
        let ticks = frame + (settings.gapEvery > 0 ? frame / settings.gapEvery : 0)
        return Self.start + Int64((Double(ticks) * 1e9 / settings.rate).rounded())
    }

    /// Seconds on the path.
    package func time(of frame: Int) -> Double { Double(timestamp(of: frame) - Self.start) * 1e-9 }

    package func pose(of frame: Int) -> Pose { path.pose(at: time(of: frame)) }

    /// At the pictures' size.
    package func intrinsics(of frame: Int) -> CameraIntrinsics {
        path.intrinsics(at: time(of: frame), size: settings.pictureSize)
    }

    func isBlurred(_ frame: Int) -> Bool {
        settings.blurEvery > 0 && frame % settings.blurEvery == settings.blurEvery - 1
    }

    /// The radius of a blurred picture's box filter, pixels: 4 for 640, at least 1.
    private var blurRadius: Int { max(1, settings.pictureSize.width / 160) }

    /// What the depth sensor sees, before it is rounded.
    package func depthView(of frame: Int) -> SyntheticView {
        let size = settings.depthSize
        let camera = intrinsics(of: frame).resized(to: size)
        return SyntheticView(of: room, camera: camera, pose: pose(of: frame))
    }

    package func picture(of frame: Int) -> RGBImage {
        let view = SyntheticView(of: room, camera: intrinsics(of: frame), pose: pose(of: frame))
        let sharp = view.picture(seed: settings.seed)
        return isBlurred(frame) ? sharp.boxBlurred(radius: blurRadius) : sharp
    }

    package var motion: SyntheticMotion {
        SyntheticMotion(path: path, from: Self.start, to: timestamp(of: settings.frameCount - 1))
    }
}
