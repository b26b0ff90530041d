import ScanModel

/// A folder of numbered pictures inside a capture: `color/`, `rgb/` or `images/`.
struct PictureFolder {
    var folder: String
    /// In the order in which a person would list them; paths relative to the capture.
    var pictures: [(number: Int?, path: String)]

    static let folders = ["color", "rgb", "images"]
    static let extensions = ["jpg", "jpeg", "png"]
    /// The extensions that a path in a description may leave out, PNG's first, which the readers of such datasets add.
    static let endingsLeftOut = [""] + extensions.reversed().flatMap { [".\($0)", ".\($0.uppercased())"] }

    /// Whether a file has the extension of a picture that is read.
    static func isNamed(_ file: String) -> Bool { extensions.contains { file.lowercased().hasSuffix(".\($0)") } }

    /// The first of the folders that holds a picture.
    static func find(in tree: any CaptureTree) -> PictureFolder? {
        for folder in folders where tree.hasFolder(folder) {
            let pictures = pictures(in: tree, folder)
            if !pictures.isEmpty { return PictureFolder(folder: folder, pictures: pictures) }
        }
        return nil
    }

    /// Depth pictures beside the colour ones (`0.depth.png`) are not frames of their own.
    static func pictures(in tree: any CaptureTree, _ folder: String) -> [(number: Int?, path: String)] {
        let pictures = tree.originals(in: folder).filter { name in
            let parts = name.split(separator: ".")
            guard parts.count >= 2, let last = parts.last else { return false }
            return extensions.contains(last.lowercased())
                && !parts.dropFirst().dropLast().contains { $0 == "depth" || $0 == "mask" }
        }
        if let times = byTime(pictures) { return times.map { (nil, $0.path(in: folder)) } }
        let listed = pictures.map { (number: number(in: $0), path: $0.path(in: folder), stem: String(stem($0))) }
        let sorted = listed.sorted { one, other in
            // Names without a number come last.
            if (one.number == nil) != (other.number == nil) { return other.number == nil }
            // Without the extensions: `shot.jpg` comes before `shot(0).jpg` and `shot_1.jpg`.
            return one.stem == other.stem
                ? precedesNaturally(one.path, other.path) : precedesNaturally(one.stem, other.stem)
        }
        return sorted.map { ($0.number, $0.path) }
    }

    /// A file's name without what follows its last dot.
    private static func stem(_ name: String) -> Substring { name[..<(name.lastIndex(of: ".") ?? name.endIndex)] }

    /// What to do with pictures in a folder that holds nothing else that is read; nil where there are none.
    static func wayToRead(in tree: any CaptureTree) -> String? {
        let place = "lie in a folder called \(folders.last ?? "") in the one that is named"
        if !pictures(in: tree, "").isEmpty { return "pictures without poses are read where they \(place)" }
        let isForeign = ([""] + folders).flatMap(tree.entries).contains { entry in
            entry.byteCount != nil && ForeignPicture.endings.contains { entry.name.lowercased().hasSuffix(".\($0)") }
        }
        return isForeign
            ? "convert the pictures to JPEG, since no others but PNG are read; without poses they are read where they \(place)"
            : nil
    }

    /// Pictures that are all named by a decimal number of seconds, several in one second, in the order of their times:
    /// a time does not say which frame a picture is.
    /// - Returns: nil where they are named otherwise.
    private static func byTime(_ names: [String]) -> [String]? {
        var times: [(whole: Int, fraction: Substring, name: String)] = []
        for name in names {
            let parts = name.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 3, parts.dropLast().allSatisfy({ $0.utf8.allSatisfy(\.isASCIIDigit) }),
                let whole = Int(parts[0]), !parts[1].isEmpty
            else { return nil }
            times.append((whole, parts[1], name))
        }
        if Set(times.map(\.whole)).count == times.count { return nil }
        // Digits after the point compare as text; two with the same time are told apart by their whole names.
        return times.sorted { ($0.whole, $0.fraction, $0.name) < ($1.whole, $1.fraction, $1.name) }.map(\.name)
    }

    /// The order of frames: by number, then by name; names without a number come last.
    static func precedes(_ a: (number: Int?, path: String), _ b: (number: Int?, path: String)) -> Bool {
        switch (a.number, b.number) {
        case (let x?, let y?) where x != y: x < y
        case (_?, nil): true
        case (nil, _?): false
        default: a.path.utf8.lexicographicallyPrecedes(b.path.utf8)
        }
    }

