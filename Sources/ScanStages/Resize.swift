import ScanFormats
import ScanModel
import ScanPipeline

/// Makes pictures smaller.
public struct Resize: CaptureStage {
    public static let card = StageCard(
        name: "resize",
        summary: "Make pictures smaller, with their masks and intrinsics, for all stages below.",
        details: """
            `width` and `height` are the new size. With one of them the other follows from the aspect ratio; `longest`
            limits the longer side, whichever way the camera was held. Each pixel is the exact mean over its area;
            recorded masks take the nearest pixel. K' = diag(w'/w, h'/h, 1) · K, counted from the picture's corner, and a
            lens keeps its distortion. Depth and confidence keep their size: they are aligned with a picture of any size,
            and the same points come of them.

            No picture is enlarged: one that is narrower than `width` or lower than `height` keeps its size, with a
            warning, and one within `longest` keeps it without. Another warning says if one side shrinks over 3 % more
            than the other, for example because `width` and `height` are for a phone held the other way.

            It may stand above or below `turn` and `undistort`; below `undistort`, pictures are sharper. Put it below
            `check-geometry`, from which it would hide that intrinsics are for another size than the pictures'.
            `downscale` makes its copies of the smaller pictures. Below this stage, sharpness is scored on the smaller
            pictures, in which slight blur no longer shows; scores and predicted blur from above are those of the
            recorded ones. A video is decoded a second time where this stage is below `filter-blur`.

            Pictures that change are decoded, and writers encode them again, PNGs as PNGs; the others are copied. A video
            is no longer copied as a file, even if nothing was to be made smaller; a video that is written needs an even
            width and height.

            The receipt holds the number of resized frames.
            """,
        example: "- resize: {width: 640, height: 480}", revision: 2)

    private let asked: AskedSize

    public init(_ options: inout OptionReader) {
        // Two sides may be given together, but neither with `longest`.
        let sides = ["width", "height"].filter { options.isGiven($0) }
        if sides.isEmpty { options.exactlyOne(of: ["longest", "width", "height"]) }
        for side in sides where options.isGiven("longest") { options.exactlyOne(of: ["longest", side]) }
        let range = 1...65_535
        let width = options.integer("width", "Width of the new pictures.", in: range, unit: "pixels")
        let height = options.integer("height", "Height of the new pictures.", in: range, unit: "pixels")
        let longest = options.integer("longest", "The longer side of the new pictures.", in: range, unit: "pixels")
        asked =
            if let width, let height { .both(PixelSize(width, height)) } else {
                width.map(AskedSize.width) ?? height.map(AskedSize.height) ?? .longest(longest ?? range.upperBound)
            }
    }

    public var uses: Uses {
        let changes: [Channel] = [.color, .mask, .luma, .video, .intrinsics, .lens]
        return Uses(finish: .init(needs: [.frames], wants: changes, changes: changes, removes: [.video]))
    }

    public func finish(_ capture: inout Capture, in context: StageContext) throws(Problem) {
        capture.channels.remove(.video)
        guard capture.channels.contains(.color) else { return context.record("resized", .of(0)) }
        let sizes = capture.frames.map { capture.recordedIntrinsics(of: $0.index)?.size ?? capture.colorSize }
        let change = Resizing(asked: asked, sizes: sizes)
        let kept = capture.keptFrames
        let resized = kept.filter { change.changes($0.index) }
        context.record("resized", .of(resized.count))
        warn(of: kept.compactMap { sizes[$0.index] }, capture, context)
        if resized.isEmpty { return }
        try PictureOutput.warnOfTransparency(of: resized, context)
        capture.source = ChangedSource(of: capture, change)
        for index in capture.frames.indices {
            capture.frames[index].intrinsics = capture.frames[index].intrinsics.map(asked.camera)
        }
        capture.undistortions = capture.undistortions.mapValues { lens in
            let recorded = CalibratedCamera(asked.camera(lens.recorded.intrinsics), lens.recorded.lens)
            return Undistortion(recorded, to: asked.camera(lens.camera))
        }
        // Pictures of several sizes may have become alike.
        let new = Set(kept.map { sizes[$0.index].map(asked.size) })
        capture.colorSize = capture.colorSize.map(asked.size) ?? (new.count == 1 ? new.first.flatMap(\.self) : nil)
        capture.metadata = capture.metadata.map { ScanMetadata.ofOtherCameras($0, colorSize: capture.colorSize) }
    }

