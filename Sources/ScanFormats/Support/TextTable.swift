import ScanModel

/// A text of rows and columns, row by row: CSV, or columns separated by white space. Empty lines and those that begin
/// with `#` are skipped.
package struct TextTable {
    package struct Row: Hashable, Sendable {
        /// For messages, as ``TextTable/file``.
        package var file: String
        /// From 1.
        package var line: Int
        /// Without the white space around them. Empty for a line that is too long.
        package var fields: [String]
        package var end = End.lineFeed
        /// Whether it is a row of numbers between white space, which have commas for decimal points. They have been
        /// taken for separators.
        package var hasDecimalCommas = false
    }

    /// What follows the last field.
    package enum End: Hashable, Sendable {
        case lineFeed
        /// Nothing, in a file of one line.
        case alone
        /// Nothing, though line feeds end the other lines: the file may have been cut off in this one.
        case open
        /// The same, and the last number has fewer digits than those of the other lines.
        case cut

        package var mayBeCut: Bool { self == .open || self == .cut }
    }

    package enum Separator: Hashable, Sendable {
        case comma
        /// Any white space, and commas too, as readers of TUM's lists accept them.
        case space
    }

    /// For messages: the path relative to the capture.
    package let file: String
    /// The line of an open row; nil where there is none.
    package private(set) var openLine: Int?
    private var lines: LineReader
    private var lastNumbers = LastNumbers()
    private let separator: Separator

    /// - Parameter lineLimit: no field of a longer line is kept.
    package init(_ source: any ByteSource, _ separator: Separator, lineLimit: Int) {
        file = source.name
        lines = LineReader(source, limit: lineLimit)
        self.separator = separator
    }

    /// The next row, or nil after the last.
    package mutating func next() throws(Problem) -> Row? {
        while let line = try lines.next() {
            if line.isTooLong { return Row(file: file, line: line.number, fields: []) }
            let (fields, hasDecimalCommas) = try lines.withBytes(of: line) { (bytes) throws(Problem) in
                (self.fields(bytes), separator == .space && Self.haveDecimalCommas(bytes))
            }
            guard let last = fields.last else { continue }
            var row = Row(file: file, line: line.number, fields: fields, hasDecimalCommas: hasDecimalCommas)
            if !line.hasLineFeed {
                row.end = line.number == 1 ? .alone : lastNumbers.areCut(by: last) ? .cut : .open
                if row.end == .open { openLine = line.number }
            }
            lastNumbers.add(last)
            return row
        }
        return nil
    }

    private func fields(_ bytes: UnsafeBufferPointer<UInt8>) -> [String] {
        guard let first = bytes.first(where: { !$0.isASCIISpace }), first != UInt8(ascii: "#") else { return [] }
        let parts =
            switch separator {
            case .comma: bytes.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            case .space: bytes.split { $0.isASCIISpace || $0 == UInt8(ascii: ",") }
            }
        return parts.map { String(decoding: $0.withoutSpaceAround, as: UTF8.self) }
    }

    /// Whether a line is one of seven numbers or more, as poses are, most of which look like `-1,5`.
    private static func haveDecimalCommas(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let comma = UInt8(ascii: ",")
        guard bytes.contains(comma) else { return false }
        let numbers = bytes.split(whereSeparator: \.isASCIISpace)
        return numbers.count >= 7 && 2 * numbers.count { $0.contains(comma) } > numbers.count
            && numbers.allSatisfy { number in
                let parts = number.split(separator: comma, omittingEmptySubsequences: false)
                return parts.count <= 2 && parts.allSatisfy { $0.first(where: \.isASCIIDigit) != nil }
                    && number.allSatisfy("0123456789+-,eE".utf8.contains)
            }
    }
}

extension Slice<UnsafeBufferPointer<UInt8>> {
    /// Without white space at its start and its end.
    var withoutSpaceAround: Self {
        let start = drop(while: \.isASCIISpace)
        return start[..<(start.lastIndex { !$0.isASCIISpace }.map { $0 + 1 } ?? start.startIndex)]
    }
}

extension TextTable.Row {
    /// - Throws: when the row has no such column, or it does not hold a finite number.
    package func number(_ column: Int) throws(Problem) -> Double {
        let text = try text(column)
        if end == .cut, column == fields.count - 1 { throw LastNumbers.cut(text).at(file: file, line: line) }
        guard text.utf8.allSatisfy("0123456789+-.eE".utf8.contains), let number = Double(text), number.isFinite else {
            throw Problem(.input, "“\(text.prefix(40))” is not a number").at(file: file, line: line)
        }
        return number
    }

    package func numbers(_ columns: some Sequence<Int>) throws(Problem) -> [Double] {
        try columns.map { (column) throws(Problem) in try number(column) }
    }

    /// Why the row cannot be used, where it has decimal commas: what its columns hold says nothing.
    var commaProblem: Problem? {
        guard hasDecimalCommas else { return nil }
        return Problem(
            .input,
            "the numbers have decimal commas; replace them with  sed -i 's/,/./g' \(ShellWord.quoted(path: file))"
        ).at(file: file, line: line)
    }

    /// Decimal seconds as nanoseconds.
    package func time(_ column: Int) throws(Problem) -> Int64 {
        let text = try text(column)
        guard let time = DecimalSeconds.nanoseconds(text) else {
            throw Problem(.input, "“\(text.prefix(40))” is not a time in seconds").at(file: file, line: line)
        }
        return time
    }

    package func text(_ column: Int) throws(Problem) -> String {
        guard fields.indices.contains(column) else {
            let lack = "the line has \(fields.count.counted("column")), and column \(column + 1) is needed"
            let what =
                fields.isEmpty ? "the line is too long" : end.mayBeCut ? "\(lack): the file was cut off here" : lack
            throw Problem(.input, what).at(file: file, line: line)
        }
        return fields[column]
    }
}
