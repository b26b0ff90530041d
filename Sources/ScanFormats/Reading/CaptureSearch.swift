import ScanModel

/// The captures that a path stands for, the one that lies there, or all that lie below it; and what else was found that
/// a person should know of.
public struct CaptureSearch: Sendable {
    public struct Found: Sendable {
        public var id: String
        /// Without a slash at its end.
        public var path: String
        /// The name of the format; nil for a file that cannot be examined, and fails under its own name when it is run.
        public var format: String?
        /// The folder of the result in which it lies; nil where it lies in none.
        public var result: String?
    }

    /// Something that may be a capture, but cannot be looked at.
    public struct Unreadable: Sendable {
        /// The id that its capture would have.
        public var name: String
        public var path: String
        public var problem: Problem
    }

    /// Sorted by their path's parts; none when the folder holds none.
    public package(set) var captures: [Found] = []
    public package(set) var unreadable: [Unreadable] = []
    /// Folders that hold no capture, without the folders in them; such archives; and what is named like a capture but is
    /// neither a file nor a folder, such as a pipe.
    public package(set) var without: [String] = []
    /// Files that may well hold a capture, but are of a kind that is not read.
    public package(set) var strangers: [Stranger: [String]] = [:]
    /// Folders that were each taken as one capture, with the captures in them that are left out.
    public package(set) var crowded: [(capture: String, within: [String])] = []
    /// Folders whose own files look like a capture and were not taken for one, since captures lie among them: their
    /// paths, and what the files look like.
    public package(set) var loose: [(folder: String, reason: String)] = []
    /// Results that were skipped and that are in no output folder: somebody put them among the captures.
    public package(set) var strayResults: [String] = []

    /// Folders deeper than this below the one that was named are not searched.
    static let depthLimit = 16

    /// - Parameters:
    ///   - path: a capture (a folder, an archive or a file), or a folder to search for captures. The search
    ///     stops at a capture, unless that is a mere guess or not asked for, and recordings lie in it. It skips hidden
    ///     folders and results (whatever holds a receipt), unless they are what was named. Links are followed; a folder
    ///     to which several lead is searched once.
    ///   - output: a folder that is not searched: the results of this or an earlier run.
    ///   - formats: which of them to take from a result that holds its capture in several, and from folders whose own
    ///     files are of another; empty for all. Captures of other formats are found too, but for videos by themselves:
    ///     these are found only where they are asked for, since most lie there for people to look at.
    ///   - limits: for the archives that are examined, as the pipeline has them.
    /// - Throws: when there is nothing at the path, or a file that is not a capture.
    public init(
        at path: String, skipping output: String? = nil, formats: Set<String> = [],
        limits: ArchiveLimits = ArchiveLimits()
    ) throws(Problem) {
        var walk = CaptureWalk(formats: formats, limits: limits)
        try walk.begin(at: path, skipping: output)
        self = walk.found
    }

    /// Nothing found yet.
    package init() {}

    /// The captures alone.
    public static func captures(at path: String) throws(Problem) -> [Found] { try CaptureSearch(at: path).captures }

    /// Takes over all that another search found.
    package mutating func add(_ other: CaptureSearch) {
        captures += other.captures
        unreadable += other.unreadable
        without += other.without
        strangers.merge(other.strangers, uniquingKeysWith: +)
        crowded += other.crowded
        loose += other.loose
        strayResults += other.strayResults
    }
}
