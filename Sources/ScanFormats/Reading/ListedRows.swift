import ScanModel

extension Capture {
    /// The rows of a list, such as of pictures or poses. A row that cannot be used is named in a warning.
    /// - Parameters:
    ///   - read: what a row says.
    ///   - unusable: gets each row that `read` cannot use.
    /// - Returns: what the others say, and whether the file was cut off in its last line, which is not one of them.
    /// - Throws: where the file cannot be read, or has more than sixteen rows for each frame that is allowed: poses come
    ///   several times as often as pictures.
    mutating func readList<Value>(
        _ file: String, in tree: any CaptureTree, _ rules: ReadRules, unusable: (TextTable.Row) -> Void = { _ in },
        _ read: (TextTable.Row) throws(Problem) -> Value
    ) throws(Problem) -> (values: [Value], isCut: Bool) {
        list(file, in: tree, [])
        var table = TextTable(try tree.open(file), .space, lineLimit: rules.maxLine)
        var values: [Value] = []
        var bad: (first: Problem?, count: Int) = (nil, 0)
        var isCut = false
        while let row = try table.next() {
            guard (values.count + bad.count) / 16 < rules.maxFrames else {
                throw Problem(
                    .input, "there are more than \(16 * rules.maxFrames) lines",
                    fix: ReadRules.wayToAllowFrames(rules.maxFrames + 1, limit: rules.maxFrames)
                ).at(file: file)
            }
            do throws(Problem) { values.append(try read(row)) } catch {
                bad = (bad.first ?? row.commaProblem ?? error, bad.count + 1)
                isCut = row.end.mayBeCut
                unusable(row)
            }
            // A file that holds something else entirely is read no further.
            if bad.count > 1000, values.isEmpty { break }
        }
        if !isCut { noteOpenLine(table.openLine, of: file) }
        noteUnusableLines(bad.count, of: file, first: bad.first)
        return (values, isCut)
    }
}
