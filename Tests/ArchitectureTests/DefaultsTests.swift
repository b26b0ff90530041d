import Foundation
import ScanPipeline
import ScanStages
import Testing

/// Keys leave out options at their defaults, so that an option which a stage gets makes no result again. A default that
/// changes must therefore come with a new revision, or earlier results would pass for up to date.
@Suite struct DefaultsTests {
    /// As `recorded` has it: the stage and its revision, and its options with their defaults, one to a line.
    private static func text(of entry: StageLibrary.Entry) -> String {
        let lines = entry.options.map { option in
            "    \(option.name)" + (option.defaultText.map { ": \($0)" } ?? "")
        }
        return (["\(entry.card.name) \(entry.card.revision)"] + lines).joined(separator: "\n")
    }

    @Test func aDefaultThatChangesComesWithANewRevision() {
        let recorded = Dictionary(
            uniqueKeysWithValues: StageDefaults.recorded.split(separator: "\n\n").map { block in
                let lines = block.split(separator: "\n").map(String.init)
                return (String(lines[0].prefix { $0 != " " }), lines)
            })
        for entry in StageLibrary.builtIn.entries {
            let now = Self.text(of: entry).split(separator: "\n").map(String.init)
            guard let before = recorded[entry.card.name], before[0] == now[0] else { continue }
            let names = Set(entry.options.map(\.name))
            for line in before.dropFirst() where names.contains(String(line.drop { $0 == " " }.prefix { $0 != ":" })) {
                #expect(now.contains(line), "\(now[0]):\(line) was its default; raise the stage's revision")
            }
        }
        let now = StageLibrary.builtIn.entries.map(Self.text)
        let missing = now.filter { !StageDefaults.recorded.components(separatedBy: "\n\n").contains($0) }
        let isComplete = StageDefaults.recorded == now.joined(separator: "\n\n")
        #expect(
            isComplete,
            "StageDefaults.swift has the stages of BuiltIn.swift in their order; put there, or drop what is gone:\n\(missing.joined(separator: "\n\n"))"
        )
    }
}
