import Glibc
import ScanModel

/// To which pipeline OUT belongs, and whether results can be put there at all.
extension StateFolder {
    /// OUT belongs to the first pipeline that published there, by its name: results of two pipelines in one folder
    /// would replace each other by turns. Until then it belongs to the one that is at work there. Where the owner's name
    /// is lost, it is taken from the results.
    /// - Parameter patience: how long this waits for others who take OUT at the same time, each for a moment.
    /// - Returns: what holds OUT for the run while it is at work.
    /// - Throws: a problem with fault `usage` when it belongs to another one and `replacing` is not set, or when results could
    ///   not be renamed from `.scanmill` into it; with fault `environment` when OUT cannot be listed, so that nobody can
    ///   tell whose results are in it, or when another process does not come to an end of taking it.
    public func claim(
        for pipeline: Pipeline, replacing: Bool, patience: Duration = StateLock.patience
    ) throws(Problem) -> RunHold {
        try requirePlace()
        if try ownerName() == pipeline.name {
            let hold = try RunHold(in: self, patience: patience)
            // Until it was held, another pipeline may have taken it.
            if try ownerName() == pipeline.name { return hold }
        }
        if !replacing, let owner = try foreignOwner(for: pipeline) { throw refusal(to: pipeline, for: owner) }
        // OUT's own name must survive a power cut too, or nothing in it does.
        for made in try FileSystem.makeFolders(output) { try FileSystem.syncFolder(FileSystem.parent(of: made)) }
        for made in try FileSystem.makeFolders(path) { try FileSystem.syncFolder(FileSystem.parent(of: made)) }
        // Of two pipelines that begin at the same moment, the second finds the first one's name.
        guard let lock = try StateLock(ownerOf: self, patience: patience) else {
            throw StateLock.notFree(StateLock.owner(of: self), after: patience)
        }
        defer { withExtendedLifetime(lock) {} }
        if try ownerName() != pipeline.name { try take(for: pipeline, replacing: replacing) }
        return try RunHold(in: self, patience: patience)
    }

    /// Makes OUT the pipeline's.
    private func take(for pipeline: Pipeline, replacing: Bool) throws(Problem) {
        if !replacing, let owner = try foreignOwner(for: pipeline) { throw refusal(to: pipeline, for: owner) }
        // Meanwhile no run of the owner begins.
        let alone = try StateLock(aloneIn: self)
        defer { withExtendedLifetime(alone) {} }
        let other = try ownerName()
        if let other, alone == nil, !replacing {
            throw refusal(to: pipeline, for: ForeignOwner(name: other, ground: .run))
        }
        // What failed in another pipeline by which nothing was published is no news of this one.
        if other != nil, case .nothing = try presenceOfResults() {
            for id in failed { FailureNote.remove(id, in: self) }
        }
        let json = JSONValue.object(["pipeline": .string(pipeline.name)])
        try FileSystem.replace(owner, with: JSONWriter.text(json), isDurable: true)
    }

    /// Another pipeline that keeps one out of OUT.
    public struct ForeignOwner: Sendable {
        public let name: String
        fileprivate let ground: Ground

        fileprivate enum Ground {
            case results
            /// Nobody can tell whether there are any, and why.
            case obscure(Problem)
            /// One that is at work there, and has published nothing yet.
            case run
            /// Whether a run of it is at work there, nobody can tell.
            case perhapsRun
        }
    }

    /// What a pipeline is refused OUT with.
    /// - Parameter owner: the other pipeline, from ``foreignOwner(for:)``.
    public func refusal(to pipeline: Pipeline, for owner: ForeignOwner) -> Problem {
        let refusal = Problem(
            .usage, "\(sentence(about: owner)), not of `\(pipeline.name)`", fix: Self.wayPastOwner)
        switch owner.ground {
        case .results, .perhapsRun: return refusal
        case .obscure(let problem):
            var refusal = refusal.noting(problem.oneLine)
            refusal.fix =
                "choose another folder with -o; or let it be read, or move it away; or, if it is no result, take the folder "
                + "over with  --replace"
            return refusal
        case .run:
            var refusal = refusal
            refusal.fix = "wait until it ends, or choose another folder with -o"
            return refusal
        }
    }

    /// What makes OUT another pipeline's, as a sentence.
    /// - Parameter owner: from ``foreignOwner(for:)``.
    public func sentence(about owner: ForeignOwner) -> String {
        switch owner.ground {
        case .results: "\(output) holds results of the pipeline `\(owner.name)`"
        case .obscure: "\(output) may hold results of the pipeline `\(owner.name)`"
        case .run: "\(output) is in use by a run of the pipeline `\(owner.name)`"
        case .perhapsRun: "\(output) belongs to the pipeline `\(owner.name)`, without any result in it"
        }
    }

    private static let wayPastOwner = "choose another folder with -o, or replace the results with  --replace"

    /// - Throws: a problem with fault `usage` when another pipeline has taken OUT over since it was claimed; with fault
    ///   `environment` when OUT is another folder by now, as below a mount point whose disk went away: results would go
    ///   where nobody looks for them.
    func requireOwner(_ pipeline: Pipeline) throws(Problem) {
        guard let name = try ownerName() else {
            throw anotherFolder(without: "\(Self.name)/owner.json")
        }
        if name == pipeline.name { return }
        throw Problem(
            .usage, "the pipeline `\(name)` has taken the results over from `\(pipeline.name)`",
            fix: Self.wayPastOwner
        ).at(file: output)
    }

