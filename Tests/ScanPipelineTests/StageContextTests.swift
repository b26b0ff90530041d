import ScanModel
import ScanPipeline
import TestSupport
import Testing

@Suite struct StageContextTests {
    @Test func countsAreSortedAndRecordsStandBehindThem() throws {
        let stage = Mock.finish("stage") { _, context in
            context.record("z", .of(1))
            context.count("b", 2)
            context.count("a", 1)
            context.count("b", 3)
            context.record("y", .of(2))
            context.record("z", .of(3))
            context.warn("second")
            context.warn("first")
            context.warn("second")
            for text in ["so be it", "as it is", "so be it"] { context.note(text) }
        }
        let run = try MockRun([.reader { Capture.mock(1) }, stage])
        #expect(run.counts("stage")?.keys == ["a", "b", "y", "z"])
        #expect(run.counts("stage") == ["a": .of(1), "b": .of(5), "y": .of(2), "z": .of(3)])
        #expect(run.receipt.warnings == ["stage: first", "stage: second"])
        #expect(run.receipt.notes == ["stage: as it is", "stage: so be it"])
        #expect(
            run.json.contains(
                """
                  "warnings": ["stage: first", "stage: second"],
                  "notes": ["stage: as it is", "stage: so be it"],
                  "seal": "
                """), "\(run.json)")
    }

    /// The receipt of a long capture does not grow with what befell each of its frames.
    @Test(arguments: [1, 3]) func ofManyFramesThreeAreNamed(_ workers: Int) throws {
        let stage = Mock.frame("stage") { frame, context in
            if frame.index == 0 { return }
            let text = "frame \(frame.index) is odd"
            context.warn(text, ofFrame: frame.index, other: "frame is odd", others: "frames are odd")
        }
        func warnings(_ count: Int) throws -> [String] {
            try MockRun([.reader { Capture.mock(count) }, stage], workers: workers).receipt.warnings
        }
        #expect(try warnings(4) == ["stage: frame 1 is odd", "stage: frame 2 is odd", "stage: frame 3 is odd"])
        #expect(try warnings(5).last == "stage: 1 more frame is odd")
        #expect(
            try warnings(60) == [
                "stage: frame 1 is odd", "stage: frame 2 is odd", "stage: frame 3 is odd",
                "stage: 56 more frames are odd",
            ])
    }

    @Test func valuesOfTwoTypesCannotBeShared() throws {
        let stage = Mock.finish("stage") { (_, context) throws(Problem) in
            _ = try context.once { 1 }
            _ = try context.once { "one" }
        }
        #expect(problem { _ = try MockRun([.reader { Capture.mock(1) }, stage]) }?.fault == .tool)
    }
}
