/// The one error type of ScanMill: where, what, what happened to the output, and how to fix it.
///
/// A problem is made where it is noticed, with what is known there; callers add the rest of the place on the way up
/// with ``at(file:line:column:byte:of:)``, ``inFrame(_:)`` and ``inStage(_:)``. These never overwrite what is already
/// known, because the innermost place is the most exact one.
public struct Problem: Error, Hashable, Sendable, Codable {
    /// Who has to act; decides the exit code and whether a capture is worth trying again unchanged.
    public enum Fault: String, Hashable, Sendable, Codable, CaseIterable {
        /// The capture's own bytes are at fault: trying again with the same bytes gives the same result.
        case input
        /// The pipeline, an option or the command line asks for what cannot be done: whoever wrote it has to change it.
        case usage
        /// The machine is at fault (disk, memory, permission, a missing tool): worth trying again.
        case environment
        /// ScanMill itself is at fault.
        case tool
    }

    /// Where it happened. Paths of input files are relative to their capture, so that a receipt names no machine.
    public struct Place: Hashable, Sendable, Codable {
        public var stage: String?
        public var frame: Int?
        public var file: String?
        public var line: Int?
        public var column: Int?
        /// The byte offset in `file`, and the file's size where it is known.
        public var byte: Int64?
        public var byteCount: Int64?

        public init() {}
    }

    /// How much is whole of a file that was cut off.
    public struct Cut: Hashable, Sendable, Codable {
        /// The frames before the cut.
        public var whole: Int
        /// The frames that there should be.
        public var count: Int

        public init(whole: Int, count: Int) {
            self.whole = whole
            self.count = count
        }
    }

    public var fault: Fault
    /// What happened, in a few words, without place and without a full stop.
    public var summary: String
    public var place = Place()
    /// What is known beside it: figures, the state of the output. One sentence each.
    public var notes: [String]
    /// What the reader can do now.
    public var fix: String?
    /// What else has to be done, each for another problem that a note names.
    public var besides: [String] = []
    /// The line of text that holds the problem, where there is one to show (pipeline files).
    public var excerpt: String?
    /// Of a file that was cut off, where its frames can be counted.
    public var cut: Cut?
    /// Whether the capture may well be sound, and what the pipeline asks of it does not fit: tried again as it was asked
    /// for, it fails again.
    public private(set) var isOfPipeline = false
    /// Whether the capture is sound, and only never had what the pipeline needs, such as depth.
    public private(set) var isUnsuited = false

    public init(_ fault: Fault, _ summary: String, notes: [String] = [], fix: String? = nil) {
        self.fault = fault
        self.summary = summary
        self.notes = notes
        self.fix = fix
    }

    public func at(
        file: String? = nil, line: Int? = nil, column: Int? = nil, byte: Int64? = nil, of byteCount: Int64? = nil
    ) -> Problem {
        var copy = self
        if copy.place.file == nil { copy.place.file = file }
        if copy.place.line == nil { copy.place.line = line }
        if copy.place.column == nil { copy.place.column = column }
        if copy.place.byte == nil { copy.place.byte = byte }
        if copy.place.byteCount == nil { copy.place.byteCount = byteCount }
        return copy
    }

    public func inFrame(_ frame: Int) -> Problem {
        var copy = self
        if copy.place.frame == nil { copy.place.frame = frame }
        return copy
    }

    public func inStage(_ stage: String) -> Problem {
        var copy = self
        if copy.place.stage == nil { copy.place.stage = stage }
        return copy
    }

    /// The same with ``isOfPipeline``.
    public func ofPipeline(_ isSo: Bool = true) -> Problem {
        var copy = self
        copy.isOfPipeline = isSo
        return copy
    }

    /// The same with ``isUnsuited``, which makes it one of the pipeline too.
    public func unsuited(_ isSo: Bool = true) -> Problem {
        var copy = ofPipeline(isSo || isOfPipeline)
        copy.isUnsuited = isSo
        return copy
    }

    public func noting(_ note: String) -> Problem {
        var copy = self
        copy.notes.append(note)
        return copy
    }

    /// What notes of other problems begin with.
    private static let besidesWord = "besides, "

    /// With another problem of the same capture, which has to be mended as well: it is not merely unsuited.
    package func noting(besides other: Problem) -> Problem {
        var copy = noting("\(Self.besidesWord)\(other.summary)\(other.fix.map { ": \($0)" } ?? "")")
        copy.notes += other.notes.filter { $0.hasPrefix(Self.besidesWord) }
        copy.besides += [other.fix].compactMap(\.self)
        copy.isUnsuited = false
        return copy
    }

