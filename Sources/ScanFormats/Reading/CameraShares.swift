import ScanModel

/// A camera's intrinsics as shares of the picture's size, so that cameras of pictures of different sizes, or turned, can
/// be compared.
struct CameraShares {
    /// Of fx and fy in the longer side; of cx in the width, and of cy in the height.
    private let focal: (x: Double, y: Double)
    private let principal: (x: Double, y: Double)

    init(_ camera: CameraIntrinsics) {
        let (width, height) = (Double(camera.width), Double(camera.height))
        let side = max(width, height)
        focal = (camera.fx / side, camera.fy / side)
        principal = (camera.cx / width, camera.cy / height)
    }

    /// The middle of each number.
    init?(usualOf cameras: [CameraShares]) {
        guard let fx = cameras.map(\.focal.x).middle, let fy = cameras.map(\.focal.y).middle,
            let cx = cameras.map(\.principal.x).middle, let cy = cameras.map(\.principal.y).middle
        else { return nil }
        (focal, principal) = ((fx, fy), (cx, cy))
    }

    /// For pictures of a size.
    func camera(of size: PixelSize) -> CameraIntrinsics {
        let (width, height) = (Double(size.width), Double(size.height))
        let side = max(width, height)
        return CameraIntrinsics(
            fx: focal.x * side, fy: focal.y * side, cx: principal.x * width, cy: principal.y * height,
            width: size.width, height: size.height, pixelOrigin: .corner)
    }

    /// Whether one lens can be both: autofocus and stabilisation change a camera by a few percent.
    func isLike(_ other: CameraShares) -> Bool { isWithin(1.25, 0.1, of: other) }

    /// Whether one phone can have both.
    func isRemotelyLike(_ other: CameraShares) -> Bool { isWithin(12, 0.5, of: other) }

    /// - Parameters:
    ///   - times: by how much longer or shorter the focal length may be.
    ///   - share: of the picture that the principal points may be apart.
    private func isWithin(_ times: Double, _ share: Double, of other: CameraShares) -> Bool {
        [focal.x / other.focal.x, focal.y / other.focal.y].allSatisfy { (1 / times...times).contains($0) }
            && [principal.x - other.principal.x, principal.y - other.principal.y].allSatisfy { abs($0) <= share }
    }
}

extension CameraIntrinsics {
    /// For messages.
    var numbers: String {
        [("fx", fx), ("fy", fy), ("cx", cx), ("cy", cy)].map { "\($0) \($1.rounded(decimals: 2).shortText)" }
            .joined(separator: ", ")
    }
}
