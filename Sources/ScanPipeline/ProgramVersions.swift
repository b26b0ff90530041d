/// The programs that results come from, as they are now: ScanMill, and those that its stages and formats start.
///
/// A result that another version made may have to be made again; see ``ResultKey``.
public struct ProgramVersions {
    /// ScanMill's own name and version.
    package let tool: String
    /// Where the other programs lie that may be started.
    private let paths: [String]
    private let find: (String) -> String?
    private var found: [String: String?] = [:]

    /// - Parameters:
    ///   - paths: where the other programs lie.
    ///   - find: the version of the program with this name, as ``Stage/toolVersions(for:)`` and
    ///     `CaptureSource.toolVersions(for:)` give it; nil where there is none. Asked once for each name.
    public init(tool: String, paths: [String] = [], find: @escaping (String) -> String?) {
        self.tool = tool
        self.paths = paths
        self.find = find
    }

    /// Another text after an update of any of them, without starting one.
    var installation: String {
        ([tool] + paths.map { "\($0) \(FileSystem.status(of: $0)?.text ?? "-")" }).joined(separator: "\n")
    }

    mutating func version(of name: String) -> String? {
        if let known = found[name] { return known }
        let version = find(name)
        found[name] = .some(version)
        return version
    }
}
