import ScanModel

/// Frames as files of their own, told apart by their number: a picture, a depth picture, and a pose as text. What ScanNet's
/// exporters and 7-Scenes have in common.
struct PosedPictures {
    struct Entry {
        var number: Int
        var color: String?
        var depth: String?
        var pose: String?
    }

    /// In the order of their numbers.
    private(set) var entries: [Entry] = []

    /// Three folders: `color/12.jpg`, `depth/12.png`, `pose/12.txt`.
    static func folders(in tree: any CaptureTree) -> PosedPictures? {
        guard tree.hasFolder("pose") else { return nil }
        return PosedPictures { add in
            for name in tree.originals(in: "color") where isPicture(name) { add(name, \.color, "color/\(name)") }
            for name in tree.originals(in: "depth") where isDepth(name) { add(name, \.depth, "depth/\(name)") }
            for name in tree.originals(in: "pose") where name.hasSuffix(".txt") { add(name, \.pose, "pose/\(name)") }
        }
    }

    /// One folder: `frame-000012.color.jpg`, `frame-000012.depth.pgm`, `frame-000012.pose.txt`.
    static func flat(in tree: any CaptureTree) -> PosedPictures? {
        PosedPictures { add in
            for name in tree.originals(in: "") where name.hasPrefix("frame-") {
                let kind = name.split(separator: ".").dropFirst().first
                if kind == "color", isPicture(name) { add(name, \.color, name) }
                if kind == "depth", isDepth(name) { add(name, \.depth, name) }
                if kind == "pose", name.hasSuffix(".pose.txt") { add(name, \.pose, name) }
            }
        }
    }

    /// Nil without poses, or without anything that could be seen from them.
    private init?(_ collect: ((String, WritableKeyPath<Entry, String?>, String) -> Void) -> Void) {
        var found: [Int: Entry] = [:]
        collect { name, part, path in
            guard let number = PictureFolder.number(in: name) else { return }
            // Of two files for one thing the first in the order of names counts.
            if found[number, default: Entry(number: number)][keyPath: part] == nil {
                found[number, default: Entry(number: number)][keyPath: part] = path
            }
        }
        entries = found.values.sorted { $0.number < $1.number }
        let isSeen = entries.contains { $0.color != nil || $0.depth != nil }
        if !isSeen || !entries.contains(where: { $0.pose != nil }) { return nil }
    }

    private static func isPicture(_ name: String) -> Bool {
        PictureFolder.extensions.contains { name.lowercased().hasSuffix(".\($0)") }
    }

    private static func isDepth(_ name: String) -> Bool {
        [".png", ".pgm"].contains { name.lowercased().hasSuffix($0) }
    }

    /// Fills a capture with these frames: their poses, pictures and depth, but no intrinsics.
    /// - Returns: the source, with depth if there is any.
    func attach(
        to capture: inout Capture, in tree: any CaptureTree, encoding: DepthEncoding, rigFromColor: Pose,
        rules: ReadRules
    ) throws(Problem) -> TreeSource {
        try rules.check(frames: entries.count, of: "frames")
        let parts: [(stream: String, has: (Entry) -> Bool)] = [
            ("pictures", { $0.color != nil }), ("depth pictures", { $0.depth != nil }), ("poses", { $0.pose != nil }),
        ]
        let counts = parts.map { part in (stream: part.stream, frames: entries.count(where: part.has)) }
            .filter { $0.frames > 0 }
        _ = try rules.reconcile(counts)
        capture.forgiven += rules.forgiven(counts)
        for (index, entry) in entries.enumerated() {
            capture.frames.append(try facts(entry, index, rigFromColor, tree, &capture))
        }
        capture.settlePoses(without: "no frame has a pose: tracking was lost in all of them")
        try attachPictures(to: &capture, tree, rules)
        var source = TreeSource(tree: tree)
        source.limits = rules.pictureLimits
        let depths = entries.map(\.depth)
        for case let path? in depths { capture.list(path, in: tree, [.recordedDepth]) }
        source.depthPictures = try capture.depthPictures(
            depths, encoding, in: tree, rules, absence: "there are no depth pictures",
            unreadable: "none of the depth pictures can be read: ")
        return source
    }

    private func facts(
        _ entry: Entry, _ index: Int, _ rigFromColor: Pose, _ tree: any CaptureTree, _ capture: inout Capture
    ) throws(Problem) -> FrameFacts {
        var facts = FrameFacts(index: index)
        facts.pictureFile = entry.color
        guard let file = entry.pose else {
            facts.drop = Drop(stage: "read", reason: "it has no pose")
            return facts
        }
        capture.list(file, in: tree, [])
        do throws(Problem) {
            let bytes = try tree.bytes(of: file, limit: NumberText.sizeLimit)
            facts.setPose(try NumberText.numbers(bytes, count: 16, file: file), rigFromColor: rigFromColor)
        } catch {
            guard error.fault == .input else { throw error }
            facts.drop = Drop(stage: "read", reason: error.at(file: file).oneLine, isBad: true)
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
            capture.drop(index, stage: "read", reason: "it has no picture")
        }
        try capture.checkPictures(in: tree, rules: rules)
        capture.channels.insert(.color)
    }
}

extension Capture {
    /// Gives every frame one camera, for pictures of the size that was found.
    mutating func setIntrinsics(_ camera: CameraIntrinsics?, absence: String) {
        guard let camera else {
            absences[.intrinsics] = absence
            return
        }
        for index in frames.indices { frames[index].intrinsics = camera }
        channels.insert(.intrinsics)
    }
}