    /// How many times as much one side may shrink as the other without a warning: ScanNet's 1296×968 as 640×480 is 1.004.
    private static let mostSqueezed = 1.03

    /// - Parameter sizes: of the pictures before, as far as they are known.
    private func warn(of sizes: [PixelSize], _ capture: Capture, _ context: StageContext) {
        let small = sizes.filter(asked.exceeds)
        if let first = small.first {
            context.warn(
                "\(small.count.counted(of: sizes.count, "picture", "stays", "stay")) as recorded, since none is enlarged; "
                    + "the first is \(first)")
        }
        guard let size = sizes.max(by: { asked.squeeze($0) < asked.squeeze($1) }),
            asked.squeeze(size) > Self.mostSqueezed
        else { return }
        let new = asked.size(of: size)
        let turned = AskedSize.both(PixelSize(new.height, new.width))
        let isTurned = !turned.exceeds(size) && turned.squeeze(size) <= Self.mostSqueezed
        let options =
            isTurned ? ["width=\(new.height)", "height=\(new.width)"] : ["longest=\(max(new.width, new.height))"]
        var unfit = ""
        if let depth = depthSize(of: capture), !capture.takes(depth: depth, besidePictures: new) {
            unfit = ", and depth keeps its shape, \(depth), so that readers will refuse the two together"
        }
        context.warn(
            "pictures of \(size) became \(new): one side shrank \(asked.squeeze(size).shortText(decimals: 2)) times as much as "
                + "the other\(unfit); to keep the aspect ratio:  "
                + options.map { ShellWord.setting(context.label, $0) }.joined(separator: " "))
    }

    private func depthSize(of capture: Capture) -> PixelSize? {
        capture.channels.isDisjoint(with: [.depth, .recordedDepth]) ? nil : capture.depthSize
    }
}

/// The size that pictures are asked to have.
private enum AskedSize: Sendable {
    case both(PixelSize)
    /// The other side follows, so that pictures keep their shape.
    case width(Int)
    case height(Int)
    /// At most.
    case longest(Int)

    /// Whether a picture would have to be enlarged.
    func exceeds(_ picture: PixelSize) -> Bool {
        switch self {
        case .both(let size): size.width > picture.width || size.height > picture.height
        case .width(let width): width > picture.width
        case .height(let height): height > picture.height
        case .longest: false
        }
    }

    /// The size that a picture gets: its own where it would have to be enlarged.
    func size(of picture: PixelSize) -> PixelSize {
        if exceeds(picture) { return picture }
        return switch self {
        case .both(let size): size
        case .width(let width): picture.fitting(into: PixelSize(width, picture.height))
        case .height(let height): picture.fitting(into: PixelSize(picture.width, height))
        case .longest(let length): picture.fitting(into: PixelSize(length, length))
        }
    }

    func camera(_ camera: CameraIntrinsics) -> CameraIntrinsics { camera.resized(to: size(of: camera.size)) }

    /// How many times as much one side of a picture shrinks as the other, at least 1.
    func squeeze(_ picture: PixelSize) -> Double {
        guard case .both = self else { return 1 }
        let new = size(of: picture)
        let ratio = Double(new.width * picture.height) / Double(new.height * picture.width)
        return max(ratio, 1 / ratio)
    }
}

/// Pictures made smaller, with what belongs to them.
private struct Resizing: PixelChange {
    let asked: AskedSize
    /// Of each frame's picture, where it is known.
    let sizes: [PixelSize?]

    private func size(_ frame: Int) -> PixelSize? { sizes.indices.contains(frame) ? sizes[frame] : nil }

    func changes(_ frame: Int) -> Bool { size(frame).map { asked.size(of: $0) != $0 } ?? true }

    func picture(_ picture: RGBImage, of frame: Int) -> RGBImage {
        picture.downscaled(to: asked.size(of: picture.size))
    }
    func luma(_ luma: LumaImage, of frame: Int) -> LumaImage { luma.downscaled(to: asked.size(of: luma.size)) }
    func mask(_ mask: LumaImage, of frame: Int) -> LumaImage {
        // One of another size than its picture stays wrong, so that who uses it says so.
        if let size = size(frame), size != mask.size { return mask }
        return mask.nearest(to: asked.size(of: mask.size))
    }
    func depth(_ depth: RecordedDepth, of frame: Int) -> RecordedDepth { depth }
    func confidence(_ map: ConfidenceMap, of frame: Int) -> ConfidenceMap { map }
}
