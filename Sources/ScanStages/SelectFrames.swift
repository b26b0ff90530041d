import ScanModel
import ScanPipeline

/// Keeps or drops frames by their numbers.
public struct SelectFrames: CaptureStage {
    public static let card = StageCard(
        name: "select-frames",
        summary: "Keep only the frames in a list, or drop those in a list.",
        details: """
            Numbers are those of the source, from 0; `17-20` means 17, 18, 19 and 20. Numbers that the capture does not
            have cause a warning. A file holds one number or range per line; `#` begins a comment. It is looked for
            beside the capture's own files first, then beside the pipeline.

            So that each capture has its own list, `{id}` in the file's name is the capture's id:
            `select-frames: {exclude: "lists/{id}.txt", if-missing: pass}`, in quotes because of the braces. For the
            capture `desk` that is `lists/desk.txt`, which may lie beside the pipeline, also where captures are
            archives. A capture without a list fails; with `if-missing: pass` it keeps all frames, and when a list is
            added later, its result is made again.
            """,
        example: "- select-frames: {exclude: [3, 17-20]}")

    private let list: FrameList
    /// Whether listed frames are the ones to drop.
    private let excludes: Bool
    private let missing: Missing

    public init(_ options: inout OptionReader) {
        options.exactlyOne(of: ["include", "exclude"])
        let include = options.frames("include", "The frames to keep: numbers and ranges, or a file that lists them.")
        let exclude = options.frames("exclude", "The frames to drop: numbers and ranges, or a file that lists them.")
        excludes = include == nil
        list = include ?? exclude ?? .ranges([])
        missing = options.choice(
            "if-missing", "What to do with a capture for which there is no such file.", default: .fail)
        if include == .ranges([]) { options.fail("include", "`include` is empty") }
        if let file = list.file { options.checkBraces(excludes ? "exclude" : "include", in: file) }
        options.warn("if-missing", unless: list.file != nil, "with a list in a file")
    }

    public var uses: Uses {
        Uses(
            finish: .init(needs: [.frames], drops: true), files: [list.file].compactMap(\.self),
            withoutFile: missing == .pass ? .passes : .fails(unless: "if-missing=pass"))
    }

    public func finish(_ capture: inout Capture, in context: StageContext) throws(Problem) {
        if let file = list.file, context.lacks(file) {
            return context.note("there is no \(file), so no frame was dropped by it")
        }
        let ranges = try ranges(context)
        let beyond = ranges.filter { $0.upperBound >= capture.frames.count }
        if let first = beyond.first {
            context.warn(
                "the list names frame \(first.upperBound), and the capture has frames 0 to \(capture.frames.count - 1)")
        }
        // Frames and ranges ascend, so that each is looked at once.
        let ascending = ranges.sorted { $0.lowerBound < $1.lowerBound }
        var (next, reach) = (0, -1)
        for frame in capture.keptFrames {
            while next < ascending.count, ascending[next].lowerBound <= frame.index {
                reach = max(reach, ascending[next].upperBound)
                next += 1
            }
            let isListed = frame.index <= reach
            if isListed == excludes {
                capture.drop(
                    frame.index, stage: context.label,
                    reason: isListed ? "listed under exclude" : "not listed under include")
            }
        }
    }

    private func ranges(_ context: StageContext) throws(Problem) -> [ClosedRange<Int>] {
        switch list {
        case .ranges(let ranges): return ranges
        case .file(let path):
            let text = String(decoding: try context.file(path), as: UTF8.self).withoutByteOrderMark
            var ranges: [ClosedRange<Int>] = []
            for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated()
            {
                let item = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace).joined(separator: " ")
                if item.isEmpty { continue }
                guard case .ranges(let parsed)? = FrameList(parsing: [item]) else {
                    throw Problem(
                        .usage, "`\(item)` is neither a frame number nor a range",
                        fix: "write one number or range a line, such as 17-20"
                    ).at(file: context.name(of: path), line: number + 1)
                }
                ranges += parsed
            }
            return ranges
        }
    }
}
