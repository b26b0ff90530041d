/// The programs that results come from, as they are now: ScanMill, and those that its stages and formats start.
///
/// A result that another version made may have to be made again; see ``ResultKey``.
public struct ProgramVersions {
    /// ScanMill's own name and version.
    package let tool: String
    /// Which build of that version it is.
    private let build: String
    /// How ScanMill reads each format.
    package let formats: FormatRevisions
    /// The paths of the other programs that may be started.
    private let paths: [String]
    private let find: (String) -> String?
    private var found: [String: String?] = [:]

    /// - Parameters:
    ///   - tool: ScanMill's own name and version.
    ///   - build: anything that differs between builds of one version: what one could not do, the next one may.
    ///   - paths: where the other programs are.
    ///   - find: the version of the program with this name, as ``Stage/toolVersions(for:)`` and
    ///     `CaptureSource.toolVersions(for:)` give it; nil where there is none. Asked once for each name.
    public init(
        tool: String, build: String = "", formats: FormatRevisions = FormatRevisions(), paths: [String] = [],
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
        ([tool, build, formats.text] + paths.map { "\($0) \(FileSystem.status(of: $0)?.text ?? "-")" })
            .joined(separator: "\n")
    }

    mutating func version(of name: String) -> String? {
        if let known = found[name] { return known }
        let version = find(name)
        found[name] = .some(version)
        return version
    }
}
