import Foundation
import TestSupport

/// A Swift file of the tree: its path from the checkout's top, and its text.
struct SourceFile {
    /// One `import` line.
    struct Import: Hashable {
        var module: String
        /// `@_exported`, `public`, `internal`, … as they stand before the word.
        var modifiers: [String]
    }

    var path: String
    var text: String

    /// The target that the file belongs to: the folder below `Sources`.
    var target: String {
        let parts = path.split(separator: "/")
        return parts.count > 1 ? String(parts[1]) : ""
    }

    /// The file's name without its extension.
    var name: String { String((path.split(separator: "/").last ?? "").split(separator: ".").first ?? "") }

    /// The lines outside of comments and of texts that span several lines.
    private var codeLines: [Substring] {
        var isInText = false
        var commentDepth = 0
        return text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).filter { line in
            let isCode = !isInText && commentDepth == 0
            if !isInText {
                commentDepth += line.ranges(of: "/*").count - line.ranges(of: "*/").count
            }
            if commentDepth == 0, line.ranges(of: "\"\"\"").count % 2 == 1 { isInText.toggle() }
            return isCode && !line.drop(while: \.isWhitespace).hasPrefix("//")
        }
    }

    var imports: [Import] {
        // `public import struct Foundation.Data // why`, and two statements in one line.
        codeLines.flatMap { $0.split(separator: ";") }.compactMap { statement in
            let words = statement.split(whereSeparator: \.isWhitespace).map(String.init)
            guard let position = words.firstIndex(of: "import"), position + 1 < words.count,
                words[..<position].allSatisfy({ $0.hasPrefix("@") || Self.access.contains($0) })
            else { return nil }
            let kinds = ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var", "actor"]
            let rest = words[(position + 1)...].drop { kinds.contains($0) }
            guard let path = rest.first else { return nil }
            return Import(module: String(path.prefix { $0 != "." }), modifiers: Array(words[..<position]))
        }
    }

    private static let access: Set<String> = ["public", "package", "internal", "fileprivate", "private"]

    /// All Swift files below a folder of the checkout, in the order of their paths.
    static func all(below folder: String) throws -> [SourceFile] {
        let top = SharedData.checkout.appendingPathComponent(folder)
        let names = (FileManager.default.enumerator(atPath: top.path)?.allObjects as? [String] ?? []).sorted()
        return try names.filter { $0.hasSuffix(".swift") }.map { name in
            SourceFile(
                path: "\(folder)/\(name)", text: try String(contentsOf: top.appendingPathComponent(name), encoding: .utf8))
        }
    }
}
