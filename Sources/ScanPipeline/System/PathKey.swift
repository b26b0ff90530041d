/// A path, or a name in a folder such as a capture's id, as the key of a table. Compared by its bytes, as names on disk
/// are: to Swift, strings that differ only in Unicode composition are equal.
package struct PathKey: Hashable, Comparable, Sendable {
    package let path: String

    package init(_ path: String) { self.path = path }

    package static func == (a: PathKey, b: PathKey) -> Bool { a.path.utf8.elementsEqual(b.path.utf8) }

    package static func < (a: PathKey, b: PathKey) -> Bool { a.path.utf8.lexicographicallyPrecedes(b.path.utf8) }

    package func hash(into hasher: inout Hasher) {
        var path = path
        path.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension Sequence<String> {
    /// Each once, compared and sorted as ``PathKey`` does.
    package var distinctByBytes: [String] { Set(map(PathKey.init)).sorted().map(\.path) }
}
