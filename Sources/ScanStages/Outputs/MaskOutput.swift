import ScanFormats
import ScanModel
import ScanPipeline

/// Writes the masks of pictures: the options that say which, and the files.
struct MaskOutput: Sendable {
    private enum Masks: String, CaseIterable, Sendable { case none, recorded, silhouette, depth }
    private enum Place: String, CaseIterable, Sendable {
        case files, alpha, black

        var cutOut: PictureOutput.CutOut? {
            switch self {
            case .files: nil
            case .alpha: .transparent
            case .black: .black
            }
        }
    }

    private let masks: Masks
    /// How masks are put into the pictures; nil where they are files of their own, or there are none.
    let cutOut: PictureOutput.CutOut?
    private let margin: Double
    private let bottom: Double
    private let missing: Missing
    /// For depth pixels: the rule by which the dataset's points were made, so that none of them lies where a mask says
    /// ignore.
    private let centre: PixelCentre

    init(_ options: inout OptionReader) {
        masks = options.choice(
            "masks", "Write the capture's own masks, if it has any, or masks of what lies in the box.",
            default: .recorded)
        margin = options.number(
            "mask-margin", "Grow the box for masks on every side but a clamped floor; negative shrinks it.", default: 0,
            in: -10...10, unit: "m")
        bottom = options.number(
            "mask-bottom", "Move the bottom face of the box for masks down; negative moves it up.", default: 0,
            in: -10...10, unit: "m")
        let place = options.choice(
            "mask-as",
            "Where masks go: files of their own, or into the pictures, which become PNGs that are transparent or black "
                + "where a mask says ignore.",
            default: Place.files)
        cutOut = masks == .none ? nil : place.cutOut
        missing = options.choice(
            "mask-if-missing", "What to do with a capture without a box to make masks of.", default: .fail)
        centre = options.pixelCentreAbove ?? .half
        options.warn("mask-if-missing", unless: isOfBox, "with `masks: silhouette` and `masks: depth`")
        for (name, value) in [("mask-margin", margin), ("mask-bottom", bottom)] where !isOfBox && value != 0 {
            options.refuse(name, beside: "masks", "with `masks: silhouette` and `masks: depth`")
        }
        if place != .files && masks == .none { options.refuse("mask-as", beside: "masks", "with masks") }
        // Recorded masks may be missing, as may a box, and then pictures are written as without masks.
        if needsBox {
            for name in ["color", "quality"] { options.warn(name, unless: cutOut == nil, "where masks are files") }
        }
        if isOfBox { warnOfAnotherBox(&options) }
        if masks == .silhouette && cutOut != nil {
            options.warn(
                "masks",
                "`masks: silhouette` leaves in what is seen behind the object, and other pictures have the same "
                    + "things cut away: trainers learn both that they are there and that they are not",
                fix: "set  masks: depth")
        }
    }

    /// Warns where points are kept of more than the box for masks, or where masks reach below the points: what was to be
    /// taken away from under an object would be learned.
    private func warnOfAnotherBox(_ options: inout OptionReader) {
        guard options.value(of: "keep", above: CullByBox.self)?.string == CullByBox.Side.inside.rawValue else { return }
        for (name, own) in [("margin", margin), ("bottom", bottom)] {
            guard let kept = options.value(of: name, above: CullByBox.self)?.double, own != kept else { continue }
            // Masks may show more of what is around an object, but not of what it stands on.
            if name == "margin" && own > kept { continue }
            let (relation, effect) =
                own < kept
                ? ("less", "points lie where masks say ignore")
                : ("more", "masks keep what that removes at the bottom")
            let text = OptionText.number(kept)
            options.warn(
                "mask-\(name)",
                "`mask-\(name)`, \(OptionText.number(own)), is \(relation) than the `\(name)` of the "
                    + "`\(CullByBox.card.name)` above, \(text): \(effect)",
                fix: "set  mask-\(name): \(text)")
        }
    }

    /// Whether masks show what lies in the box.
    private var isOfBox: Bool { masks == .silhouette || masks == .depth }

    private var needsBox: Bool { isOfBox && missing == .fail }
    private var needsDepth: Bool { masks == .depth }

    var needs: [Channel] { (needsBox ? [.box] : []) + (needsDepth ? [.depth] : []) }
    var wants: [Channel] { masks == .recorded ? [.mask] : isOfBox && !needsBox ? [.box] : [] }
    /// The way to do without something that is needed.
    func instead(of channel: Channel) -> [Uses.Instead] {
        switch channel {
        case .box where needsBox: [.option("mask-if-missing", set: "pass", not: "fail")]
        // A silhouette is no cut-out.
        case .depth where needsDepth && cutOut == nil: [.option("masks", set: "silhouette", not: "depth")]
        default: []
        }
    }

    /// Whether masks are written for this capture.
    func isOn(_ context: StageContext) -> Bool {
        if isOfBox { return context.available.contains(.box) && context.capture.box != nil }
        return masks != .none && context.available.contains(.mask)
    }

