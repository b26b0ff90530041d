import ScanModel

/// Frames as files of their own, told apart by their number: a picture, a depth picture, and a pose as text. What ScanNet's
/// exporters and 7-Scenes have in common.
struct PosedPictures {
    struct Entry {
        var key: Key
        var color: String?
        var depth: String?
        var pose: String?
    }

    /// What tells one frame from another.
    struct Key: Hashable {
        var number: Int
        /// The name without the part that the file is, where the number is not enough: `1700000000.100000`.
        var stem = ""

        /// By number. With equal ones, a decimal number (a time) goes by its digits, any other name first by the number
        /// in its last part, so that `v2.9` comes before `v2.10`.
        static func precedes(_ a: Key, _ b: Key) -> Bool {
            if a.number != b.number { return a.number < b.number }
            let (x, y) = (a.lastNumber, b.lastNumber)
            return x == y ? a.stem.utf8.lexicographicallyPrecedes(b.stem.utf8) : x < y
        }

        private var lastNumber: Int {
            let parts = stem.split(separator: ".")
            guard parts.count > 1, let last = parts.last, Int(parts[0]) == nil else { return 0 }
            return PictureFolder.number(inStem: String(last)) ?? 0
        }
    }

    /// In the order of their numbers.
    private(set) var entries: [Entry] = []
    /// Files that belong to no frame; each kind gets a warning.
    private var unnumbered: [String] = []
    private var second: [(path: String, first: String)] = []
    /// Two files of the same part with the same number, whose names do not tell which of the other parts belong to
    /// them.
    private var clash: (String, String)?

    /// Three folders: `color/12.jpg`, `depth/12.png`, `pose/12.txt`.
    static func folders(in tree: any CaptureTree) -> PosedPictures? {
        guard tree.hasFolder("pose") else { return nil }
        return PosedPictures { add in
            for name in tree.originals(in: "color") where PictureFolder.isNamed(name) {
                add(stem(name), \.color, "color/\(name)")
            }
            for name in tree.originals(in: "depth") where isDepth(name) { add(stem(name), \.depth, "depth/\(name)") }
            for name in tree.originals(in: "pose") where name.hasSuffix(".txt") {
                add(stem(name), \.pose, "pose/\(name)")
            }
        }
    }

    /// One folder: `frame-000012.color.jpg`, `frame-000012.depth.pgm`, `frame-000012.pose.txt`.
    static func flat(in tree: any CaptureTree) -> PosedPictures? {
        PosedPictures { add in
            for name in tree.originals(in: "") where name.hasPrefix("frame-") {
                let parts = name.split(separator: ".")
                guard let place = parts.dropFirst().firstIndex(where: { kinds.contains(String($0)) }) else { continue }
                let (stem, kind) = (parts[..<place].joined(separator: "."), parts[place])
                if kind == "color", PictureFolder.isNamed(name) { add(stem, \.color, name) }
                if kind == "depth", isDepth(name) { add(stem, \.depth, name) }
                if kind == "pose", name.hasSuffix(".pose.txt") { add(stem, \.pose, name) }
            }
        }
    }

    /// The first picture with such a name.
    static func flatPicture(in tree: any CaptureTree) -> String? {
        tree.originals(in: "").first { name in
            let parts = name.split(separator: ".")
            return name.hasPrefix("frame-") && parts.dropFirst().first == "color" && PictureFolder.isNamed(name)
        }
    }

    /// The first pose with such a name.
    static func flatPose(in tree: any CaptureTree) -> String? {
        tree.originals(in: "").first { name in
            name.hasPrefix("frame-") && name.hasSuffix(".pose.txt")
                && PictureFolder.number(inStem: String(name.dropLast(".pose.txt".count))) != nil
        }
    }

    private static let kinds: Set = ["color", "depth", "pose"]

    /// The name without its extension and without the part that it is.
    private static func stem(_ name: String) -> String {
        var parts = name.split(separator: ".").dropLast()
        if parts.count > 1, let last = parts.last, kinds.contains(String(last)) { parts.removeLast() }
        return parts.joined(separator: ".")
    }

