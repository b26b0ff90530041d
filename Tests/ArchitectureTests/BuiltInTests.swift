import ScanPipeline
import ScanStages
import Testing

@Suite struct BuiltInTests {
    /// The list as the compiler knows it, against the files.
    @Test func theLibraryHoldsEveryStage() throws {
        let files = try SourceFile.all(below: "Sources")
        let names = StageRules.stageFiles(files).map { StageRules.stageName(of: $0.name) }
        #expect(StageLibrary.builtIn.names.sorted() == names.sorted())
        #expect(Set(StageLibrary.builtIn.names).count == StageLibrary.builtIn.names.count)
    }

    @Test func everyCardIsFilledIn() {
        for entry in StageLibrary.builtIn.entries {
            let card = entry.card
            #expect(card.summary.hasSuffix(".") && !card.summary.contains("\n"), "\(card.name)")
            #expect(!card.details.isEmpty && card.example.contains("- \(card.name)"), "\(card.name)")
            #expect(card.revision >= 1)
            for option in entry.options {
                #expect(option.help.hasSuffix(".") || option.help.hasSuffix("…"), "\(card.name).\(option.name)")
                #expect(!option.name.hasSuffix("-bytes") || option.unit == "bytes", "\(card.name).\(option.name)")
                #expect(option.name.allSatisfy { $0.isLowercase || $0 == "-" }, "\(card.name).\(option.name)")
            }
        }
    }
}