    /// - Throws: if nothing is left of the box, or a stage above that was to make one could not.
    func begin(_ context: StageContext) throws(Problem) {
        if isOfBox && !isOn(context) {
            // Needed, it was promised by a stage above.
            guard needsBox else {
                return cutOut == nil
                    ? context.note("the capture has no box, so no masks were written")
                    : context.warn("the capture has no box, so its pictures were not cut out")
            }
            let reason = context.capture.absences[.box]?.reason ?? "no stage has made it"
            throw Problem(
                .input, "there is no box for masks: \(reason)",
                fix: "go on without masks with  " + ShellWord.setting(context.label, "mask-if-missing=pass")
            ).ofPipeline()
        }
        if cutOut != nil && !isOn(context) {
            let way = context.capture.box == nil ? "" : ": `masks: depth` makes masks of the box"
            context.warn("the capture has no masks to put into pictures\(way)")
        }
        let shrinking = ["mask-margin": margin, "mask-bottom": bottom].filter { $0.value < 0 }
        guard isOfBox, !shrinking.isEmpty, let box = context.capture.box, grown(box).isEmpty else { return }
        throw BoxMargin.leavesNothing(of: box, shrinking, context.label)
    }

    /// The box for masks.
    private func grown(_ box: OrientedBox) -> OrientedBox { box.grown(by: margin, bottom: bottom) }

    /// Warns where no mask leaves anything to learn from, and where a cut-out is false.
    func end(of count: Int, _ context: StageContext) {
        if cutOut != nil { warnOfFalseCutOuts(of: count, context) }
        let ignored = context.counted(Self.empty)
        guard ignored > 0 else { return }
        if ignored == count {
            context.warn(
                isOfBox
                    ? "every mask ignores its whole picture: nothing of the box is seen, so the box or the poses may be "
                        + "wrong" : "every mask ignores its whole picture")
        } else if cutOut == nil {
            // Depth may hide the box where it would be seen.
            let way = masks == .silhouette ? ": `\(FilterView.card.name)` drops them" : ""
            context.warn(
                "\(ignored.counted(of: count, "mask", "ignores its", "ignore their")) whole picture, from which trainers "
                    + "learn nothing, and which they cannot evaluate where it is held out\(way)")
        }
    }

    private func warnOfFalseCutOuts(of count: Int, _ context: StageContext) {
        let blind = context.counted(Self.blind)
        if blind > 0 {
            context.warn(
                "\(blind.counted(of: count, "picture", "is", "are")) cut away as a whole, because there is no depth: trainers "
                    + "learn that nothing is there")
        }
        let whole = context.counted(Self.unmasked)
        if whole > 0 {
            context.warn("\(whole.counted(of: count, "picture", "is", "are")) not cut out, because there is no mask")
        }
    }

    private static let empty = "masks-that-ignore-all"
    private static let unmasked = "frames-without-mask"
    private static let blind = "pictures-cut-for-want-of-depth"

    /// A mask of a picture that is smaller by a factor, 255 = use, 0 = ignore.
    typealias Mask = (factor: Int, image: LumaImage)

    /// A frame's mask, and those of the picture's smaller copies: of the box as each copy's camera sees it, or the
    /// nearest pixels of a recorded one. A frame without a recorded mask gets one that ignores nothing, since trainers
    /// want one for each picture.
    func masks(of frame: Frame, _ context: StageContext) throws(Problem) -> [Mask] {
        let make = try maker(frame, context)
        let masks = ([1] + frame.downscaled.map(\.factor)).map { (factor: $0, image: make($0)) }
        if !masks[0].image.pixels.contains(where: { $0 != 0 }) { context.count(Self.empty, 1) }
        return masks
    }

    /// Writes a frame's masks as files.
    /// - Parameters:
    ///   - path: for the mask of the picture itself.
    ///   - saysIgnore: whether 255 marks what is to be ignored rather than what is to be used.
    func write(
        _ frame: inout Frame, to path: String, saysIgnore: Bool = false, _ context: StageContext
    ) throws(Problem) {
        for (factor, mask) in try masks(of: frame, context) {
            try context.output.write(
                try PNG.encodeGray8(saysIgnore ? mask.inverted : mask), for: &frame,
                to: factor == 1 ? path : DownscaledPicture.path(of: path, factor: factor))
        }
    }

    /// Makes a frame's mask for a picture that is smaller by a factor.
    private func maker(_ frame: Frame, _ context: StageContext) throws(Problem) -> (Int) -> LumaImage {
        let camera = try frame.facts.requiredIntrinsics
        func size(_ factor: Int) -> PixelSize { camera.size.downscaled(by: factor) }
        guard isOfBox else {
            let mask = try recordedMask(of: frame, camera.size, context)
            return { mask.nearest(to: size($0)) }
        }
        guard let box = context.capture.box.map(grown) else {
            throw Problem(.input, "there is no box for masks")
        }
        let pose = try frame.facts.requiredPose
        if masks == .depth {
            let depth = frame.aligned(try frame.requiredDepth, context)
            if cutOut != nil && depth.validCount == 0 { context.count(Self.blind, 1) }
            let mask = BoxMask.depth(depth, in: box, camera: camera, pose: pose, centre: centre)
            return { mask.nearest(to: size($0)) }
        }
        return { BoxMask.silhouette(of: box, camera: camera.resized(to: size($0)), pose: pose) }
    }

    private func recordedMask(
        of frame: Frame, _ size: PixelSize, _ context: StageContext
    ) throws(Problem) -> LumaImage {
        guard let mask = frame.mask else {
            context.count(Self.unmasked, 1)
            let pixels = [UInt8](repeating: 255, count: size.width * size.height)
            return LumaImage(width: size.width, height: size.height, pixels: pixels)
        }
        guard mask.size == size else {
            throw Problem(
                .input, "the frame's mask is \(mask.size), and its picture \(size)",
                fix: "make the masks again, or leave them out with  " + ShellWord.setting(context.label, "masks=none"))
        }
        return mask
    }
}