    /// Nil without poses, or without anything that could be seen from them.
    private init?(_ collect: ((String, WritableKeyPath<Entry, String?>, String) -> Void) -> Void) {
        var files: [(key: Key, part: WritableKeyPath<Entry, String?>, path: String)] = []
        collect { stem, part, path in
            if let number = PictureFolder.number(inStem: stem) {
                files.append((Key(number: number, stem: stem), part, path))
            } else {
                unnumbered.append(path)
            }
        }
        let twins = Self.twins(files)
        for place in files.indices where twins[files[place].key.number] == nil { files[place].key.stem = "" }
        var found: [Key: Entry] = [:]
        for (key, part, path) in files {
            // Of two files for the same part, the first by name counts.
            if let first = found[key, default: Entry(key: key)][keyPath: part] {
                second.append((path, first))
            } else {
                found[key, default: Entry(key: key)][keyPath: part] = path
            }
        }
        entries = found.values.sorted { Key.precedes($0.key, $1.key) }
        let isSeen = entries.contains { $0.color != nil || $0.depth != nil }
        if !isSeen || !entries.contains(where: { $0.pose != nil }) { return nil }
        let isTold = entries.contains { !$0.key.stem.isEmpty && $0.pose != nil && ($0.color != nil || $0.depth != nil) }
        if !isTold { clash = twins.min { $0.key < $1.key }?.value }
    }

    /// The numbers for which one part has two files with different names: the first two of each.
    private static func twins(
        _ files: [(key: Key, part: WritableKeyPath<Entry, String?>, path: String)]
    ) -> [Int: (String, String)] {
        var seen: [PartialKeyPath<Entry>: [Int: (stem: String, path: String)]] = [:]
        var twins: [Int: (String, String)] = [:]
        for (key, part, path) in files {
            if let known = seen[part]?[key.number] {
                if known.stem != key.stem, twins[key.number] == nil { twins[key.number] = (known.path, path) }
            } else {
                seen[part, default: [:]][key.number] = (key.stem, path)
            }
        }
        return twins
    }

    private static func isDepth(_ name: String) -> Bool {
        [".png", ".pgm"].contains { name.lowercased().hasSuffix($0) }
    }

    /// Fills a capture with these frames: their poses, pictures and depth, but no intrinsics.
    /// - Parameter rig: where the cameras are: the depth camera may be mounted on its side.
    /// - Returns: the source, with depth if there is any.
    func attach(
        to capture: inout Capture, in tree: any CaptureTree, encoding: DepthEncoding,
        rig: ScanNetCameras.Rig = ScanNetCameras.Rig(), rules: ReadRules
    ) throws(Problem) -> TreeSource {
        try rules.check(frames: entries.count, of: "frames")
        if let (one, other) = clash {
            throw Problem(
                .input, "two files have the same number",
                notes: ["\(one) and \(other): their names do not show which of the other files belong to them"],
                fix: "name picture, depth and pose of a frame alike")
        }
        noteLeftOut(&capture)
        noteHoles(&capture)
        noteShift(&capture)
        let parts: [(stream: String, has: (Entry) -> Bool)] = [
            ("pictures", { $0.color != nil }), ("depth pictures", { $0.depth != nil }), ("poses", { $0.pose != nil }),
        ]
        let counts = parts.map { part in (stream: part.stream, frames: entries.count(where: part.has)) }
            .filter { $0.frames > 0 }
        try rules.reconcile(counts, noting: &capture.forgiven)
        capture.rigFromColor = rig.rigFromColor
        for (index, entry) in entries.enumerated() {
            capture.frames.append(try facts(entry, index, tree, &capture))
        }
        capture.derivePoseChannel(without: "no frame has a pose: tracking was lost in all of them")
        try attachPictures(to: &capture, tree, rules)
        var source = TreeSource(tree, rules)
        // Whoever accepts any difference in length has accepted that frames lack depth.
        let depth = FrameFiles(
            paths: entries.map(\.depth), absence: "there are no depth pictures",
            countsGaps: rules.mismatch != .shortest)
        try capture.takeDepth(depth, encoding, to: &source, colorFromDepth: rig.colorFromDepth)
        return source
    }