    /// All that has to be done in one line, ``fix`` and ``besides``; nil where nothing is known to help.
    package var allFixes: String? {
        let fixes = [fix].compactMap(\.self) + besides
        guard let first = fixes.first else { return nil }
        return fixes.dropFirst().reduce(first) { all, next in
            // What stands right behind a command would be copied with it.
            "\(all)\(all.endsInCommand ? " ;" : ";") \(next)"
        }
    }

    /// With the fix for any damaged file of a capture, where no better one is known.
    public var withUsualFix: Problem {
        guard fix == nil, fault == .input, place.file != nil else { return self }
        var copy = self
        copy.fix = "correct the file, or copy it again"
        return copy
    }
}

extension String {
    /// Whether a message ends in a command. Messages set one off by two spaces on either side, or by a space and a comma or
    /// a semicolon behind it.
    package var endsInCommand: Bool {
        let parts = split(separator: "  ").dropFirst()
        let hasEnd = { (part: Substring) in part.contains(" , ") || part.contains(" ; ") }
        // Of an option, a comma may be a part, so that it cannot be told where that ends.
        if let last = parts.last, last.hasPrefix("--"), !hasEnd(last) { return true }
        return parts.reduce(false) { isBehindCommand, part in !isBehindCommand && !hasEnd(part) }
    }
}

extension Problem {
    /// One line, whatever names are in it: the summary, then the place. Used as a dropped frame's reason and in logs.
    public var oneLine: String {
        let place = placeText(prefix: "")
        return (place.isEmpty ? summary : "\(summary) (\(place))").withControlsShown(besides: "\t")
    }

    /// The message people see, several lines, no newline at the end.
    /// - Parameters:
    ///   - root: what goes before a relative file name: the path of the capture as the user wrote it; empty where the
    ///     name is a whole path already.
    ///   - weight: what the message begins with.
    public func message(root: String = "", as weight: String = "error") -> String {
        var lines = ["\(weight): \(summary)"]
        let place = placeText(prefix: root)
        if !place.isEmpty { lines.append("  --> \(place)") }
        if let excerpt {
            lines.append("   | \(excerpt)")
            if let column = self.place.column { lines.append("   | \(Self.caret(under: column, of: excerpt))") }
        }
        lines += notes.map { "   = \($0)" }
        if let fix { lines.append("   = fix: \(fix)") }
        return lines.map { $0.withControlsShown(besides: "\t") }.joined(separator: "\n")
    }

    /// How mistakes in a pipeline file are shown: `file:line:col: error: …`, the line, a caret, and the fix.
    public var compilerStyle: String { compilerStyle(as: "error") }

    /// The same for what is odd but not wrong.
    public var compilerStyleWarning: String { compilerStyle(as: "warning") }

    private func compilerStyle(as severity: String) -> String {
        var head = place.file ?? ""
        if let line = place.line { head += ":\(line):\(place.column ?? 1)" }
        let stage = place.stage.map { "\($0): " } ?? ""
        var lines = [(head.isEmpty ? "" : "\(head): ") + "\(severity): \(stage)\(summary)"]
        if let excerpt {
            lines.append("  \(excerpt)")
            lines.append("  \(Self.caret(under: place.column ?? 1, of: excerpt))")
        }
        lines += notes.map { "  note: \($0)" }
        if let fix { lines.append("  fix: \(fix)") }
        return lines.map { $0.withControlsShown(besides: "\t") }.joined(separator: "\n")
    }

    /// A caret below a column, which counts Unicode scalars from 1.
    private static func caret(under column: Int, of line: String) -> String {
        let before = String(line.unicodeScalars.prefix(max(0, column - 1)))
        return before.map { $0 == "\t" ? "\t" : String(repeating: " ", count: $0.columns) }.joined() + "^"
    }

    /// A file's path as the user would write it: most are relative to the capture.
    private static func path(_ file: String, below root: String) -> String {
        root.isEmpty || file.isAbsolutePath ? file : "\(root)/\(file)"
    }

    private func placeText(prefix: String) -> String {
        var text = ""
        if let file = place.file {
            text = Self.path(file, below: prefix)
            if let line = place.line { text += ":\(line)" }
            if let column = place.column { text += ":\(column)" }
            if let byte = place.byte {
                text += " at byte \(byte)"
                if let total = place.byteCount { text += " of \(total)" }
            }
        } else if let line = place.line {
            text = "line \(line)"
        }
        if let frame = place.frame { text += (text.isEmpty ? "" : ", ") + "frame \(frame)" }
        if let stage = place.stage { text += (text.isEmpty ? "" : ", ") + "stage \(stage)" }
        return text
    }
}