    /// The order in which a person would list paths: letter by letter, but runs of digits as one number, so that a
    /// folder's pictures and the days of dates stay together.
    static func precedesNaturally(_ a: String, _ b: String) -> Bool {
        var (one, other) = (a.utf8[...], b.utf8[...])
        while let x = one.first, let y = other.first {
            if x.isASCIIDigit && y.isASCIIDigit {
                let numbers = (takeNumber(&one), takeNumber(&other))
                if numbers.0.count != numbers.1.count { return numbers.0.count < numbers.1.count }
                if !numbers.0.elementsEqual(numbers.1) { return numbers.0.lexicographicallyPrecedes(numbers.1) }
            } else {
                if x != y { return x < y }
                one.removeFirst()
                other.removeFirst()
            }
        }
        return one.isEmpty == other.isEmpty ? a.utf8.lexicographicallyPrecedes(b.utf8) : one.isEmpty
    }

    /// Takes a row of digits from the front.
    /// - Returns: the digits without leading zeros.
    private static func takeNumber(_ text: inout Substring.UTF8View) -> Substring.UTF8View {
        let digits = text.prefix(while: \.isASCIIDigit)
        text = text[digits.endIndex...]
        return digits.drop { $0 == UInt8(ascii: "0") }
    }

    /// The last run of digits in the first part of the name that has any: 12 for `frame_000012.jpg`,
    /// `frame-000012.color.jpg` and `img.0012.png`.
    static func number(in name: String) -> Int? { digits(in: name).flatMap { Int($0) } }

    /// The same for a name without its extension: 12 for `frame_000012`, `frame-000012.color` and `img.0012`.
    static func number(inStem stem: String) -> Int? { digits(in: parts(of: stem)[...]).flatMap { Int($0) } }

    /// The digits of the number in a name.
    private static func digits(in name: String) -> Substring? { digits(in: parts(of: name).dropLast()) }

    private static func parts(of name: String) -> [Substring.UTF8View] {
        name.utf8.split(separator: UInt8(ascii: "."))
    }

    private static func digits(in parts: ArraySlice<Substring.UTF8View>) -> Substring? {
        guard let part = parts.first(where: { $0.contains(where: \.isASCIIDigit) }),
            let last = part.lastIndex(where: \.isASCIIDigit)
        else { return nil }
        let start = part[..<last].lastIndex { !$0.isASCIIDigit }.map(part.index(after:)) ?? part.startIndex
        return Substring(part[start...last])
    }

    /// A name with a number: the text before that number, its digits, and the numbers that follow it, as in `2024-01-02
    /// at 13.04.05`, without leading zeros.
    private typealias NumberedName = (before: Substring, digits: Substring, behind: [Substring])

    /// - Returns: nil where the name has no number.
    private static func numberedName(_ path: String) -> NumberedName? {
        let name = path.lastPart
        guard let digits = digits(in: name) else { return nil }
        let stem = stem(name)
        let behind = stem[digits.endIndex...].utf8.split { !$0.isASCIIDigit }
        return (stem[..<digits.startIndex], digits, behind.map { Substring($0.drop { $0 == UInt8(ascii: "0") }) })
    }

    /// Whether the numbers count the pictures: before them all names are alike, and they are no times.
    private static func areCounts(_ pictures: [(number: Int?, path: String)]) -> Bool {
        let before = pictures.first.flatMap { numberedName($0.path) }?.before
        return pictures.allSatisfy { picture in
            guard let name = numberedName(picture.path), name.before == before, name.behind.isEmpty else {
                return false
            }
            // `PXL_20240102_130405678`, or seconds since 1970.
            let isBehindDate = name.before.utf8.count { $0.isASCIIDigit } >= 8
            return (picture.number ?? 0) < 100_000_000 && !(isBehindDate && name.digits.count >= 6)
        }
    }

    /// - Parameter areFrames: whether a number says which frame a picture is; otherwise other numbers and the text
    ///   before it count too: phones have dates in their names, and number the pictures of each day or second anew.
    private func checkNumbers(of pictures: [(number: Int?, path: String)], areFrames: Bool) throws(Problem) {
        var known: [String: String] = [:]
        for (number, path) in pictures {
            guard let number else { continue }
            var key = "\(number)"
            if !areFrames, let name = Self.numberedName(path) {
                key = ([name.before, key[...]] + name.behind).joined(separator: "/")
            }
            guard let other = known.updateValue(path, forKey: key) else { continue }
            throw Problem(
                .input, "two pictures have the same number",
                notes: ["\(other) and \(path): the frames could not be told apart"],
                fix: "keep one picture a frame in \(folder)/"
            ).at(file: folder)
        }
    }