    private func noteLeftOut(_ capture: inout Capture) {
        capture.noteLeftOut(unnumbered: unnumbered)
        if let first = second.first {
            let one = "\(first.path) was left out: \(first.first) is of the same frame"
            let many =
                "\(second.count) files were left out, the first \(first.path): \(first.first) is of the same frame"
            capture.warnings.append(second.count == 1 ? one : many)
        }
    }

    private var areToldByNumberAlone: Bool { entries.allSatisfy { $0.key.stem.isEmpty } }

    /// Exporters take every frame, or every n-th: where a few numbers are missing between others, files may not have
    /// arrived. Where many are, the frames were chosen.
    private func noteHoles(_ capture: inout Capture) {
        let numbers = entries.map(\.key.number)
        guard areToldByNumberAlone else { return }
        let steps = zip(numbers, numbers.dropFirst()).map { $1 - $0 }
        // Numbers whose steps are not multiples of the usual one are times.
        guard let usual = steps.middle, usual > 0, steps.allSatisfy({ $0.isMultiple(of: usual) }) else { return }
        let holes = steps.indices.filter { steps[$0] > usual }
        guard let first = holes.first, holes.count * Self.fewestBesideHole <= steps.count else { return }
        let missing = holes.reduce(0) { $0 + steps[$1] / usual - 1 }
        capture.warnings.append(
            "\(missing) of the frames' numbers \(missing.isOrAre) missing, first between \(numbers[first]) and "
                + "\(numbers[first + 1]): \(missing == 1 ? "this frame was" : "these frames were") left out before, or did "
                + "not arrive")
    }

    /// Pictures extracted from a video are mostly counted from 1, and poses from 0.
    private func noteShift(_ capture: inout Capture) {
        guard areToldByNumberAlone else { return }
        func numbers(_ has: (Entry) -> Bool) -> [Int] { entries.filter(has).map(\.key.number) }
        let poses = numbers { $0.pose != nil }
        for (name, others) in [
            ("pictures", numbers { $0.color != nil }), ("depth pictures", numbers { $0.depth != nil }),
        ] where others.count > 1 && others.count == poses.count {
            guard let first = others.first, let last = others.last, let begin = poses.first, let end = poses.last,
                abs(first - begin) == 1, last - end == first - begin
            else { continue }
            capture.warnings.append(
                "the \(name) are numbered from \(first) to \(last), and the poses from \(begin) to \(end): if that is the "
                    + "same frames counted from 0 and from 1, every pose is one frame off; number them alike")
        }
    }

    /// The least number of steps for each one with a hole.
    private static let fewestBesideHole = 10

    private func facts(
        _ entry: Entry, _ index: Int, _ tree: any CaptureTree, _ capture: inout Capture
    ) throws(Problem) -> FrameFacts {
        var facts = FrameFacts(index: index)
        facts.pictureFile = entry.color
        guard let file = entry.pose else {
            facts.drop = Drop(whileReading: "it has no pose")
            return facts
        }
        capture.list(file, in: tree, [], of: index)
        do throws(Problem) {
            let bytes = try tree.bytes(of: file, limit: NumberText.sizeLimit)
            facts.setPose(try NumberText.numbers(bytes, count: 16, file: file), rigFromColor: capture.rigFromColor)
        } catch {
            guard error.fault == .input else { throw error }
            facts.drop = Drop(whileReading: error.at(file: file).oneLine, isBad: true)
        }
        return facts
    }

    private func attachPictures(
        to capture: inout Capture, _ tree: any CaptureTree, _ rules: ReadRules
    ) throws(Problem) {
        guard entries.contains(where: { $0.color != nil }) else {
            capture.absences[.color] = "there are no pictures"
            return
        }
        for (index, entry) in entries.enumerated() where entry.color == nil {
            capture.drop(index, whileReading: "it has no picture")
        }
        try capture.checkPictures(in: tree, rules: rules)
        capture.channels.insert(.color)
    }
}
