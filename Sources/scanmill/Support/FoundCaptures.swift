import ArgumentParser
import ScanFormats
import ScanModel
import ScanPipeline
import ScanStages

/// The captures that a command line names, before it is known what the disk for the results tells apart.
struct FoundCaptures {
    /// What is known already: all but ``CaptureList/inputs``, and those that are refused because of their names.
    private var list: CaptureList
    /// Where the pipeline's file stands.
    private let pipelineFolder: String
    /// Those that are neither in ``list`` yet nor left out.
    private var others: [CaptureSearch.Found] = []
    private let twins: CaptureTwins

    /// Looks at everything that was named.
    /// - Parameter reports: files that a run would write in addition to the results.
    /// - Throws: exit code 2 when something that was named is not there, when there is no capture at all, when OUT is no
    ///   place for the results or a file would be written into a capture, for an `--only` that matches nothing, or for
    ///   an unknown `--format`.
    static func find(_ options: BatchOptions, for loaded: LoadedPipeline, reports: [String] = [])
        throws -> FoundCaptures
    {
        try requireFormats(options.formats)
        let formats = options.formats.isEmpty ? formatsRead(by: loaded.pipeline) : options.formats
        let limits = (loaded.pipeline.steps.first?.stage as? Read)?.archiveLimits ?? ArchiveLimits()
        // Recordings may be meant to be read as another format than they look like, but not as videos.
        let taken = formats == [VideoFileCapture.name] ? formats : options.formats
        var captures = FoundCaptures(
            list: CaptureList(formats: taken), pipelineFolder: FileSystem.parent(of: loaded.path),
            twins: CaptureTwins(inputs: options.inputs, asked: formats, limits: limits))
        let found = try captures.search(options.inputs, skipping: options.output, formats: Set(formats), limits: limits)
        captures.list.warn(without: found.without, but: options.exclude)
        let asked = try found.only(options.only)
        try Console.orExit { () throws(Problem) in
            try OutputPlace.requireApart(found.captures, from: options.output, and: reports)
        }
        var wanted = asked
        wanted.captures = asked.captures.filter { capture in
            // What cannot be looked into may be of any format.
            taken.isEmpty || capture.format.map(taken.contains) ?? true
        }
        captures.list.ofOtherFormats = asked.captures.count - wanted.captures.count
        try requireFormat(taken, by: options, asked, wanted)
        if wanted.captures.isEmpty {
            captures.list.warn(ofFormats: Set(asked.captures.compactMap(\.format)), insteadOf: taken)
        }
        let kept = captures.exclude(options.exclude, from: wanted, among: found.ids + found.without.map(\.lastPart))
        captures.list.refused = kept.unreadable.map { captures.outcome(of: $0.name, at: $0.path, .failed($0.problem)) }
        let (single, packed) = captures.twins.separate(kept.captures)
        captures.list.warn(ofPacked: packed)
        captures.others = single
        return captures
    }

    /// Separates captures that can be run from those that cannot because of their names.
    /// - Parameter names: how the disk for the results tells these apart.
    func toldApart(by names: OutputNames) -> CaptureList {
        var list = list
        // What cannot be a name stands in nobody's way.
        let key = { (id: String) in names.defect(ofID: id) == nil ? names.key(id) : id }
        let byKey = Dictionary(grouping: others) { key($0.id) }
        var folders = SourceFolders(named: twins.inputs)
        var refusedKeys: Set<String> = []
        for capture in others where !refusedKeys.contains(key(capture.id)) {
            let alike = byKey[key(capture.id)] ?? []
            if let defect = names.defect(ofID: capture.id) ?? twins.problem(of: alike) {
                // All captures with one id, or with ids that are one name to the disk, are refused as one.
                refusedKeys.insert(key(capture.id))
                list.refused.append(outcome(of: capture.id, at: capture.path, .failed(defect.at(file: capture.path))))
            } else {
                list.inputs.append(input(capture.id, at: capture.path, in: folders.folder(of: capture.path)))
            }
        }
        return list
    }

    private func input(_ id: String, at path: String, in source: SourceFolder? = nil) -> CaptureInput {
        CaptureInput(id: id, path: path, pipelineFolder: pipelineFolder, source: source)
    }

