import Foundation
import ScanModel

/// What the manual says of a receipt's keys: the tables of its page Records, and the stages' own pages.
public struct ReceiptManual: Sendable {
    /// A line of a table.
    private struct Row: Sendable {
        /// The first column: `frames.kept` is a key below another.
        var keys: [String]
        /// The second column, of the table of what stages count.
        var stages: String
        var text: String

        /// Whether it is about a key: the deeper ones stand somewhere in the line, or else on the stage's page.
        func explains(_ path: [String], with page: String = "") -> Bool {
            (1...path.count).contains { count in
                keys.contains(path.prefix(count).joined(separator: "."))
                    && path.dropFirst(count).allSatisfy { text.contains("`\($0)`") || page.contains("`\($0)`") }
            }
        }

        /// By the stage's name, by how its name begins (`mask-…`), or in words that speak of several.
        func isAbout(_ stage: String) -> Bool {
            stages.split(separator: "`", omittingEmptySubsequences: false).enumerated().contains { index, part in
                if index.isMultiple(of: 2) { return part.contains(where: \.isLetter) }
                return part.hasSuffix("…") ? stage.hasPrefix(part.dropLast()) : part == stage
            }
        }
    }

    private let receipt: [Row]
    private let findings: [Row]
    private let counts: [Row]

    private static let articles = SharedData.checkout.appendingPathComponent("Sources/ScanStages/ScanStages.docc")

    /// The page Records of the checkout.
    public static let records =
        (try? String(contentsOf: articles.appendingPathComponent("Records.md"), encoding: .utf8)) ?? ""

    /// The manual of the checkout.
    public static let committed = ReceiptManual(records: records)

    /// The stages' pages of the checkout, without their options, whose names are other words.
    private static let pages: [String: String] = {
        let folder = articles.appendingPathComponent("Stages")
        let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        return files.reduce(into: [:]) { pages, file in
            let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
            pages[file.deletingPathExtension().lastPathComponent] = text.components(separatedBy: "\n## Options")[0]
        }
    }()

    /// - Parameter records: the page Records; the stages' pages are those of the checkout.
    public init(records: String) {
        func rows(below heading: String) -> [Row] {
            let parts = records.components(separatedBy: "\n\(heading)\n").dropFirst()
            let lines = (parts.first?.components(separatedBy: "\n#")[0] ?? "").split(separator: "\n")
            return lines.filter { $0.hasPrefix("| `") }.map { line in
                let cells = line.split(separator: "|").map(String.init)
                // Between the keys are commas.
                let keys = cells[0].split(separator: "`").map(String.init).filter { !$0.contains(" ") }
                return Row(keys: keys, stages: cells.count > 1 ? cells[1] : "", text: String(line))
            }
        }
        receipt = rows(below: "## The receipt")
        findings = rows(below: "### What the reader found")
        counts = rows(below: "### What stages count")
    }

    /// The keys of a receipt that are not explained, below those in which they stand: `capture.depth`, or
    /// `measure-motion: jumps.back` of what a stage counts.
    public func unexplained(in receipt: JSONValue) -> [String] {
        var missing: Set<String> = []
        // In these, programs, stages, frames and options are keys; counts follow below.
        let others: Set<String> = ["uses", "dropped-by", "pictures", "options", "counts"]
        for path in Self.paths(in: receipt, endingAt: others) where !path.isEmpty {
            let found = path.count > 1 && path[0] == "capture" ? Array(path.dropFirst()) : nil
            let isExplained =
                self.receipt.contains { $0.explains(path) }
                || found.map { found in findings.contains { $0.explains(found) } } ?? false
            if !isExplained { missing.insert(path.joined(separator: ".")) }
        }
        for stage in receipt["stages"]?.array ?? [] {
            let name = String((stage["name"]?.string ?? "").prefix { $0 != "[" })
            let page = Self.pages[name] ?? ""
            for path in Self.paths(in: stage["counts"] ?? .null) where !path.isEmpty {
                let isExplained =
                    counts.contains { $0.isAbout(name) && $0.explains(path, with: page) }
                    || path.allSatisfy { page.contains("`\($0)`") }
                if !isExplained { missing.insert("\(name): \(path.joined(separator: "."))") }
            }
        }
        return missing.sorted()
    }

    /// Whether there is a reader's finding or a stage's count of this name, whoever has it.
    public func names(_ key: String) -> Bool {
        (findings + counts).contains { $0.keys.contains(key) } || Self.pages.values.contains { $0.contains("`\(key)`") }
    }

    /// The keys that lead to each value.
    private static func paths(in value: JSONValue, endingAt ends: Set<String> = []) -> Set<[String]> {
        switch value {
        case .object(let object) where !object.members.isEmpty:
            object.members.reduce(into: []) { paths, member in
                let below = ends.contains(member.key) ? [[]] : Self.paths(in: member.value, endingAt: ends)
                paths.formUnion(below.map { [member.key] + $0 })
            }
        case .array(let items) where !items.isEmpty:
            items.reduce(into: []) { $0.formUnion(paths(in: $1, endingAt: ends)) }
        default: [[]]
        }
    }
}
