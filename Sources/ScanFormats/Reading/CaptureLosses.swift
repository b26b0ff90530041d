import ScanModel

/// What a capture lacks, and why.
extension Capture {
    /// Says why something that the capture's own description lists is missing: the copy is incomplete.
    /// - Parameter fix: what to copy.
    mutating func loses(_ channel: Channel, _ reason: String, fix: String) {
        absences[channel] = Absence(reason, remedy: fix)
    }

    /// Goes on without the content of a damaged file.
    /// - Parameter what: that content, as messages call it.
    /// - Throws: the problem itself where the machine is at fault: the file may be sound.
    mutating func loses(_ channel: Channel, _ what: String, in file: String, for problem: Problem) throws(Problem) {
        guard problem.fault == .input else { throw problem }
        loses(
            channel, "the \(what) cannot be read: \(problem.oneLine)", fix: problem.fix ?? "copy \(file) again")
        for index in files.indices where files[index].path == file { files[index].stake = .nothing }
    }

    /// Says that none of the pictures that a description lists is there.
    /// - Parameters:
    ///   - paths: as the description lists them.
    ///   - kind: what messages call them.
    ///   - list: the description.
    mutating func losesPictures(
        _ channel: Channel, _ paths: [String], called kind: String = "", listedIn list: String,
        in tree: any CaptureTree
    ) {
        let what = paths.count == 1 ? "a \(kind)picture" : "\(paths.count) \(kind)pictures"
        if let first = paths.first, paths.allSatisfy(\.leadsOut) {
            let example = tree.inside(first).map { ": \($0) instead of \(first)" }
            let way =
                paths.count == 1
                ? "a path that leads out of the capture and is not followed"
                : "paths that lead out of the capture and are not followed"
            return loses(
                channel, "\(list) lists \(what) by \(way): \(first.shortened)",
                fix: "list pictures relative to \(list)\(example ?? ", and copy them too")")
        }
        // What holds for the first of them holds for all.
        let some = paths.prefix(10)
        if let behind = some.first(where: { tree.leadsOutByLink($0) }) {
            return loses(
                channel,
                "\(list) lists \(what) behind a link that leads out of the capture and is not followed: \(behind.shortened)",
                fix: "copy the files themselves into the capture, or name the folder that holds both")
        }
        let near = some.compactMap { path in tree.otherForm(of: path).map { (path, $0) } }.first
        if let (path, other) = near {
            return loses(
                channel, "\(list) lists \(what), such as \(path.shortened), which is not there, and \(other) is",
                fix: PictureFolder.isNamed(other)
                    ? "let the names in \(list) have the files' own extension, .jpg or .png"
                    : "convert the pictures to JPEG or PNG")
        }
        let lack = "\(list) lists \(what)\(paths.count == 1 ? ", which is not there" : ", and none is there")"
        let moved = channel == .color ? some.firstNonNil { path in tree.elsewhere(path).map { (path, $0) } } : nil
        if let (path, other) = moved {
            let place = other.folderPath.isEmpty ? "at the capture's top" : "in \(other.folderPath)/"
            let names = paths.count == 1 ? "one of its name lies" : "pictures of their names lie"
            return loses(channel, "\(lack); \(names) \(place)", fix: Self.wayToMove(other, to: path))
        }
        loses(channel, lack, fix: "copy \(Self.folders(of: paths) ?? "the \(kind)pictures") too")
    }

    /// What to do about pictures that lie in another folder than the one in which they are listed.
    private static func wayToMove(_ file: String, to path: String) -> String {
        let (place, listed) = (file.folderPath, path.pictureStem.folderPath)
        if listed.isEmpty { return "move them out of \(place)/" }
        let (old, new) = (place.pathParts, listed.pathParts)
        // Below a folder of another name they may lie in folders of their own.
        return old.count == new.count && old.dropFirst() == new.dropFirst()
            ? "rename \(old[0])/ to \(new[0])/" : "move them to \(listed.shortened)/"
    }

    /// The folders in which these lie, as a fix names them; nil where there are many, or one is the capture's own, or
    /// outside it.
    static func folders(of paths: [String]) -> String? {
        let folders = Set(paths.map { path in path.pathParts.dropLast().filter { $0 != "." } })
        guard (1...4).contains(folders.count), folders.allSatisfy({ !$0.isEmpty && !$0.contains("..") }) else {
            return nil
        }
        let names = folders.map { $0.joined(separator: "/").shortened + "/" }.sorted()
        return "the folder\(names.count == 1 ? "" : "s") \(names.listed)"
    }

    /// Says for each of these channels that the format has none.
    /// - Parameter advice: as ``Absence/advice``.
    mutating func lacks(_ channels: [Channel], _ reason: String, advice: String? = nil) {
        for channel in channels where !self.channels.contains(channel) && absences[channel] == nil {
            absences[channel] = Absence(reason, advice: advice)
        }
    }

    /// Drops a frame for what is wrong with its own data.
    /// - Throws: the problem itself where the machine is at fault: the frame may be sound.
    mutating func drop(_ index: Int, for problem: Problem) throws(Problem) {
        guard problem.fault == .input else { throw problem }
        drop(index, whileReading: problem.oneLine, isBad: true, fix: problem.fix)
    }

    /// Keeps the whole frames of a file that was cut off, and drops those that it lacks, whether the list has them already
    /// or not.
    /// - Parameters:
    ///   - truncation: its fix does not yet say what can be done with the whole frames.
    ///   - count: how many frames there should be.
    /// - Throws: when the rules do not allow that.
    mutating func keepFrames(
        before truncation: Problem, whole: Int, of count: Int, _ rules: ReadRules
    ) throws(Problem) {
        let cut = truncation.mendable(cutAfter: whole, of: count)
        if let refusal = rules.refusal(of: cut) { throw refusal }
        forgiven.append(cut)
        while frames.count < count { frames.append(FrameFacts(index: frames.count)) }
        for index in frames.indices.dropFirst(whole) { drop(index, whileReading: cut.oneLine) }
    }
}

extension Absence {
    /// Why a file that a capture may have cannot be used. What stands in its place shows that there was one.
    init(of file: String, in tree: any CaptureTree) {
        self.init(tree.absence(of: file), remedy: tree.wayToReplace(file))
    }
}

extension Problem {
    /// The same with a fix, where it has none, for what a dataset's file says: it can be read, so it was not damaged on
    /// the way, but written wrongly.
    func correcting(_ file: String) -> Problem {
        var copy = self
        copy.fix = fix ?? "correct \(file)"
        return copy
    }
}
