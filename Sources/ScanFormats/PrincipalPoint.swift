import ScanModel

// Files with a camera's numbers rarely say for which size of picture they are. The principal point tells.
extension CameraIntrinsics {
    /// How far the principal point lies from the picture's middle, in parts of its width or height: the larger of both.
    /// Cameras of phones and tablets keep within a fiftieth.
    var offCentre: Double {
        let k = counted(from: .corner)
        return max(abs(k.cx / Double(width) - 0.5), abs(k.cy / Double(height) - 0.5))
    }

    /// Whether these numbers can be those of a picture of this size. A tenth of a size less or more moves the middle by a
    /// twentieth.
    var isCentred: Bool { offCentre < 0.05 }

    /// The same numbers, taken to be for pictures of another size.
    func claimed(for size: PixelSize) -> CameraIntrinsics {
        var camera = self
        (camera.width, camera.height) = (size.width, size.height)
        return camera
    }

    /// What is odd about a camera whose principal point is nowhere near the middle; nil where it is near.
    var doubt: String? {
        if offCentre <= 0.1 { return nil }
        let (x, y) = ((cx * 1000).rounded() / 1000, (cy * 1000).rounded() / 1000)
        return "the principal point (\(x), \(y)) is far from the middle of a picture of \(PixelSize(width, height))"
    }
}

extension Capture {
    /// Warns of what may be as it should and mostly is not, whatever the format: of the files, and of cameras that hardly
    /// can have taken these pictures.
    public mutating func noteDoubts(in tree: any CaptureTree) {
        noteDoubtsOfFiles(in: tree)
        let cameras = frames.filter { !$0.isDropped }.compactMap(\.intrinsics)
        let doubts = cameras.compactMap(\.doubt)
        if let doubt = doubts.first, doubts.count > cameras.count / 2 {
            warnings.append("\(doubt): the intrinsics may be for pictures of another size, or turned by a quarter")
        }
    }

    /// The same of the files alone: second copies among the frames', pictures that others turn, points far from the origin.
    mutating func noteDoubtsOfFiles(in tree: any CaptureTree) {
        noteCopies(in: tree)
        noteOrientation(in: tree)
        if let doubt = cloud?.coarseness { warnings.append(doubt) }
    }
}
