import ScanModel

/// Mistakes in a pipeline file's signs. YAML notices many of them only lines below, so the line at fault is looked for.
extension PipelineFile {
    /// Where a sign stands: both count from 1, columns in Unicode's scalars.
    struct Mark: Hashable {
        var line: Int
        var column: Int
    }

    /// What to do about a mistake whose cause is not certain.
    func wayToMend(_ problem: String, _ line: Int) -> String? {
        if lines.indices.contains(line - 1), lines[line - 1].contains("\t") {
            return "YAML is indented with spaces, not with tabs"
        }
        if let fix = wayToSeparate(line) { return fix }
        if problem.hasPrefix("mapping values are not allowed") {
            return "put options in braces, as in  - name: {option: value},  and text that holds a colon in quotes"
        }
        if problem.hasPrefix(Self.noComma) { return "put commas between the items, and a bracket behind the last" }
        return nil
    }

    /// The mended form of a line that lacks the colon between a stage and its options, or the space after it, or has
    /// parentheses for braces.
    func wayToSeparate(_ line: Int?) -> String? {
        guard let line, lines.indices.contains(line - 1) else { return nil }
        let entry = lines[line - 1].drop(while: \.isWhitespace)
        guard entry.first == "-" else { return nil }
        let text = entry.dropFirst().drop(while: \.isWhitespace)
        let name = text.prefix(while: Self.isOfName)
        guard name.first?.isLowercase == true else { return nil }
        var options = text[name.endIndex...].drop(while: \.isWhitespace)
        if options.first == ":" { options.removeFirst() }
        if options.first == "(" { options = Substring(options.replacing("(", with: "{").replacing(")", with: "}")) }
        return options.first == "{" ? "write  - \(name): \(options)" : nil
    }

    /// Gives a key another name of the same length, as nobody types it, so that all else keeps its place.
    /// - Parameter number: tells it from other keys that were renamed.
    /// - Returns: false for a key that is neither a word nor a number, such as a list.
    static func rename(keyAt mark: Mark, _ number: Int, in lines: inout [String]) -> Bool {
        guard lines.indices.contains(mark.line - 1), let sign = Unicode.Scalar(privateUse + UInt32(number)) else {
            return false
        }
        var scalars = Array(lines[mark.line - 1].unicodeScalars)
        var place = mark.column - 1
        if scalars.indices.contains(place), "\"'".unicodeScalars.contains(scalars[place]) { place += 1 }
        guard scalars.indices.contains(place) else { return false }
        let first = Character(scalars[place])
        guard first.isLetter || first.isNumber else { return false }
        scalars[place] = sign
        lines[mark.line - 1] = String(String.UnicodeScalarView(scalars))
        return true
    }

    /// The first character of Unicode's private use area.
    private static let privateUse: UInt32 = 0xE000

    private static func isOfName(_ character: Character) -> Bool {
        character.isASCII && (character.isLowercase || character.isNumber || character == "-")
    }

    // MARK: - The line at fault

    /// The mistake from which follows what YAML noticed; nil where that is not certain.
    /// - Parameter start: where that began which YAML was reading.
    func cause(of problem: String, at mark: Mark, since start: Mark?) -> Problem? {
        if let dash = mistakenDash(in: start?.line) ?? mistakenDash(in: mark.line) { return dash }
        if problem == "found unexpected ':'", let next = text(from: mark).dropFirst().first, "[{".contains(next) {
            return Self.missingSpace(mark, fix: "put a space there")
        }
        return start.flatMap { unclosed(since: $0, problem, at: mark) }
    }

