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
        if hasBareID(line) { return "put text that holds braces in quotes, as in \"lists/{id}.txt\"" }
        if problem.hasPrefix(Self.noComma) { return "put commas between the items, and a bracket after the last" }
        if problem.hasPrefix("block sequence entries are not allowed") {
            return "put each item on a line of its own after a dash, or all of them in brackets"
        }
        return nil
    }

    /// Whether a line holds `{id}` outside quotation marks, which YAML takes for a mapping.
    private func hasBareID(_ line: Int) -> Bool {
        guard lines.indices.contains(line - 1), let id = lines[line - 1].firstRange(of: "{id}") else { return false }
        return lines[line - 1][..<id.lowerBound].count(where: { "\"'".contains($0) }) % 2 == 0
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

    static func isOfName(_ character: Character) -> Bool {
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
        if let slip = misplaced(problem, at: mark) ?? surplusBracket(problem, at: mark) { return slip }
        if let slip = missingColon(problem, at: mark) { return slip }
        if problem == "did not find expected key", text(from: mark).first == "," {
            return Problem(.usage, "a comma ends no line of a list", fix: "take it away").at(mark)
        }
        if problem.hasPrefix("Maximum nesting level") {
            return Problem(
                .usage, "lists and mappings are nested too deep here",
                fix: "a pipeline is a list of stages, each with a mapping of its options"
            ).at(mark)
        }
        return start.flatMap { unclosed(since: $0, problem, at: mark) }
    }

    /// A dash before a stage that YAML does not take for one.
    private func mistakenDash(in line: Int?) -> Problem? {
        // Above the list, a text may go on in a line that begins with a dash.
        guard let line, lines.indices.contains(line - 1), lines[..<(line - 1)].contains(where: Self.beginsStages) else {
            return nil
        }
        return content(line).flatMap(mistakenDash)?.problem
    }

    /// - Returns: the mistake, and the stage behind the dash.
    func mistakenDash(_ content: Content) -> (problem: Problem, entry: Substring)? {
        // With its comment.
        let text = lines[content.line - 1].dropFirst(content.indent)
        let sign = text.prefix(text.hasPrefix("--") ? 2 : 1)
        let entry = text[sign.endIndex...].drop(while: \.isWhitespace)
        let isDash = sign == "-"
        guard entry.first?.isLowercase == true,
            isDash ? entry.startIndex == sign.endIndex : sign == "--" || Self.otherDashes.contains(sign)
        else { return nil }
        let problem = Problem(
            .usage, isDash ? "a space is missing after the dash" : "`\(sign)` is not the dash of a list",
            fix: "write  - \(entry)")
        return (problem.at(line: content.line, column: content.indent + 1), entry)
    }

    static func beginsStages(_ line: String) -> Bool { line.hasPrefix("stages:") }

    /// What word processors make of a dash: hyphens, en and em dash, and the minus sign; and what begins lists elsewhere.
    private static let otherDashes = "\u{2010}\u{2011}\u{2012}\u{2013}\u{2014}\u{2212}*+_\u{2022}"

    /// The mended form of a name whose value follows its colon without a space, which YAML takes for one text.
    static func wayToPart(_ text: String) -> String? {
        guard let word = text.split(whereSeparator: \.isWhitespace).first else { return nil }
        let name = word.prefix(while: isOfName)
        let rest = word[name.endIndex...]
        guard name.first?.isLowercase == true, rest.first == ":", rest.count > 1 else { return nil }
        return "write  \(name): \(rest.dropFirst())"
    }

    /// A stage without the colon behind its name, and its options in the lines below, which YAML takes for one text.
    private func missingColon(_ problem: String, at mark: Mark) -> Problem? {
        guard problem.hasPrefix("mapping values are not allowed"), let here = content(mark.line),
            let above = list(above: mark.line).last, above.isName, here.indent > above.indent,
            here.text.first?.isLowercase == true, here.text.drop(while: Self.isOfName).first == ":"
        else { return nil }
        let name = above.text.dropFirst(2)
        return Problem(.usage, "the colon after `\(name)` is missing", fix: "write  - \(name):")
            .at(line: above.line, column: above.nameIndent + 1)
    }

    static func missingSpace(_ mark: Mark?, fix: String) -> Problem {
        Problem(.usage, "a space is missing after the colon", fix: fix).at(mark)
    }

    // MARK: - Indentation

    struct Content {
        var line: Int
        /// In spaces.
        var indent: Int
        /// Without the spaces before it, and without a comment behind it.
        var text: Substring

        var isEntry: Bool { text.hasPrefix("- ") }
        /// Whether what belongs to it stands in the lines below.
        var isOpen: Bool { text.last == ":" }
        /// Whether the lines below are text, as behind `>-` and `|`.
        var beginsBlock: Bool { text.last { !"+-123456789".contains($0) }.map(">|".contains) ?? false }
        /// Whether it is a stage alone.
        var isName: Bool { isEntry && text.dropFirst(2).allSatisfy(PipelineFile.isOfName) }
        /// Where a stage's name begins, behind the dash.
        var nameIndent: Int { indent + 1 + text.dropFirst().prefix { $0 == " " }.count }

        /// Whether it is the name of an option with a value that this line holds.
        var isOption: Bool {
            let name = text.prefix(while: PipelineFile.isOfName)
            guard name.first?.isLowercase == true, text[name.endIndex...].hasPrefix(": ") else { return false }
            let value = text[name.endIndex...].dropFirst().drop(while: \.isWhitespace)
            return value.first.map { $0 == "[" ? value.last == "]" : !"{\"'|>&*!".contains($0) } ?? false
        }
    }

    /// What a line holds; nil for an empty line, a comment, and a line that is indented with tabs.
    func content(_ line: Int) -> Content? {
        guard lines.indices.contains(line - 1) else { return nil }
        var text = lines[line - 1].drop { $0 == " " }
        guard let first = text.first, first != "#", !first.isWhitespace else { return nil }
        let indent = lines[line - 1].count - text.count
        if let comment = text.firstRange(of: " #") { text = text[..<comment.lowerBound] }
        while text.last?.isWhitespace == true { text.removeLast() }
        return Content(line: line, indent: indent, text: text)
    }

    /// The lines of the stages' list above a line; none unless it has one line for each stage.
    private func list(above line: Int) -> [Content] {
        guard lines.indices.contains(line - 1),
            let key = (1..<line).last(where: { Self.beginsStages(lines[$0 - 1]) })
        else { return [] }
        let list = (key..<line).dropFirst().compactMap(content)
        return list.first?.isEntry == true ? list : []
    }

    /// What is indented otherwise than its like above it.
    private func misplaced(_ problem: String, at mark: Mark) -> Problem? {
        let unexpected = ["did not find expected key", "did not find expected '-' indicator"]
        if unexpected.contains(problem) || problem.hasPrefix("mapping values are not allowed") {
            return misplacedDash(in: mark.line) ?? misplacedKey(in: mark.line) ?? misplacedOption(in: mark.line)
        }
        // All of the file's first lines may be indented, which YAML notices at the first that is not.
        guard problem == "did not find expected <document start>" else { return nil }
        return lines.indices.firstNonNil { content($0 + 1) }.flatMap { misplacedKey(in: $0.line) }
    }

    private func misplacedDash(in line: Int) -> Problem? {
        let list = list(above: line)
        guard let here = content(line), here.isEntry, let first = list.first, let above = list.last,
            here.indent != first.indent, here.text.dropFirst().drop(while: \.isWhitespace).first?.isLowercase == true,
            // A list may be an option's value.
            list.allSatisfy({ !$0.isEntry || $0.indent == first.indent }), !above.isOpen || here.indent < above.indent
        else { return nil }
        return Self.misplaced(here, "this dash", "the first one", first.indent, fix: "indent all dashes alike")
    }

    private func misplacedKey(in line: Int) -> Problem? {
        guard let here = content(line), here.indent > 0,
            let key = ["name", "description", "stages"].first(where: { here.text.hasPrefix("\($0):") }),
            list(above: line).first.map({ here.indent <= $0.indent }) ?? true
        else { return nil }
        return Problem(
            .usage, "`\(key)` is indented, and a pipeline's own keys are not", fix: "take away the spaces before it"
        ).at(line: line, column: here.indent + 1)
    }

    private func misplacedOption(in line: Int) -> Problem? {
        let list = list(above: line)
        guard let here = content(line), here.isOption, let first = list.first, here.indent > first.indent,
            let above = list.last
        else { return nil }
        if above.isEntry, above.isOpen, here.indent < above.nameIndent {
            return Self.misplaced(
                here, "this option", "its stage's name", above.nameIndent,
                fix: "indent options farther than their stage's name")
        }
        guard above.isOption, here.indent != above.indent else { return nil }
        return Self.misplaced(
            here, "this option", "the one above it", above.indent, fix: "indent all options of a stage alike")
    }

    private static func misplaced(
        _ content: Content, _ what: String, _ other: String, _ indent: Int, fix: String
    ) -> Problem {
        let column = content.indent + 1
        return Problem(.usage, "\(what) stands in column \(column), and \(other) in column \(indent + 1)", fix: fix)
            .at(line: content.line, column: column)
    }

    /// The stages that YAML takes for one text, since the dashes of all but the first are indented farther, as in
    /// `read - decompress`; nil for any other text.
    /// - Returns: them, and the mistake.
    func foldedEntries(_ text: String, at mark: Mark) -> (entries: [Entry], problem: Problem)? {
        let words = text.split(whereSeparator: \.isWhitespace)
        guard words.count > 2, words.count % 2 == 1 else { return nil }
        var entries = [Entry(stage: String(words[0]), line: mark.line, column: mark.column)]
        var problem: Problem?
        let below = lines.indices.dropFirst(mark.line).lazy.compactMap { content($0 + 1) }
        for (line, place) in zip(below, stride(from: 2, to: words.count, by: 2)) {
            let name = line.text.dropFirst().drop(while: \.isWhitespace)
            guard words[place - 1] == "-", line.isEntry, name == words[place] else { return nil }
            problem = problem ?? misplacedDash(in: line.line)
            entries.append(Entry(stage: String(words[place]), line: line.line, column: line.nameIndent + 1))
        }
        return problem.flatMap { entries.count == words.count / 2 + 1 ? (entries, $0) : nil }
    }

    // MARK: - Brackets and quotation marks

    private static let noComma = "did not find expected ',' or"

    /// A bracket or quotation mark without its partner.
    private func unclosed(since start: Mark, _ problem: String, at mark: Mark) -> Problem? {
        let text = text(from: start)
        guard let opening = text.first else { return nil }
        if problem == "found unexpected end of stream", opening == "\"" || opening == "'" {
            return Self.unclosed("the `\(opening)`", "put another  \(opening)  after the text", at: start)
        }
        guard problem.hasPrefix(Self.noComma), let closing = ["{": "}", "[": "]"][opening],
            isAtEnd(mark) || isAtBracket(mark) || hasEntry(between: start.line, and: mark.line)
        else { return nil }
        if isAtBracket(mark), start.line == mark.line, !text.contains("\""), !text.contains("'"),
            text.count(where: { $0 == opening }) == text.count(where: { String($0) == closing })
        {
            return surplusBracket(at: mark, fix: "take it away, or open it before the first item")
        }
        // An unclosed text hides the bracket behind it.
        if text.count(where: { $0 == "\"" }) % 2 == 1 {
            return Self.unclosed("a `\"` in this line", "put another  \"  after the text", at: start)
        }
        return Self.unclosed("the `\(opening)`", "put  \(closing)  after the last item", at: start)
    }

    /// A closing bracket behind what is closed already.
    private func surplusBracket(_ problem: String, at mark: Mark) -> Problem? {
        guard problem.hasPrefix("did not find expected"), !problem.hasPrefix(Self.noComma) else { return nil }
        return surplusBracket(at: mark, fix: "take it away")
    }

    private func surplusBracket(at mark: Mark, fix: String) -> Problem? {
        guard let closing = text(from: mark).first, let opening = ["}": "{", "]": "["][closing] else { return nil }
        return Problem(.usage, "no `\(opening)` belongs to this `\(closing)`", fix: fix).at(mark)
    }

    private static func unclosed(_ what: String, _ fix: String, at mark: Mark) -> Problem {
        Problem(.usage, "\(what) is not closed", fix: fix).at(mark)
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

extension Problem {
    func at(_ mark: PipelineFile.Mark?) -> Problem { at(line: mark?.line, column: mark?.column) }
}