    private func outcome(of id: String, at path: String, _ ending: CaptureEnding) -> CaptureOutcome {
        CaptureOutcome(input: input(id, at: path), ending: ending)
    }

    /// Takes out what `--exclude` names. A word that no id fits ends no night: a capture that was known to be bad may be
    /// gone at last.
    /// - Parameter ids: those of everything that was found, which a word may fit, and names of folders without a capture.
    /// - Returns: the others.
    private mutating func exclude(
        _ words: [String], from found: CaptureSearch, among ids: [String]
    ) -> CaptureSearch {
        if words.isEmpty { return found }
        let choice = IDChoice(words, among: ids)
        list.warn(ofIdle: choice.idle, among: ids)
        var seen: Set<String> = []
        let out = found.filter(choice.ids.contains)
        let places = out.captures.map { ($0.id, $0.path) } + out.unreadable.map { ($0.name, $0.path) }
        list.excluded = places.filter { seen.insert($0.0).inserted }.map { outcome(of: $0, at: $1, .excluded) }
        return found.filter { !choice.ids.contains($0) }
    }

    /// The format that the pipeline says it reads, if any: of a result that holds its capture in several formats, this
    /// one is meant.
    private static func formatsRead(by pipeline: Pipeline) -> [String] {
        guard let named = pipeline.steps.first?.options["format"]?.string, CaptureFormats.names.contains(named) else {
            return []
        }
        return [named]
    }

    private static func requireFormats(_ names: [String]) throws {
        let known = CaptureFormats.names
        guard let name = names.first(where: { !known.contains($0) }) else { return }
        let fix =
            NamedFormat.suggestion(for: name, among: CaptureFormats.all.map { $0.card })
            ?? "`scanmill formats` lists them"
        throw Console.exitCode(saying: Problem(.usage, "`--format \(name)`: there is no such format", fix: fix))
    }

    /// An id that nothing is left of counts as one that no capture has.
    /// - Throws: exit code 2 where the formats that are taken leave nothing of what an `--only` names.
    private static func requireFormat(
        _ taken: [String], by options: BatchOptions, _ asked: CaptureSearch, _ wanted: CaptureSearch
    ) throws {
        guard let id = IDChoice(options.only, among: wanted.ids).idle.first else { return }
        let named = IDChoice([id], among: asked.ids).ids
        let found = asked.captures.filter { named.contains($0.id) }
        let formats = Set(found.compactMap(\.format)).sorted()
        let which = found.count == 1 ? "this capture is" : "these captures are"
        let what = formats.count == 1 ? "format" : "formats"
        let (who, fix) =
            options.formats.isEmpty
            ? ("the pipeline", "use a pipeline for captures of \(formats.count == 1 ? "that" : "those") \(what)")
            : ("`--format`", "leave one of the two out")
        throw Console.exitCode(
            saying: Problem(
                .usage,
                "`--only \(id)`: \(which) in the \(what) \(formats.listed), and \(who) asks for "
                    + taken.joined(separator: " or "), fix: fix))
    }

    /// Looks at everything that was named. What is named twice, or found below two of the folders, counts once.
    /// - Throws: exit code 2 when there is no capture at all, or a path that leads nowhere; 3 for one that may not be read.
    private mutating func search(
        _ paths: [String], skipping output: String, formats: Set<String>, limits: ArchiveLimits
    ) throws -> CaptureSearch {
        var found = CaptureSearch()
        let place = FileSystem.realPath(output)
        // `captures/*` also names OUT if it is among them.
        for path in paths where paths.count == 1 || place == nil || FileSystem.realPath(path) != place {
            do throws(Problem) {
                var search = try CaptureSearch(at: path, skipping: output, formats: formats, limits: limits)
                if search.isEmpty { search.without = [path] }
                search.without.removeAll { Self.isEmptied($0, output) }
                found.add(search)
            } catch {
                // Something that exists but is not a capture does not keep the others from being run.
                guard paths.count > 1, FileSystem.exists(path) else {
                    throw NamedPath.exitCode(saying: error, of: path)
                }
                found.without.append(path)
            }
        }
        found.dropRepeats()
        // Those that were named one by one are run.
        let run = Set(found.captures.map { Place($0.path) })
        let crowded = found.crowded.map { ($0.capture, $0.within.filter { !run.contains(Place($0)) }) }
        list.warn(ofCrowded: crowded.filter { !$1.isEmpty })
        list.warn(ofLoose: found.loose)
        list.warn(of: found.strangers)
        if found.isEmpty {
            list.warnings.forEach(Console.warn)
            // Where OUT is the only capture, it was not searched.
            try Console.orExit { () throws(Problem) in try OutputPlace.requireApart([], from: output, and: []) }
            throw Console.exitCode(saying: Self.nothing(in: paths, formats))
        }
        list.warn(ofResults: found.strayResults)
        return found
    }

