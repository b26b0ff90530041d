import ScanModel

/// Slips that a line shows by itself. YAML takes some of them for text and goes on, so they are looked for before it reads
/// the file, and mended for it: each is named in its own line, and the rest of the file can be looked at.
extension PipelineFile {
    /// Mends the lines. What stands behind a sign that was added is farther right than in the file.
    /// - Returns: what was wrong with them.
    mutating func mendSlips() -> [Problem] { mendKey() + mendSigns() + mendDashes() }

    /// `stages` without its colon.
    private mutating func mendKey() -> [Problem] {
        let key = "stages"
        func rest(_ line: String) -> Substring? {
            line.hasPrefix(key) ? line.dropFirst(key.count).drop(while: \.isWhitespace) : nil
        }
        if lines.contains(where: { rest($0)?.first == ":" }) { return [] }
        for (index, line) in lines.enumerated() {
            guard let rest = rest(line), rest.first.map("[#".contains) ?? true else { continue }
            lines[index] = "\(key): \(rest)"
            let list = rest.first == "[" ? " \(rest)" : ""
            return [
                Problem(.usage, "the colon after `\(key)` is missing", fix: "write  \(key):\(list)")
                    .at(line: index + 1, column: 1)
            ]
        }
        return []
    }

    // MARK: - Signs of other programs

    private mutating func mendSigns() -> [Problem] {
        guard let key = lines.firstIndex(where: Self.beginsStages) else { return [] }
        var problems: [Problem] = []
        for index in key..<lines.count {
            if Self.beginsText(lines[index]) { break }
            if lines[index].utf8.allSatisfy({ $0 < 0x80 }) { continue }
            var signs = Array(lines[index].unicodeScalars)
            guard let slip = Self.mend(&signs) else { continue }
            lines[index] = Self.text(signs[...])
            problems.append(slip.at(line: index + 1))
        }
        return problems
    }

    /// Puts YAML's own signs in the place of others, where a name or a value may begin or end: elsewhere they are text.
    /// - Returns: the first one, with its column.
    private static func mend(_ signs: inout [Unicode.Scalar]) -> Problem? {
        let isEnd = ends(in: signs)
        var first: Problem?
        var quote: Unicode.Scalar?
        // The last one that is no space.
        var before: Unicode.Scalar?
        for place in signs.indices {
            let sign = signs[place]
            defer { if !isSpace(sign) { before = sign } }
            if let open = quote {
                if sign == open { quote = nil }
                continue
            }
            if sign == "#", place == 0 || isSpace(signs[place - 1]) { break }
            let isBeginning = before.map(":-,[{".unicodeScalars.contains) ?? true
            if isBeginning && (sign == "\"" || sign == "'") {
                quote = sign
            } else if isForeignSpace(sign), isBeginning || isEnd[place] {
                signs[place] = " "
                first = first ?? foreignSpace(sign).at(column: place + 1)
            } else if isBeginning, curlyQuotes.contains(sign),
                let end = signs[(place + 1)...].firstIndex(where: curlyQuotes.contains), isEnd[end]
            {
                let meant: Unicode.Scalar = "\""
                (signs[place], signs[end], quote) = (meant, meant, meant)
                first =
                    first
                    ?? Problem(
                        .usage, "`\(sign)` is not a quotation mark of YAML", fix: "write  \(text(signs[place...end]))"
                    ).at(column: place + 1)
            }
        }
        return first
    }

    private static func text(_ signs: ArraySlice<Unicode.Scalar>) -> String {
        String(String.UnicodeScalarView(signs))
    }

    private static func isSpace(_ sign: Unicode.Scalar) -> Bool { sign.properties.isWhitespace || isForeignSpace(sign) }

    /// Whether a name or a value, or the line, ends behind each of the signs.
    private static func ends(in signs: [Unicode.Scalar]) -> [Bool] {
        var ends = Array(repeating: true, count: signs.count)
        for place in signs.indices.dropLast().reversed() {
            let next = signs[place + 1]
            ends[place] = isSpace(next) ? ends[place + 1] : ":,]}{#".unicodeScalars.contains(next)
        }
        return ends
    }

    /// What web pages and word processors have for spaces, some of them without a width.
    private static func isForeignSpace(_ sign: Unicode.Scalar) -> Bool {
        sign.properties.isWhitespace && !sign.isASCII || "\u{200B}\u{2060}\u{FEFF}".unicodeScalars.contains(sign)
    }

