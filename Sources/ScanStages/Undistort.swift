import ScanFormats
import ScanModel
import ScanPipeline

/// Undoes lens distortion.
public struct Undistort: CaptureStage {
    public static let card = StageCard(
        name: "undistort",
        summary:
            "Turn pictures that a lens distorts into pinhole pictures, with their masks, depth, confidence and intrinsics.",
        details: """
            COLMAP and datasets made with it give most cameras a lens that distorts; Gaussian Splatting's own trainer,
            unprojection and most output formats support only pinholes. Put this stage directly below `read`: without
            it, a capture with such lenses has no intrinsics. Where no lens distorts, nothing is done, and pictures are
            still copied as they are.

            It supports all of COLMAP's camera models except panoramas: SIMPLE_RADIAL, RADIAL, OPENCV, FULL_OPENCV, FOV,
            SIMPLE_DIVISION, DIVISION, EUCM, and the fisheyes SIMPLE_FISHEYE, FISHEYE, SIMPLE_RADIAL_FISHEYE,
            RADIAL_FISHEYE, OPENCV_FISHEYE, THIN_PRISM_FISHEYE and RAD_TAN_THIN_PRISM_FISHEYE; those of nerfstudio's and
            instant-ngp's datasets, including Project Aria's FISHEYE624; and those of TUM sequences whose camera file
            gives k1 k2 p1 p2 k3.

            Pictures keep their size and their principal point. Both focal lengths are multiplied by one number, the
            smallest that leaves no pixel blank, but at least 0.5: what a fisheye sees beyond that is cut off. Colours
            are interpolated between the four nearest pixels; depth, confidence and masks take the nearest pixel. Depth
            is assumed to be distorted like the picture that it is aligned with. Pictures are decoded, and writers
            encode them again.

            The receipt holds the number of undistorted frames and the range of `focal-scale`. There is a warning where
            less than half of a picture is left.
            """,
        example: "- undistort", revision: 3)

    public init(_ options: inout OptionReader) {}

    public var uses: Uses {
        Uses(
            finish: .init(
                needs: [.frames], wants: PixelChannels.all + [.lens],
                derives: [(made: .intrinsics, from: .lens)], changes: PixelChannels.all, removes: [.lens]),
            idleWithout: .lens)
    }

    public func finish(_ capture: inout Capture, in context: StageContext) throws(Problem) {
        let all = capture.channels.contains(.lens) ? capture.undistortions : [:]
        let bent = capture.keptFrames.filter { all[$0.index]?.recorded.lens.isStraight == false }
        context.record("undistorted", .of(bent.count))
        if all.isEmpty { return }
        try PictureOutput.warnOfTransparency(of: bent, context)
        report(bent.compactMap { all[$0.index] }, context)
        for (index, undistortion) in all { capture.frames[index].intrinsics = undistortion.camera }
        capture.channels.insert(.intrinsics)
        capture.channels.remove(.lens)
        capture.undistortions = [:]
        var undistortions = all
        // A frame that lost its camera while it was read is still used as the frame before another.
        for index in capture.frames.indices.dropLast() where all[index] == nil { undistortions[index] = all[index + 1] }
        capture.source = ChangedSource(
            of: capture,
            Undistortions(
                byFrame: undistortions.filter { !$0.value.recorded.lens.isStraight },
                movesDepth: capture.depthCamera == nil))
    }

    private func report(_ undistortions: [Undistortion], _ context: StageContext) {
        let scales = undistortions.map(\.scale)
        guard let least = scales.min(), let most = scales.max() else { return }
        context.record("focal-scale", .array([.number(least), .number(most)]))
        let poor = undistortions.map(\.shareLeft).filter { $0 < 0.5 }
        guard let worst = poor.min() else { return }
        context.warn(
            "less than half of the picture is left of \(poor.count) of \(undistortions.count) frames, of one "
                + "\((worst * 100).shortText) %: the lens is very wide, or its numbers are wrong")
    }
}

/// Undoes the distortion of each frame's lens.
private struct Undistortions: PixelChange {
    /// Of the frames whose lens distorts, by their index.
    let byFrame: [Int: Undistortion]
    /// Whether depth is aligned with the pictures; a separate sensor has its own lens.
    let movesDepth: Bool

    var participle: String { "undistorted" }

    func changes(_ frame: Int) -> Bool { byFrame[frame] != nil }

    func picture(_ picture: RGBImage, of frame: Int) -> RGBImage { byFrame[frame]?.picture(picture) ?? picture }
    func luma(_ luma: LumaImage, of frame: Int) -> LumaImage { byFrame[frame]?.luma(luma) ?? luma }
    func mask(_ mask: LumaImage, of frame: Int) -> LumaImage { byFrame[frame]?.mask(mask) ?? mask }
    func depth(_ depth: RecordedDepth, of frame: Int) -> RecordedDepth {
        movesDepth ? byFrame[frame]?.depth(depth) ?? depth : depth
    }
    func confidence(_ map: ConfidenceMap, of frame: Int) -> ConfidenceMap {
        movesDepth ? byFrame[frame]?.confidence(map) ?? map : map
    }
}
