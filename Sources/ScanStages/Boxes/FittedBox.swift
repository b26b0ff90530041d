import ScanModel

/// An upright box around a capture's cloud, standing on its floor where one was found: for captures without a box.
struct FittedBox {
    let box: OrientedBox
    /// Why it may be around something other than what was filmed, or nil.
    let doubt: String?

    /// The share of the points that is left out at each end of each axis.
    private static let trim = 0.001

    /// - Throws: a problem of the capture if it does not say which way is up.
    static func up(of capture: Capture) throws(Problem) -> Vector3 {
        try capture.requiredUp(
            "so no box is known to be upright", fix: "cull with a box in a file instead: `cull-by-box: {box: FILE}`")
    }

    /// - Throws: a problem of the capture if it does not say which way is up, or has too few points.
    init(around cloud: PointCloud, of capture: Capture) throws(Problem) {
        let up = try Self.up(of: capture)
        guard var box = OrientedBox(around: cloud, up: up, trim: Self.trim) else {
            throw Problem(
                .input, "the cloud has only \(cloud.count.counted("point")), too few for a box",
                fix: "let the stages above leave more of it"
            ).ofPipeline()
        }
        if let floor = capture.floor?.height {
            let (low, high) = (up.dot(box.center) - box.halfSize.y, up.dot(box.center) + box.halfSize.y)
            if floor < high {
                box.halfSize.y = (high - floor) / 2
                box.center = box.center + up * ((floor - low) / 2)
            }
        }
        self.box = box
        doubt = Self.doubt(of: box, capture)
    }

    /// A hand trembles, and the central rays of most cameras may miss a small object: the point they have in common is
    /// what counts, and a tenth of the distance from there is within the tremor.
    private static func doubt(of box: OrientedBox, _ capture: Capture) -> String? {
        let poses = capture.keptFrames.compactMap(\.pose)
        let passing = poses.count { box.encounter(from: $0.position, along: -$0.rotation.columns.2) == .miss }
        guard 2 * passing > poses.count else { return nil }
        var place = ""
        if case .point(let focus) = CameraFocus(of: poses) {
            let beside = box.distance(to: focus)
            guard let usual = poses.map({ ($0.position - focus).length }).middle, beside > usual / 10 else {
                return nil
            }
            let unit = capture.isMetric ? "m" : "units"
            place = ", towards a place \(beside.rounded(decimals: 2)) \(unit) from it"
        }
        let cameras = passing.counted(of: poses.count, "camera", "looks", "look")
        return
            "\(cameras) past the box that was fitted to the cloud\(place): the box may hold something other than what "
            + "was filmed; look at what `crop` above leaves, and at its `centre`"
    }
}
