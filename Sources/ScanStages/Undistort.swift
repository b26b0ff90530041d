import ScanFormats
import ScanModel
import ScanPipeline

/// Undoes lens distortion.
public struct Undistort: CaptureStage, DemandingStage {
    public static let card = StageCard(
        name: "undistort",
        summary:
            "Turn pictures that a lens distorts into pinhole pictures, with their masks, depth, confidence and intrinsics.",
        details: """
            COLMAP and datasets made with it give most cameras a lens that distorts; Gaussian Splatting's own trainer,
            unprojection and most output formats support only pinholes. Put this stage above those that need intrinsics,
            which a capture with such lenses does not have without it, and below those that judge how sharp pictures are,
            such as `filter-blur`: interpolation makes some less sharp than others. Where no lens distorts, nothing is
            done, and pictures are still copied as they are.

            It supports all of COLMAP's camera models except panoramas: SIMPLE_RADIAL, RADIAL, OPENCV, FULL_OPENCV, FOV,
            SIMPLE_DIVISION, DIVISION, EUCM, and the fisheyes SIMPLE_FISHEYE, FISHEYE, SIMPLE_RADIAL_FISHEYE,
            RADIAL_FISHEYE, OPENCV_FISHEYE, THIN_PRISM_FISHEYE and RAD_TAN_THIN_PRISM_FISHEYE; those of nerfstudio's and
            instant-ngp's datasets, including Project Aria's FISHEYE624; and those of TUM sequences whose camera file
            gives k1 k2 p1 p2 k3.

            Pictures keep their size and their principal point. Both focal lengths are multiplied by one number, the
            smallest that leaves no pixel blank, but at least 0.5, and shows nothing where the lens resolves less than a
            fiftieth of what it does in the middle: what a fisheye sees beyond that is cut off. Colours are interpolated
            between the four nearest pixels; confidence and masks take the nearest pixel. Of depth, 1 / depth is
            interpolated, which is linear across a plane's picture; where one of the four pixels has none, or they are
            nearer or farther than each other by more than 3 %, the nearest pixel is taken, so that no points float
            between surfaces. Depth is assumed to be distorted like the picture that it is aligned with. Pictures are
            decoded, and writers encode them again, PNGs as PNGs.

            **`one-camera: true`** gives all pictures of one size the same camera, also where no lens distorts: its
            principal point is in the middle, and it sees only what every picture shows. It is for programs that know no
            other camera: Gaussian Splatting's own trainer assumes a centred principal point, others use the first
            picture's intrinsics for all. A phone's focus and stabiliser change these from picture to picture. Principal
            points keep their origin, a pixel's corner or its centre. A frame whose camera cannot be turned into that
            one, as with a principal point outside of its picture, is dropped as bad.

            The receipt holds the number of undistorted frames and the range of `focal-scale`. There is a warning where
            less than half of a picture is left.
            """,
        example: "- undistort", revision: 4)

    let isOneCamera: Bool
    /// Whether a `turn` above leaves nothing of lenses that distort. Without `one-camera` that is a mistake in itself.
    private let comesTooLate: Bool

    public init(_ options: inout OptionReader) {
        isOneCamera = options.flag(
            "one-camera", "Give all pictures the same camera, with its principal point in the middle.", default: false)
        let quarters = options.value(of: "quarter-turns", above: Turn.self)?.string
        comesTooLate =
            isOneCamera && quarters != nil && quarters != Turn.Turns.none.rawValue && !options.isBelow(Self.self)
        if comesTooLate {
            options.warn(
                nil,
                "the `\(Self.turner)` above leaves no distortion to undo: a capture whose lens distorts will fail",
                fix: "move it above `\(Self.turner)`")
        }
    }

    private static let turner = Turn.card.name

    public var uses: Uses {
        let facts: [Channel] = isOneCamera ? [.intrinsics, .video] : []
        return Uses(
            finish: .init(
                needs: [.frames], wants: PixelChannels.all + [.lens] + facts,
                derives: [(made: .intrinsics, from: .lens)],
                // Bad frames leave the list, which stages below are to see.
                changes: PixelChannels.all + facts + (isOneCamera ? [.frames] : []),
                removes: [.lens] + facts.filter { $0 == .video }),
            idleWithout: isOneCamera ? nil : .lens)
    }

    public func check(_ capture: Capture, _ label: String) throws(Problem) {
        guard comesTooLate, capture.channels.contains(.lens) else { return }
        throw Problem(
            .input, "the lens distorts, and the `\(Self.turner)` above \(label) leaves no distortion to undo",
            notes: capture.absences[.intrinsics].map { [$0.reason] } ?? [],
            fix: "move `\(label)` above `\(Self.turner)`"
        ).ofPipeline()
    }

