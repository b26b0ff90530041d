import ScanFormats
import ScanModel
import ScanPipeline

/// Writes small pictures of many frames on one page.
public struct WriteContactSheet: ParcelStage {
    public enum Content: String, CaseIterable, Sendable { case color, depth, confidence }

    public static let card = StageCard(
        name: "write-contact-sheet",
        summary: "Write <id>_contact.jpg: small pictures of the frames with their numbers, to pick frames by eye.",
        details: """
            The numbers are those of the source, as `select-frames` takes them. Only remaining frames are shown: `count`
            of them (120 by default), the ones nearest to evenly spaced moments from the first to the last, as
            `select-every: {count: 120}` would choose; all of them if there are fewer. Frames that are dropped while the
            sheet is made leave it shorter. The receipt says how many are shown.

            A page is `width` pixels wide and has `columns` × `rows` places; what does not fit goes to further pages,
            `<id>_contact_2.jpg` and so on.

            `of: depth` shows coloured depth on `<id>_contact_depth.jpg`: dark red at `near`, then yellow, green and
            blue, dark blue at `far`, black where there is no depth; a scale is at the bottom. The colours are Turbo's
            (A. Mikhailov, 2019). `of: confidence` shows confidence on `<id>_contact_confidence.jpg`: the lowest dark
            violet, medium on iOS teal, the highest yellow (Viridis).

            Pictures are turned in steps of 90° where the capture says which way is up (`upright`); one that will not
            decode is passed over. Only the page that is being filled is held in memory.
            """,
        example: "- write-contact-sheet: {columns: 8, count: 64}", revision: 3)

    let content: Content
    let count: Int
    let columns: Int
    let rows: Int
    let width: Int
    let colors: DepthColors
    let isUpright: Bool
    let quality: Int

    /// Pixels of a page; a larger one is refused before memory is allocated for it.
    private static let largestPage = 100_000_000

    public init(_ options: inout OptionReader) {
        content = options.choice("of", "What is shown of each frame.", default: .color)
        count = options.integer("count", "The most frames that are shown.", default: 120, in: 1...10_000)
        columns = options.integer("columns", "Pictures in a row.", default: 10, in: 1...100)
        rows = options.integer("rows", "The most rows of pictures on a page.", default: 12, in: 1...100)
        width = options.integer("width", "Width of a page.", default: 1920, in: 100...16_384, unit: "pixels")
        colors = DepthColors(&options, areUsed: content == .depth, "with `of: depth`")
        isUpright = ShownPictures.upright(&options)
        quality = ShownPictures.quality(&options)
        let most = ContactSheet.mostColumns(width: width)
        if columns > most {
            options.fail(
                "columns", "\(columns) pictures beside each other do not fit into \(width) pixels",
                "at most \(most) `columns`, or a wider page")
        }
        if count > columns * rows * 100 {
            options.fail(
                "count", "\(count) pictures need more than 100 pages of \(columns * rows)",
                "more `columns` or `rows`, or a `count` of at most \(columns * rows * 100)")
        }
    }

    public var uses: Uses {
        let channel: Channel =
            switch content {
            case .color: .color
            case .depth: .depth
            case .confidence: .confidence
            }
        let pages = (count + columns * rows - 1) / (columns * rows)
        return Uses(
            frame: .init(needs: [.frames, channel], wants: [.pose, .timestamp]),
            claims: (1...pages).map { path("{id}", page: $0) })
    }

    /// A frame that only a contact sheet shows can still be dropped.
    public var bindsFrames: Bool { false }

    private func path(_ id: String, page: Int) -> String {
        let content = content == .color ? "" : "_\(content.rawValue)"
        return "\(id)_contact\(content)\(page == 1 ? "" : "_\(page)").jpg"
    }

    private func choice(_ context: StageContext) throws(Problem) -> ShownFrames {
        try context.once {
            let kept = context.capture.keptFrames
            let chosen = SelectEvery.spread(count, over: SelectEvery.moments(of: kept))
            let cell = ContactSheet.cellWidth(width: width, columns: columns)
            return ShownFrames(
                pictures: ShownPictures(width: cell, isUpright: isUpright, context),
                frames: Set(chosen.map { kept[$0].index }))
        }
    }