    /// Gives each frame of a capture its picture: by its number, since a missing picture would otherwise give all later
    /// ones another frame's pose, or by order where the numbers are not those of the frames. Where there are no camera
    /// lines, the order is that in which a person would list the pictures.
    /// - Parameter start: the number of the first frame in the pictures that were written with the camera lines, where that
    ///   is known: programs count from 0 or from 1.
    /// - Throws: when two pictures have the same number, or there are too few or too many for the frames.
    func attach(to capture: inout Capture, countedFrom start: Int? = nil, rules: ReadRules) throws(Problem) {
        try rules.check(frames: pictures.count, of: "pictures")
        let lines = capture.frames.count
        // Times are in their order already.
        let areFrames = lines > 0 && pictures.contains { $0.number != nil }
        let listed = areFrames ? pictures.sorted { Self.precedes($0, $1) } : pictures
        try checkNumbers(of: listed, areFrames: areFrames)
        let pictures = frames(of: listed, &capture)
        let places = places(of: pictures, countedFrom: start, &capture)
        let extent = (places.last ?? -1) + 1
        var shortest = extent
        if lines > 0 {
            let counts = [("camera lines", lines), ("pictures", extent)]
            shortest = try rules.reconcile(counts, noting: &capture.forgiven)
            // Numbers tell which pictures are missing; nothing tells which camera lines are.
            if lines < extent || pictures.contains(where: { $0.number == nil }) {
                capture.noteShortfall(of: "\(folder)/", frames: extent, lines: lines)
            }
        }
        while capture.frames.count < extent { capture.frames.append(FrameFacts(index: capture.frames.count)) }
        let only = lines < extent ? lines.counted("camera line") : extent.counted("picture")
        let hasGaps = lines >= extent && pictures.count < extent
        let reason = hasGaps ? "the pictures end before it" : "there \(shortest.isOrAre) only \(only)"
        for index in shortest..<capture.frames.count { capture.drop(index, whileReading: reason) }
        for (place, picture) in zip(places, pictures) { capture.frames[place].pictureFile = picture.path }
        for index in 0..<extent where capture.frames[index].pictureFile == nil {
            capture.drop(index, whileReading: "it has no picture in \(folder)/", isBad: true)
        }
        capture.channels.insert(.color)
    }

    /// The pictures that are frames: where numbered ones belong to camera lines, those without a number are not.
    private func frames(
        of pictures: [(number: Int?, path: String)], _ capture: inout Capture
    ) -> [(number: Int?, path: String)] {
        let numbered = pictures.filter { $0.number != nil }
        guard !capture.frames.isEmpty, !numbered.isEmpty, numbered.count < pictures.count else { return pictures }
        capture.noteLeftOut(unnumbered: pictures.filter { $0.number == nil }.map(\.path))
        return numbered
    }

    /// Which frame each of the pictures is.
    private func places(
        of pictures: [(number: Int?, path: String)], countedFrom known: Int?, _ capture: inout Capture
    ) -> [Int] {
        let byOrder = Array(pictures.indices)
        let numbers = pictures.compactMap(\.number)
        let lines = capture.frames.count
        guard numbers.count == pictures.count, let first = numbers.first, let last = numbers.last else {
            return byOrder
        }
        if lines == 0, !Self.areCounts(pictures) { return byOrder }
        // Numbers may be as large as an Int: one more would not fit.
        let hasGaps = last - first != numbers.count - 1
        if !hasGaps && (lines == 0 || numbers.count >= lines) { return byOrder }
        let starts = lines == 0 ? [] : [0, 1].filter { first >= $0 && last - $0 < lines }
        // The pictures may not be those that were written with the lines: then the numbers themselves tell.
        let own = known.flatMap { starts.contains($0) && (first == $0 || last - $0 == lines - 1) ? $0 : nil }
        guard let start = own ?? Self.likeliest(of: starts, first: first, last: last, lines: lines) else {
            capture.warnings.append(
                hasGaps
                    ? "the numbers in \(folder)/ have gaps; the pictures were given to the frames in their order"
                    : "the numbers in \(folder)/ begin at \(first), and there \(numbers.count.isOrAre) "
                        + "\(numbers.count.counted("picture")) for \(lines.counted("camera line")); pictures were given to the first "
                        + "frames in their order")
            return byOrder
        }
        if starts.count > 1 {
            capture.warnings.append(
                "the numbers in \(folder)/ go from \(first) to \(last), and there are \(lines) camera lines: frames were "
                    + "taken to be counted from \(start); if they are counted from \(1 - start), every pose is one "
                    + "picture off")
        }
        return numbers.map { $0 - start }
    }

    /// The number of the first frame, where both 0 and 1 would fit: 1, as most programs that extract frames from videos
    /// count. But where the first pictures are missing and the last one's number is the number of lines less one, it is
    /// 0: otherwise the last picture would be missing too.
    private static func likeliest(of starts: [Int], first: Int, last: Int, lines: Int) -> Int? {
        let endsWithLines = first > 1 && last == lines - 1
        return endsWithLines ? starts.first : starts.last
    }
}

extension Capture {
    /// Warns of files that belong to no frame.
    /// - Parameter files: those that have no number in their names.
    mutating func noteLeftOut(unnumbered files: [String]) {
        guard let first = files.first else { return }
        warnings.append(
            files.count == 1
                ? "\(first) has no number in its name, and was left out"
                : "\(files.count) files have no number in their names, and were left out, the first \(first)")
    }
}
