import ScanModel

extension Capture {
    /// Refuses depth that lies on its side beside pictures that stand upright, or the other way round. Apps record both
    /// alike, so one of them was turned since, or a description has swapped the width and the height of depth: every
    /// pixel of depth would have another one's ray and colour. Depth whose own camera is mounted on its side lies as it
    /// should. To be asked once both sizes are known.
    /// - Parameters:
    ///   - depth: the size of depth.
    ///   - file: what says that size, or holds the depth.
    ///   - colorFromDepth: where the depth camera is; nil for what ``depthCamera`` says, if there is one.
    ///   - fix: what to do, where the format knows better than to copy both again.
    /// - Throws: the problem, unless the rules only look at the capture: then it is noted in ``forgiven``.
    mutating func requireOneOrientation(
        ofDepth depth: PixelSize, in file: String?, _ rules: ReadRules, colorFromDepth: Pose? = nil,
        fix: String? = nil
    ) throws(Problem) {
        guard channels.contains(.color), let color = colorSize,
            !lieAlike(depth, color, colorFromDepth ?? depthCamera?.colorFromDepth)
        else { return }
        let problem = Problem(
            .input, "depth of \(depth) does not fit pictures of \(color)",
            notes: ["one is upright, the other lies on its side"],
            fix: fix ?? "copy pictures and depth again as the app wrote them: one of them was turned since"
        ).at(file: file)
        if rules.refusesTurnedDepth { throw problem }
        forgiven.append(problem)
    }

    /// Whether readers take depth and pictures of these sizes for two views of one scene.
    package func takes(depth: PixelSize, besidePictures color: PixelSize) -> Bool {
        lieAlike(depth, color, depthCamera?.colorFromDepth)
    }

    private func lieAlike(_ depth: PixelSize, _ color: PixelSize, _ colorFromDepth: Pose?) -> Bool {
        // What is square lies no way.
        let turned = (color.width - color.height).signum() * (depth.width - depth.height).signum()
        return turned >= 0 || colorFromDepth?.isQuarterTurn == true
    }
}

extension Pose {
    /// Whether a camera that is placed so beside another one, with the same axes, has its rows where the other has its
    /// columns: it is nearer to lying on its side than to standing upright or on its head.
    var isQuarterTurn: Bool {
        let right = rotation.columns.0
        return abs(right.y) > abs(right.x)
    }
}
