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
        let (x, y) = (cx.rounded(decimals: 3), cy.rounded(decimals: 3))
        return "the principal point (\(x), \(y)) is far from the middle of a picture of \(size)"
    }
}