    public func finish(_ capture: inout Capture, in context: StageContext) throws(Problem) {
        let lenses = capture.channels.contains(.lens) ? capture.undistortions : [:]
        let all = isOneCamera ? try Self.toOneCamera(lenses, &capture, context.label) : lenses
        let bent = capture.keptFrames.filter { all[$0.index]?.changesNothing == false }
        context.record("undistorted", .of(bent.count))
        // A video shows what each frame's own camera saw.
        if isOneCamera { capture.channels.remove(.video) }
        if all.isEmpty { return }
        try PictureOutput.warnOfTransparency(of: bent, context)
        report(bent.compactMap { all[$0.index] }, context)
        for (index, undistortion) in all { capture.frames[index].intrinsics = undistortion.camera }
        capture.channels.insert(.intrinsics)
        capture.channels.remove(.lens)
        capture.undistortions = [:]
        if isOneCamera, !bent.isEmpty { capture.metadata = capture.metadata.map { ScanMetadata.ofOtherCameras($0) } }
        var undistortions = all
        // A frame that lost its camera while it was read is still used as the frame before another.
        for index in capture.frames.indices.dropLast() where all[index] == nil { undistortions[index] = all[index + 1] }
        capture.source = ChangedSource(
            of: capture,
            Undistortions(
                byFrame: undistortions.filter { !$0.value.changesNothing },
                movesDepth: capture.depthCamera == nil))
    }

    /// For each frame, to the camera that all pictures of its size get, counted from where its own was: `unproject` goes
    /// by that. Drops frames of which next to nothing would be left: one wrong camera is no reason to lose the others.
    /// - Throws: where there are more bad frames than the reader allows.
    private static func toOneCamera(
        _ lenses: [Int: Undistortion], _ capture: inout Capture, _ label: String
    ) throws(Problem) -> [Int: Undistortion] {
        var all: [Int: Undistortion] = [:]
        var targets: [PixelSize: CameraIntrinsics] = [:]
        for facts in capture.frames {
            let frame = facts.index
            let straight = facts.intrinsics.flatMap { $0.defect == nil ? Undistortion(straight: $0) : nil }
            guard let undistortion = lenses[frame] ?? straight else { continue }
            all[frame] = undistortion
            // A dropped frame is still the one before another, but has no say in what all others show.
            if facts.isDropped { continue }
            let recorded = undistortion.recorded
            let size = recorded.intrinsics.size
            var target = targets[size] ?? Self.centred(recorded.intrinsics)
            var scale: Double
            do throws(Problem) { scale = try Undistortion.leastScale(of: target, seenBy: recorded) } catch {
                if capture.onBadFrame == .fail { throw error.inFrame(frame) }
                capture.drop(frame, stage: label, reason: error.oneLine, isBad: true, fix: error.fix)
                // As the one before another it is seen through that one's camera; its own is wrong.
                all[frame] = nil
                continue
            }
            // A pinhole's picture is never made smaller.
            if recorded.lens.isStraight { scale = max(scale, recorded.intrinsics.fx / target.fx) }
            // The first picture decides; those after it can only ask for more.
            if targets[size] == nil || scale > 1 {
                target.fx *= scale
                target.fy *= scale
            }
            targets[size] = target
        }
        // The run asks again when the next pass is through, which may take long.
        if let excess = capture.excessOfBadFrames(using: []) { throw excess }
        return all.compactMapValues { undistortion in
            let recorded = undistortion.recorded
            return targets[recorded.intrinsics.size].map {
                Undistortion(recorded, to: $0.counted(from: recorded.intrinsics.pixelOrigin))
            }
        }
    }

    /// Counted from the corner.
    private static func centred(_ camera: CameraIntrinsics) -> CameraIntrinsics {
        var camera = camera.counted(from: .corner)
        (camera.cx, camera.cy) = (Double(camera.width) / 2, Double(camera.height) / 2)
        return camera
    }

    private func report(_ undistortions: [Undistortion], _ context: StageContext) {
        let scales = undistortions.map(\.scale)
        guard let least = scales.min(), let most = scales.max() else { return }
        context.record("focal-scale", .array([.number(least), .number(most)]))
        let poor = undistortions.map(\.shareLeft).filter { $0 < 0.5 }
        guard let worst = poor.min() else { return }
        var causes: [String] = []
        if undistortions.contains(where: { !$0.recorded.lens.isStraight }) {
            causes.append("the lens is very wide, or its numbers are wrong")
        }
        // All pictures are cut to what the one that shows least shows.
        if isOneCamera {
            causes.append(
                "a principal point is far from the middle, or one frame's focal length far from the others'")
        }
        context.warn(
            "less than half of the picture is left in \(poor.count) of \(undistortions.count.counted("frame")), in one "
                + "\((worst * 100).shortText) %: \(causes.joined(separator: ", or "))")
    }
}

/// Undoes the distortion of each frame's lens.
private struct Undistortions: PixelChange {
    /// Of the frames whose pictures change, by their index.
    let byFrame: [Int: Undistortion]
    /// Whether depth is aligned with the pictures; a separate sensor has its own lens.
    let movesDepth: Bool

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
