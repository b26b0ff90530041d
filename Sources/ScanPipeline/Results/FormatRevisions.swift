import ScanModel

/// The revisions of the formats' readers: results are made again when that of their format's reader changes.
public struct FormatRevisions: Sendable {
    /// By the formats' names.
    private let byName: [String: Int]

    public init(byName: [String: Int] = [:]) { self.byName = byName }

    /// Whether these readers read a format as one with this revision did; true for an unknown format.
    func reads(_ format: String, asIn revision: Int) -> Bool { byName[format] ?? revision == revision }

    /// The formats that other readers read in another way, sorted.
    func readOtherwise(by others: FormatRevisions) -> [String] {
        byName.filter { !others.reads($0.key, asIn: $0.value) }.keys.sorted()
    }

    /// A text that changes with any of them.
    var text: String { byName.map { "\($0) \($1)" }.sorted().joined(separator: "\n") }

    var json: JSONValue { .object(JSONObject(byName) { .of($0) }) }

    init(_ json: JSONValue?) {
        let members = json?.object?.members ?? []
        byName = Dictionary(
            members.compactMap { member in
                member.value.integer.flatMap { Int(exactly: $0) }.map { (member.key, $0) }
            }, uniquingKeysWith: { $1 })
    }
}