    // MARK: - Each frame, in parallel

    public func parcel(of frame: inout Frame, in context: StageContext) throws(Problem) -> RGBImage? {
        let choice = try choice(context)
        guard choice.frames.contains(frame.index) else { return nil }
        return try picture(&frame, choice.pictures, context)
    }

    private func picture(
        _ frame: inout Frame, _ pictures: ShownPictures, _ context: StageContext
    ) throws(Problem) -> RGBImage? {
        switch content {
        case .color: return try pictures.small(&frame, context)
        case .depth:
            guard let map = frame.depth else { return nil }
            let size = try size(of: map.size, pictures)
            return colors.picture(of: map.nearest(to: size)).turned(quarterTurns: pictures.quarterTurns)
        case .confidence:
            guard let map = frame.confidence else { return nil }
            let size = try size(of: map.size, pictures)
            return map.nearest(to: size).coloredPicture.turned(quarterTurns: pictures.quarterTurns)
        }
    }

    /// The size that a map gets, checked before it is made, since a long and thin one may not fit.
    private func size(of map: PixelSize, _ pictures: ShownPictures) throws(Problem) -> PixelSize {
        let size = pictures.size(ofMap: map)
        try checkPage(of: QuarterTurn.size(size, turns: pictures.quarterTurns))
        return size
    }

    private func checkPage(of picture: PixelSize) throws(Problem) {
        let pixels = ContactSheet.pixelCount(width: width, columns: columns, rows: rows, picture: picture)
        guard pixels <= Self.largestPage, pixels / width <= 65_000 else {
            throw Problem(
                .usage, "a page of \(columns) × \(rows) pictures of \(picture) would have \(pixels) pixels",
                notes: ["the most is \(Self.largestPage), and 65,000 from top to bottom"],
                fix: rows > 1
                    ? "fewer `rows`, which makes more pages, or more `columns`" : "more `columns`, or a smaller `width`"
            )
        }
    }

    // MARK: - In frame order

    public struct Fold {
        fileprivate let quarterTurns: Int
        /// Made with the first picture, which gives its places their shape.
        fileprivate var sheet: ContactSheet?
        fileprivate var pageCount = 0
        fileprivate var count = 0
    }

    public func begin(_ context: StageContext) throws(Problem) -> Fold {
        Fold(quarterTurns: try choice(context).pictures.quarterTurns)
    }

    public func fold(
        _ picture: RGBImage?, of frame: inout Frame, into fold: inout Fold, in context: StageContext
    ) throws(Problem) {
        guard let picture else { return }
        if fold.sheet == nil {
            try checkPage(of: picture.size)
            fold.sheet = ContactSheet(width: width, columns: columns, rows: rows, picture: picture.size)
        }
        if fold.sheet?.isFull == true { try flush(&fold, context) }
        fold.sheet?.add(picture, number: frame.index)
        fold.count += 1
    }

    private func flush(_ fold: inout Fold, _ context: StageContext) throws(Problem) {
        guard var page = fold.sheet?.takePage() else { return }
        fold.pageCount += 1
        let legend: RGBImage? =
            switch content {
            case .color: nil
            case .depth: colors.legend(width: width, isMetric: context.capture.isMetric)
            case .confidence: ConfidenceMap.legend(width: width)
            }
        if let legend { page = page.stacked(on: legend) }
        try context.output.write(
            try JPEG.encode(page, quality: quality, subsampling: .s444),
            to: path(context.capture.id, page: fold.pageCount))
    }

    public func end(_ fold: consuming Fold, _ capture: inout Capture, in context: StageContext) throws(Problem) {
        var fold = fold
        if fold.sheet == nil { return context.warn("there is no contact sheet: no frame has a picture to show") }
        try flush(&fold, context)
        context.count("pictures", fold.count)
        context.count("pages", fold.pageCount)
        context.record("quarter-turns", .of(fold.quarterTurns))
        if content == .depth { context.warnUnlessMetric(capture, "`near` and `far` may not be in metres") }
    }
}
