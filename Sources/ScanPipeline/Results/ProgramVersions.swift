/// The programs that results come from, as they are now: ScanMill, and those that its stages and formats start.
///
/// A result that another version made may have to be made again; see ``ResultKey``.
public struct ProgramVersions {
    /// ScanMill's own name and version.
    package let tool: String
    /// Which build of that version it is.
    private let build: String
    /// How ScanMill reads each format, by the revisions of their readers.
    package let formats: [String: Int]
    /// The paths of the other programs that may be started.
    private let paths: [String]
    private let find: (String) -> String?
    private var found: [String: String?] = [:]

    /// - Parameters:
    ///   - tool: ScanMill's own name and version.
    ///   - build: anything that differs between builds of one version: what one could not do, the next one may.
    ///   - formats: the revisions of the formats' readers, by the formats' names.
    ///   - paths: where the other programs are.
    ///   - find: the version of the program with this name, as ``Stage/toolVersions(for:)`` and
    ///     `CaptureSource.toolVersions(for:)` give it; nil where there is none. Asked once for each name.
    public init(
        tool: String, build: String = "", formats: [String: Int] = [:], paths: [String] = [],
        find: @escaping (String) -> String?
    ) {
        self.tool = tool
        self.build = build
        self.formats = formats
        self.paths = paths
        self.find = find
    }

    /// A text that changes with an update of any of them, made without starting one.
    package var installation: String {
        ([tool, build] + formats.map { "\($0) \($1)" }.sorted()
            + paths.map { "\($0) \(FileSystem.status(of: $0)?.text ?? "-")" }).joined(separator: "\n")
    }

    mutating func version(of name: String) -> String? {
        if let known = found[name] { return known }
        let version = find(name)
        found[name] = .some(version)
        return version
    }
}

/// The revisions of formats' readers, by the formats' names.
extension [String: Int] {
    /// Whether these readers read a format as one with this revision did; true for an unknown format.
    func reads(_ format: String, asIn revision: Int) -> Bool { self[format] ?? revision == revision }
}
