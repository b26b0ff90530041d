import ScanFormats
import ScanModel
import ScanPipeline

/// What is odd about what was named, with what to do about it.
extension CaptureList {
    mutating func warn(_ summary: String, fix: String? = nil) {
        warnings.append(Problem(.usage, summary, fix: fix))
    }

    /// - Parameter words: those of `--exclude`: folders that they name are known.
    mutating func warn(without paths: [String], but words: [String]) {
        let names = paths.map(\.lastPart)
        let known = IDChoice(words, among: names).ids
        withoutCapture = zip(paths, names).filter { !known.contains($1) }.map(\.0)
        let paths = withoutCapture
        guard let first = paths.first else { return }
        warn(
            "there is no capture in \(paths.listed(most: Self.shown))",
            fix: "`scanmill inspect \(ShellWord.quoted(path: first))` says what is wrong with "
                + (paths.count == 1 ? "it" : "the first"))
    }

    /// - Parameters:
    ///   - words: those of `--exclude` that no id fits.
    ///   - ids: those that there are.
    mutating func warn(ofIdle words: [String], among ids: [String]) {
        let option = "--exclude"
        // Of a few, each may be mistyped. Of many, most captures are gone, and a look for what is near takes its time.
        let fixes = words.map {
            words.count > Self.shown ? nil : IDChoice.suggestion(for: $0, of: option, among: ids)
        }
        let gone = zip(words, fixes).filter { $1 == nil }.map(\.0)
        for (word, fix) in zip(words, fixes) where fix != nil || gone.count == 1 {
            let problem = IDChoice.problem(with: word, of: option, fix: fix)
            warn(problem.summary, fix: problem.fix)
        }
        if gone.count > 1 {
            warn(
                "no capture has these ids of `\(option)`: \(gone.listed(most: Self.shown))",
                fix: "leave out those whose captures are gone for good")
        }
    }

    mutating func warn(of strangers: [CaptureSearch.Stranger: [String]]) {
        for kind in CaptureSearch.Stranger.allCases {
            guard let paths = strangers[kind] else { continue }
            let (what, fix) = kind.words(for: paths.count)
            let verb = paths.count == 1 ? "was" : "were"
            warn("\(what) \(verb) passed over: \(paths.sorted().listed(most: Self.shown))", fix: fix)
        }
    }

    mutating func warn(ofPacked archives: [String]) {
        if archives.isEmpty { return }
        let what =
            archives.count == 1
            ? "an archive was passed over, since the folder into which it was unpacked is there too"
            : "archives were passed over, since the folders into which they were unpacked are there too"
        warn(
            "\(what): \(archives.listed(most: Self.shown))",
            fix: "nothing has to be done; to be rid of this warning, keep archives elsewhere")
    }

    mutating func warn(ofCrowded captures: [(capture: String, within: [String])]) {
        for (path, inner) in captures.prefix(Self.shown) {
            warn(
                "\(path) is one capture, but there are more in it: \(inner.listed(most: Self.shown))",
                fix: "if these are to be run, move what makes \(path) itself a capture out of it, or name them one by "
                    + "one")
        }
        let others = captures.dropFirst(Self.shown).map { $0.capture }
        if others.isEmpty { return }
        warn(
            "\(others.count.counted("more capture", "holds", "hold")) others: \(others.listed(most: Self.shown))",
            fix: "if those in them are to be run, move them out, or name them one by one")
    }

    mutating func warn(ofLoose files: [(folder: String, reason: String)]) {
        if files.isEmpty { return }
        let places = files.map { "\($0.folder) (\($0.reason))" }
        warn(
            "files among captures were passed over, though they may be a capture: \(places.listed(most: Self.shown))",
            fix: "if they are to be run, move them into a folder of their own")
    }

    mutating func warn(ofFormats found: Set<String>, insteadOf asked: [String]) {
        if asked.isEmpty || found.isEmpty { return }
        warn(
            "no capture is in the format \(asked.joined(separator: " or ")); those found are in \(found.sorted().listed)"
        )
    }

    mutating func warn(ofResults paths: [String]) {
        guard let first = paths.first else { return }
        let (what, fix) =
            paths.count == 1
            ? ("a result of ScanMill lies among the captures, and was", "if it is to be run, name it as INPUT")
            : ("results of ScanMill lie among the captures, and were", "if they are to be run, name them as INPUT")
        warn(
            "\(what) passed over: \(paths.listed(most: Self.shown))", fix: "\(fix): \(ShellWord.quoted(path: first))")
    }

    /// What `--settle` cannot tell, because a clock is wrong or was.
    mutating func warn(of plan: BatchPlan) {
        let captures = plan.fromTheFuture.map(\.path)
        if captures.isEmpty { return }
        warn(
            "\(captures.listed(most: Self.shown)) changed at a time in the future, so --settle does not wait for them",
            fix: "set the clock of this machine, or of the one that holds the captures")
    }
}

extension CaptureSearch.Stranger {
    /// What so many files of this kind are, and what to do about them.
    func words(for count: Int) -> (what: String, fix: String) {
        let isOne = count == 1
        let (it, its) = isOne ? ("it", "its") : ("them", "their")
        return switch self {
        case .archive:
            (
                isOne ? "an archive of another kind than ZIP" : "archives of other kinds than ZIP",
                "unpack \(it), or pack the \(isOne ? "capture" : "captures") as ZIP"
            )
        case .unfinished:
            (
                isOne ? "a copy that has not arrived as a whole" : "copies that have not arrived as a whole",
                "wait for \(it), or fetch \(it) again"
            )
        case .video:
            (
                isOne ? "a video without poses" : "videos without poses",
                "for \(its) pictures alone, such as for COLMAP, take \(it) with  --format \(VideoFileCapture.name)"
            )
        case .sphere: (isOne ? "a 360° video" : "360° videos", "export views of \(it) as flat videos")
        }
    }
}