    /// What a run says when it finds another folder in OUT's place, as below a mount point whose disk went away.
    func anotherFolder(without file: String) -> Problem {
        Problem(
            .environment, "this is not the folder that the run began with",
            notes: ["\(file), which the run found or wrote there, is gone"],
            fix: "mount it again, or put it back, and run again"
        ).at(file: output)
    }

    /// - Returns: nil where nobody owns it, or a power cut has left an empty file: the receipts tell then.
    /// - Throws: when there is an owner, and nobody can say which.
    private func ownerName() throws(Problem) -> String? {
        guard try FileSystem.isThere(owner) else { return nil }
        let trouble = "it is unknown to which pipeline the results belong"
        let bytes: [UInt8]
        do throws(Problem) { bytes = try FileSystem.bytes(of: owner, limit: 1 << 20) } catch {
            throw error.noting(trouble)
        }
        if bytes.isEmpty { return nil }
        if let name = (try? JSONValue.parse(bytes, file: owner))?["pipeline"]?.string { return name }
        throw Problem(
            .environment, trouble,
            fix: "it is damaged: remove it; the receipts of the results say to which"
        ).at(file: FileSystem.absolute(owner))
    }

    /// Whose results are in OUT where nobody owns it, as in a copy without `.scanmill`: the receipts say so.
    /// - Returns: nil when there are none, or some are the pipeline's own.
    /// - Throws: fault `environment` when OUT cannot be listed.
    private func maker(besides pipeline: Pipeline) throws(Problem) -> String? {
        var first: String?
        for id in try FileSystem.list(output) where !id.hasPrefix(".") && place(id).holdsResult {
            guard let name = PublishedResult(id, in: output)?.pipelineName else { continue }
            if name == pipeline.name { return nil }
            first = first ?? name
        }
        return first
    }

    /// The name of the pipeline to which OUT belongs, as far as that can be read.
    var owningPipeline: String? { (try? ownerName()) ?? nil }

    /// The other pipeline that keeps this one out of OUT.
    /// - Throws: when there is an owner, and nobody can say which; fault `environment` when OUT cannot be listed.
    public func foreignOwner(for pipeline: Pipeline) throws(Problem) -> ForeignOwner? {
        var owner = try ownerName()
        if owner == nil { owner = try maker(besides: pipeline) }
        guard let name = owner, name != pipeline.name else { return nil }
        // What is at work is looked for first: it may publish, and end, meanwhile.
        let isAtWork = StateLock.isHeldByRuns(in: self)
        switch try presenceOfResults() {
        case .certain: return ForeignOwner(name: name, ground: .results)
        case .obscure(let problem): return ForeignOwner(name: name, ground: .obscure(problem))
        case .nothing:
            // One that was run first by mistake, and of which nothing came, has nothing to lose.
            guard let isAtWork else { return ForeignOwner(name: name, ground: .perhapsRun) }
            return isAtWork ? ForeignOwner(name: name, ground: .run) : nil
        }
    }

    /// Whether there are results in OUT.
    private enum Presence {
        case certain
        /// None is seen, and what cannot be looked at may be one.
        case obscure(Problem)
        case nothing
    }

    /// - Throws: fault `environment` when OUT cannot be listed: it must not pass for empty.
    private func presenceOfResults() throws(Problem) -> Presence {
        var obscurity: Problem?
        for id in try FileSystem.list(output) where !id.hasPrefix(".") {
            let place = place(id)
            if place.holdsResult { return .certain }
            if obscurity == nil, !SystemFolders.names.contains(id) { obscurity = place.obscurity }
        }
        return obscurity.map(Presence.obscure) ?? .nothing
    }

    // MARK: - Whether results can be put there

    /// - Throws: a problem when no run can publish here, whatever its pipeline is: with fault `usage` when results could not be
    ///   renamed from `.scanmill` into OUT, with fault `environment` when OUT is no folder.
    public func requirePlace() throws(Problem) {
        var status = stat()
        let isOther = stat(output, &status) == 0 ? status.st_mode & S_IFMT != S_IFDIR : errno == ENOTDIR
        if isOther { throw FileSystem.fileInTheWay(of: output) }
        try requireOneFilesystem()
    }

    /// - Throws: a problem with fault `environment` when results cannot be renamed into OUT, whatever may be written in
    ///   `.scanmill`: captures would be processed for nothing.
    public func requireWritable() throws(Problem) {
        try FileSystem.requireAccess(to: output, W_OK | X_OK, "cannot write into the folder")
    }

    /// A link to another disk would let every capture be processed, and none be published.
    private func requireOneFilesystem() throws(Problem) {
        var outer = stat()
        guard stat(output, &outer) == 0 else { return }
        for folder in [path, work] {
            var inner = stat()
            guard stat(folder, &inner) == 0, outer.st_dev != inner.st_dev else { continue }
            let isLinkedPart = folder != path && !FileSystem.isFolderItself(folder)
            throw Problem(
                .usage,
                "it is on a different filesystem from the results, which are renamed out of it when they are whole",
                fix: isLinkedPart
                    ? "remove this link: the next run makes a folder"
                    : "move it into \(output), or put all of \(output) on the other filesystem"
            ).at(file: folder)
        }
    }
}
