import ScanModel

/// What makes a camera's intrinsics unlikely to be those of its pictures.
enum CameraDoubt: CaseIterable {
    /// All numbers are shares of the picture's width and height, as some programs write them.
    case inShares
    /// No lens of a phone has such a focal length.
    case oddFocalLength
    /// The principal point is nowhere near the picture's middle.
    case offCentre
    /// The pixels are far from square.
    case oblongPixels

    /// What is odd about a camera, with its numbers; nil where this is not.
    func summary(of camera: CameraIntrinsics) -> String? {
        // Numbers of another unit have nothing else to say.
        guard (self == .inShares) == Self.isInShares(camera) else { return nil }
        switch self {
        case .inShares:
            return "the intrinsics are in shares of the picture's size, and should be in pixels: fx "
                + "\(camera.fx.shortText), cx \(camera.cx.shortText)"
        case .oddFocalLength:
            if camera.isOfPhone { return nil }
            let (across, down) = camera.fieldsOfView
            let isAcross = !CameraIntrinsics.viewsOfPhones.contains(across)
            let angle = (isAcross ? across : down).shortText(digits: 3)
            return "the focal length is \(camera.fx.shortText) × \(camera.fy.shortText) pixels for pictures of "
                + "\(camera.size), which would show \(angle)° from \(isAcross ? "left to right" : "top to bottom")"
        case .offCentre:
            if camera.offCentre <= 0.1 { return nil }
            let (x, y) = (camera.cx.rounded(decimals: 3), camera.cy.rounded(decimals: 3))
            return "the principal point (\(x), \(y)) is far from the middle of a picture of \(camera.size)"
        case .oblongPixels:
            let ratio = camera.fx / camera.fy
            if (0.9...1.1).contains(ratio) || !camera.isOfPhone { return nil }
            return "the pixels are far from square: fx / fy is \(ratio.rounded(decimals: 3))"
        }
    }

    /// What may be the cause, or what to do about it, as a warning goes on after a colon.
    var cause: String {
        switch self {
        case .inShares: "multiply fx and cx by the width, fy and cy by the height"
        case .oddFocalLength:
            "it should be in pixels of these pictures, and may be in millimetres, for another size, or a placeholder"
        case .offCentre: "the intrinsics may be for pictures of another size, or turned by 90°"
        case .oblongPixels: "the intrinsics may be wrong, or for pictures of another size"
        }
    }

    /// A focal length of three pixels would see all that is in front of the camera.
    private static func isInShares(_ camera: CameraIntrinsics) -> Bool {
        min(camera.width, camera.height) >= 16
            && [camera.fx, camera.fy, camera.cx, camera.cy].allSatisfy { abs($0) <= 3 }
    }
}
