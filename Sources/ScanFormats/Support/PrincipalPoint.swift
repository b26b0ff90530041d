import ScanModel

// Camera files rarely say which picture size their numbers are for. The principal point tells.
extension CameraIntrinsics {
    /// How far the principal point lies from the picture's middle, as a fraction of its width or height: the larger of
    /// the two. Cameras of phones and tablets stay within a fiftieth.
    var offCentre: Double {
        let k = counted(from: .corner)
        return max(abs(k.cx / Double(width) - 0.5), abs(k.cy / Double(height) - 0.5))
    }

    /// Whether these numbers can be for a picture of this size. A size that is a tenth off moves the middle by a
    /// twentieth.
    var isCentred: Bool { offCentre < 0.05 }

    /// The same numbers, assumed to be for pictures of another size.
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