    /// A dash before a stage that YAML does not take for one.
    func mistakenDash(in line: Int?) -> Problem? {
        // Above the list, a text may go on in a line that begins with a dash.
        guard let line, lines.indices.contains(line - 1), lines[..<(line - 1)].contains(where: Self.beginsStages) else {
            return nil
        }
        let entry = lines[line - 1].drop(while: \.isWhitespace)
        let name = entry.dropFirst().drop(while: \.isWhitespace)
        guard let dash = entry.first, name.first?.isLowercase == true else { return nil }
        let isDash = dash == "-"
        guard isDash ? entry.dropFirst().startIndex == name.startIndex : Self.longDashes.contains(dash) else {
            return nil
        }
        return Problem(
            .usage, isDash ? "a space is missing behind the dash" : "`\(dash)` is not the dash of a list",
            fix: "write  - \(name)"
        ).at(line: line, column: lines[line - 1].count - entry.count + 1)
    }

    private static func beginsStages(_ line: String) -> Bool { line.hasPrefix("stages:") }

    /// What word processors make of a dash: hyphens, en and em dash, and the minus sign.
    private static let longDashes = "\u{2010}\u{2011}\u{2012}\u{2013}\u{2014}\u{2212}"

    /// The mended form of a name whose value follows its colon without a space, which YAML takes for one text.
    static func wayToPart(_ text: String) -> String? {
        guard let word = text.split(whereSeparator: \.isWhitespace).first else { return nil }
        let name = word.prefix(while: isOfName)
        let rest = word[name.endIndex...]
        guard name.first?.isLowercase == true, rest.first == ":", rest.count > 1 else { return nil }
        return "write  \(name): \(rest.dropFirst())"
    }

    static func missingSpace(_ mark: Mark?, fix: String) -> Problem {
        Problem(.usage, "a space is missing behind the colon", fix: fix).at(line: mark?.line, column: mark?.column)
    }

    // MARK: - What is not closed

    private static let noComma = "did not find expected ',' or"

    /// A bracket or quotation mark without its partner.
    private func unclosed(since start: Mark, _ problem: String, at mark: Mark) -> Problem? {
        let text = text(from: start)
        guard let opening = text.first else { return nil }
        if problem == "found unexpected end of stream", opening == "\"" || opening == "'" {
            return Self.unclosed("the `\(opening)`", "put another  \(opening)  behind the text", at: start)
        }
        guard problem.hasPrefix(Self.noComma), let closing = ["{": "}", "[": "]"][opening],
            isAtEnd(mark) || isAtBracket(mark) || hasEntry(between: start.line, and: mark.line)
        else { return nil }
        // An unclosed text hides the bracket behind it.
        if text.count(where: { $0 == "\"" }) % 2 == 1 {
            return Self.unclosed("a `\"` in this line", "put another  \"  behind the text", at: start)
        }
        return Self.unclosed("the `\(opening)`", "put  \(closing)  behind the last item", at: start)
    }

    private static func unclosed(_ what: String, _ fix: String, at mark: Mark) -> Problem {
        Problem(.usage, "\(what) is not closed", fix: fix).at(line: mark.line, column: mark.column)
    }

    /// The rest of a line.
    private func text(from mark: Mark) -> String {
        guard lines.indices.contains(mark.line - 1) else { return "" }
        return String(lines[mark.line - 1].unicodeScalars.dropFirst(max(0, mark.column - 1)))
    }

    /// Whether a bracket of the other kind closes what is around.
    private func isAtBracket(_ mark: Mark) -> Bool { text(from: mark).first.map("]}".contains) ?? false }

    private func isAtEnd(_ mark: Mark) -> Bool {
        let rest = [text(from: mark)] + lines.dropFirst(mark.line)
        return rest.allSatisfy { $0.allSatisfy(\.isWhitespace) }
    }

    /// Whether a line after the first one, up to the last, begins a stage or another of the file's keys.
    private func hasEntry(between first: Int, and last: Int) -> Bool {
        lines.prefix(last).dropFirst(first).contains { line in
            line.drop(while: \.isWhitespace).hasPrefix("- ")
                || ["name:", "description:", "stages:"].contains { line.hasPrefix($0) }
        }
    }
}
