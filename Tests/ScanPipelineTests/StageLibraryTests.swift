import ScanModel
import ScanPipeline
import Testing

@Suite struct StageLibraryTests {
    struct Shrink: FrameStage {
        static let card = StageCard(name: "shrink", summary: "s", details: "d", example: "e", revision: 4)
        let far: Double
        init(_ options: inout OptionReader) { far = options.number("far", "The farthest.", default: 2, in: 0...9) }
        var uses: Uses { Uses(frame: .init(changes: far > 1 ? [.depth] : [.points])) }
        func process(_ frame: inout Frame, in context: StageContext) {}
    }

    @Test func describesStagesByTheirDefaults() throws {
        let library = StageLibrary([Mock.reader().entry, StageLibrary.Entry(Shrink.self)])
        #expect(library.names == ["read", "shrink"])
        let entry = try #require(library["shrink"])
        #expect(entry.card.revision == 4)
        #expect(entry.options.map(\.name) == ["far"])
        #expect(entry.uses.frame.changes == [.depth])
        #expect(library["Shrink"] == nil)
        #expect(library.suggestion(for: "shrnk") == "did you mean `shrink`?")
        #expect(library.suggestion(for: "grow") == nil)
    }

    @Test func eachStepReadsItsOwnOptions() throws {
        let library = StageLibrary([Mock.reader().entry, StageLibrary.Entry(Shrink.self)])
        let file = PipelineFile(
            path: "p", name: "p",
            entries: [
                .init(stage: "read"), .init(stage: "shrink", options: ["far": OptionValue(.scalar("0.5"))]),
            ])
        let failure = #expect(throws: PipelineMistakes.self) { _ = try Pipeline.build(file, library: library) }
        #expect(failure?.problems.map(\.summary) == ["`shrink` needs points, which no stage before it makes"])
    }
}
