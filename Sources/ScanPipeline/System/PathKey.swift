/// A path as the key of a table, compared by its bytes as names on disk are: to Swift, strings that differ only in
/// Unicode composition are equal.
struct PathKey: Hashable, Comparable, Sendable {
    let path: String

    init(_ path: String) { self.path = path }

    static func == (a: PathKey, b: PathKey) -> Bool { a.path.utf8.elementsEqual(b.path.utf8) }

    static func < (a: PathKey, b: PathKey) -> Bool { a.path.utf8.lexicographicallyPrecedes(b.path.utf8) }

    func hash(into hasher: inout Hasher) {
        var path = path
        path.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension String {
    /// Ids are compared by these; see ``distinctByBytes``.
    package var bytes: [UInt8] { Array(utf8) }
}

extension Sequence<String> {
    /// Each once, sorted by their bytes: to Swift, names that differ only in Unicode composition are equal, but on disk
    /// they are two.
    package var distinctByBytes: [String] {
        sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.reduce(into: []) { names, name in
            if names.last?.utf8.elementsEqual(name.utf8) != true { names.append(name) }
        }
    }
}