    private static func foreignSpace(_ sign: Unicode.Scalar) -> Problem {
        let number = String(sign.value, radix: 16, uppercase: true)
        let code = "U+" + String(repeating: "0", count: max(0, 4 - number.count)) + number
        let name = sign.properties.name.map { "\($0.lowercased()), \(code)," } ?? code
        return Problem(
            .usage, "here is a character that YAML does not take for a space: \(name) as web pages have it",
            fix: "put an ordinary space in its place")
    }

    private static let curlyQuotes = "\u{201C}\u{201D}\u{201E}\u{201F}\u{2018}\u{2019}\u{201A}\u{201B}".unicodeScalars

    // MARK: - Dashes

    /// Dashes that are none, or are missing, in a list that has one line for each stage.
    private mutating func mendDashes() -> [Problem] {
        guard let key = lines.firstIndex(where: Self.beginsStages), content(key + 1)?.text == "stages:",
            var first = firstContent(below: key + 1)
        else { return [] }
        var problems: [Problem] = []
        if !isListed(first) {
            guard Self.isStage(first), let second = firstContent(below: first.line), isListed(second) else { return [] }
            problems.append(Self.missingDash(first))
            write(first.text, at: first.line, second.indent)
            first = content(first.line) ?? first
        }
        var above = first
        // Of the stage, as far as it has been read.
        var signs = PairedSigns()
        for line in first.line...lines.count {
            if Self.beginsText(lines[line - 1]) { break }
            guard let here = content(line) else { continue }
            // In brackets and in quotes, a value goes on as it likes.
            if !signs.isOpen {
                if here.indent == first.indent, let slip = mistakenDash(here) {
                    problems.append(slip.problem)
                    write(slip.entry, at: line, first.indent)
                } else if Self.lacksDash(here, below: above, first.indent) {
                    problems.append(Self.missingDash(here))
                    write(here.text, at: line, first.indent)
                }
            }
            guard let mended = content(line) else { continue }
            if mended.isEntry && mended.indent == first.indent { signs = PairedSigns() }
            signs.read(mended.text)
            above = mended
        }
        return problems
    }

    private func firstContent(below line: Int) -> Content? {
        lines.indices.dropFirst(line).firstNonNil { content($0 + 1) }
    }

    /// Whether a dash, or a sign that is meant as one, stands before it.
    private func isListed(_ content: Content) -> Bool { content.isEntry || mistakenDash(content) != nil }

    /// Whether it is a stage without a dash.
    private static func isStage(_ content: Content) -> Bool {
        let rest = content.text.drop(while: isOfName)
        return content.text.first?.isLowercase == true && (rest.isEmpty || rest.hasPrefix(": {"))
    }

    private static func missingDash(_ content: Content) -> Problem {
        let name = content.text.prefix(while: isOfName)
        return Problem(.usage, "the dash before `\(name)` is missing", fix: "write  - \(content.text)")
            .at(line: content.line, column: content.indent + 1)
    }

    private mutating func write(_ entry: Substring, at line: Int, _ indent: Int) {
        lines[line - 1] = String(repeating: " ", count: indent) + "- " + entry
    }

    /// The brackets and quotation marks that have been read.
    private struct PairedSigns {
        var depth = 0
        var isQuoted = false

        /// Whether a bracket or a text in quotes goes on in the next line.
        var isOpen: Bool { depth > 0 || isQuoted }

        mutating func read(_ text: Substring) {
            for sign in text {
                switch sign {
                case "[", "{": depth += 1
                case "]", "}": depth -= 1
                case "\"": isQuoted.toggle()
                default: break
                }
            }
        }
    }

    /// Whether a line is a stage without its dash.
    /// - Parameter indent: of the list.
    private static func lacksDash(_ here: Content, below above: Content, _ indent: Int) -> Bool {
        guard isStage(here), !above.isOpen else { return false }
        let isName = here.text.allSatisfy(isOfName)
        if here.indent == indent { return isName || indent > 0 }
        // Farther right, it may be text that belongs to the value above, or an option of that stage.
        guard above.isEntry, !above.beginsBlock, above.indent == indent, here.indent > indent else { return false }
        return above.isName || isName && here.indent == above.nameIndent
    }

    /// Whether a line begins another key of the file, whose value is any text.
    private static func beginsText(_ line: String) -> Bool { line.hasPrefix("name:") || line.hasPrefix("description:") }
}