    /// Whether a folder is what stayed behind when the files of a capture with a result were moved away: it deserves no
    /// more mention than a capture that is gone.
    private static func isEmptied(_ path: String, _ output: String) -> Bool {
        let id = path.pathName ?? ""
        return FileSystem.exists(ResultPlace("\(output)/\(id)").receipt) && FileSystem.isGone(path)
    }

    /// - Parameter formats: those that are asked for; none for all.
    private static func nothing(in paths: [String], _ formats: Set<String>) -> Problem {
        // A search for captures passes over results, and over PLY files.
        let results = paths.filter { !StateFolder(output: $0).published.isEmpty }
        let clouds =
            formats == [PLYCapture.name]
            ? paths.filter { path in FileSystem.names(in: path).contains { $0.hasSuffix(".ply") } } : []
        func names(_ folders: [String], _ pattern: String) -> String {
            let named = folders.prefix(CaptureList.shown).map {
                ShellWord.quoted(path: $0.withoutSlashBehind) + pattern
            }
            return (named + (folders.count > CaptureList.shown ? ["…"] : [])).joined(separator: " ")
        }
        let fix =
            if !clouds.isEmpty {
                "folders are not searched for PLY files; name them:  \(names(clouds, "/*.ply"))"
            } else if !results.isEmpty {
                "what ScanMill wrote is not searched; name the results:  \(names(results, "/*"))"
            } else { "`scanmill inspect \(ShellWord.quoted(path: paths[0]))` says what it holds" }
        return Problem(.usage, "there is no capture in \(paths.listed(most: CaptureList.shown))", fix: fix)
    }
}

extension CaptureSearch {
    fileprivate var isEmpty: Bool { captures.isEmpty && unreadable.isEmpty }

    fileprivate var ids: [String] { captures.map(\.id) + unreadable.map(\.name) }

    fileprivate func filter(_ isWanted: (String) -> Bool) -> CaptureSearch {
        var rest = self
        rest.captures = captures.filter { isWanted($0.id) }
        rest.unreadable = unreadable.filter { isWanted($0.name) }
        return rest
    }

    /// Those with the ids that are asked for; all if none is.
    /// - Throws: exit code 2 for a word that no capture's id fits.
    fileprivate func only(_ words: [String]) throws -> CaptureSearch {
        if words.isEmpty { return self }
        let choice = IDChoice(words, among: ids)
        if let word = choice.idle.first {
            throw Console.exitCode(saying: IDChoice.problem(with: word, of: "--only", among: ids))
        }
        return filter(choice.ids.contains)
    }

    /// Keeps each once, however its path is spelt.
    fileprivate mutating func dropRepeats() {
        captures = captures.distinct { Place($0.path, id: $0.id) }
        unreadable = unreadable.distinct { Place($0.path, id: $0.name) }
        without = without.distinct { Place($0) }
        strangers = strangers.mapValues { $0.distinct { Place($0) } }
        crowded = crowded.distinct { Place($0.capture) }
        loose = loose.distinct { Place($0.folder) }
        strayResults = strayResults.distinct { Place($0) }
    }
}

/// What a path leads to, by an id: it is one capture, however the path is spelt, and two if links give it two ids.
private struct Place: Hashable {
    let id: PathKey
    let path: PathKey

    /// - Parameter id: its own, or the path's last part.
    init(_ path: String, id: String? = nil) {
        self.id = PathKey(id ?? path.lastPart)
        self.path = PathKey(FileSystem.realPath(path) ?? path)
    }
}

extension Array {
    /// The first element of each place.
    fileprivate func distinct(_ place: (Element) -> Place) -> [Element] {
        var seen: Set<Place> = []
        return filter { seen.insert(place($0)).inserted }
    }
}
