import ScanModel
import ScanPipeline
import ScanStages
import TestSupport
import Testing

@Suite struct SelectFramesTests {
    private let capture = MemoryCapture((0..<8).map { _ in MemoryCapture.Item() })

    @Test func keepsOrDropsNumbersAndRanges() throws {
        let include = try StageRun("- select-frames: {include: [0, 3-5]}", on: capture)
        #expect(include.kept == [0, 3, 4, 5])
        #expect(include.drops.first == "1 select-frames: not listed under include")
        let exclude = try StageRun("- select-frames: {exclude: [0, 3-5]}", on: capture)
        #expect(exclude.kept == [1, 2, 6, 7])
        #expect(exclude.drops.first == "0 select-frames: listed under exclude")
        #expect(try StageRun("- select-frames: {include: 6}", on: capture).kept == [6])
        #expect(try StageRun("- select-frames: {include: 6-6}", on: capture).kept == [6])
    }

    @Test func rangesInAnyOrderThatOverlap() throws {
        let run = try StageRun("- select-frames: {include: [6, 1-4, 0, 2-3, 6]}", on: capture)
        #expect(run.kept == [0, 1, 2, 3, 4, 6])
    }

    @Test func numbersAreThoseOfTheSource() throws {
        let run = try StageRun("- select-every: {step: 2}\n- select-frames: {exclude: [4]}", on: capture)
        #expect(run.kept == [0, 2, 6])
        #expect(run.drops.contains("3 select-every: not one of every 2 from 0"))
    }

    @Test func numbersBeyondTheCaptureAreWarnedAbout() throws {
        let run = try StageRun("- select-frames: {exclude: [2, 6-9]}", on: capture)
        #expect(run.kept == [0, 1, 3, 4, 5])
        #expect(run.warnings == ["select-frames: the list names frame 9, and the capture has frames 0 to 7"])
        #expect(try StageRun("- select-frames: {exclude: [7]}", on: capture).warnings.isEmpty)
        let next = try StageRun("- select-frames: {exclude: [8]}", on: capture)
        #expect(next.warnings == ["select-frames: the list names frame 8, and the capture has frames 0 to 7"])
    }

    private let list = "# the good ones\n0\n\n 2 - 4   # steady\r\n\t7\t\n#5\n"

    @Test func aFileBesideThePipelineWithCommentsAndSpaces() throws {
        let folder = try TemporaryFolder()
        try folder.write(list, to: "lists/good.txt")
        let run = try StageRun("- select-frames: {include: lists/good.txt}", on: capture, pipelineFolder: folder.path)
        #expect(run.kept == [0, 2, 3, 4, 7])
        // A path from the root is taken as it is.
        let absolute = try StageRun("- select-frames: {exclude: \(folder.path)/lists/good.txt}", on: capture)
        #expect(absolute.kept == [1, 5, 6])
    }

    /// As Windows' editors save a text.
    @Test func aByteOrderMarkBelongsToNoNumber() throws {
        var capture = capture
        capture.files["list.txt"] = [0xEF, 0xBB, 0xBF] + Array("3\r\n5-6\r\n".utf8)
        #expect(try StageRun("- select-frames: {include: list.txt}", on: capture).kept == [3, 5, 6])
    }

    @Test func eachCaptureCanBringItsOwnList() throws {
        let folder = try TemporaryFolder()
        try folder.write("0-2", to: "good.txt")
        let path = try folder.write(
            MultiScanSample().files().merging(["good.txt": Array("3".utf8)]) { a, _ in a }, under: "scan")
        let other = try folder.write(MultiScanSample().files(), under: "other")
        let stages = "- read\n- select-frames: {include: good.txt}"
        #expect(try StageRun(stages, reading: path, pipelineFolder: folder.path).kept == [3])
        #expect(try StageRun(stages, reading: other, pipelineFolder: folder.path).kept == [0, 1, 2])
        // A path that leaves the capture is meant from the pipeline.
        try folder.write("1", to: "below/good.txt")
        let stage = "- read\n- select-frames: {include: ../good.txt}"
        #expect(try StageRun(stage, reading: path, pipelineFolder: folder.path + "/below").kept == [0, 1, 2])
    }

    /// As for captures in archives, beside which no file of theirs can lie.
    @Test func eachCaptureHasItsOwnListBesideThePipeline() throws {
        let folder = try TemporaryFolder()
        try folder.write("0-2", to: "lists/memory.txt")
        try folder.write("3", to: "lists/other.txt")
        let stage = "- select-frames: {exclude: \"lists/{id}.txt\"}"
        let run = try StageRun(stage, on: capture, pipelineFolder: folder.path)
        #expect(run.kept == [3, 4, 5, 6, 7])
        #expect(run.receipt["inputs"]?.array?.compactMap { $0["path"]?.string } == ["lists/memory.txt"])
        try folder.write("0\nx", to: "lists/memory.txt")
        let problem = problem { _ = try StageRun(stage, on: capture, pipelineFolder: folder.path) }
        #expect(problem?.place.file == "\(folder.path)/lists/memory.txt")
        #expect(problem?.place.line == 2)
    }

    @Test func aCaptureWithoutAListFailsOrPasses() throws {
        for list in ["include", "exclude"] {
            let stage = "- select-frames: {\(list): \"lists/{id}.txt\", if-missing: FAIL}"
            let problem = problem { _ = try StageRun(stage.replacing("FAIL", with: "fail"), on: capture) }
            #expect(
                problem?.fix
                    == "write that file for this capture, or do without it with  --set select-frames.if-missing=pass")
            let run = try StageRun(stage.replacing("FAIL", with: "pass"), on: capture)
            #expect(run.kept == Array(0..<8))
            #expect(run.warnings == [])
            // The same for every capture, so that a run says it once.
            #expect(
                run.receipt["notes"]?.array?.compactMap(\.string) == [
                    "select-frames: there is no lists/{id}.txt, so no frame was dropped by it"
                ])
        }
    }

    @Test func whatHasNoEffectOnNumbersIsWarnedOf() throws {
        func warnings(_ options: String) throws -> [String] {
            try Pipeline.load(
                text: "stages:\n- read\n- select-frames: {\(options)}\n- write-transforms\n", path: "p.yaml",
                library: .builtIn
            ).warnings.map(\.summary)
        }
        #expect(
            try warnings("exclude: [3], if-missing: pass") == ["`if-missing` has an effect only with a list in a file"])
        #expect(try warnings("exclude: list.txt, if-missing: pass") == [])
    }

    @Test func aLineThatIsNoNumberIsNamed() throws {
        let table: [(String, String, Int)] = [
            ("1\n2\nthree\n", "three", 3), ("1 7\n", "1 7", 1), ("5-3", "5-3", 1), ("# a\n-4", "-4", 2),
            ("1,2", "1,2", 1),
            ("\n\n1.5 # b", "1.5", 3),
        ]
        for (text, item, line) in table {
            var capture = capture
            capture.files["list.txt"] = Array(text.utf8)
            let problem = problem { _ = try StageRun("- select-frames: {include: list.txt}", on: capture) }
            #expect(problem?.summary == "`\(item)` is neither a frame number nor a range")
            #expect(problem?.place.file == "list.txt")
            #expect(problem?.place.line == line)
        }
        let missing = problem { _ = try StageRun("- select-frames: {include: nowhere.txt}", on: capture) }
        #expect(missing?.summary == "cannot read the file that the option names")
        #expect(missing?.place.file == "nowhere.txt")
    }

    @Test func whatLeavesNoFrameFailsTheCapture() throws {
        let problem = problem { _ = try StageRun("- select-frames: {exclude: 0-100}", on: capture) }
        #expect(problem?.summary == "no frame is left of 8")
        #expect(problem?.notes.first == "8 × select-frames: listed under exclude")
    }

    @Test func exactlyOneList() {
        #expect(StageRun.mistakes(in: "- select-frames") == ["one of `include`, `exclude` is needed"])
        #expect(
            StageRun.mistakes(in: "- select-frames: {include: 1, exclude: 2}") == [
                "`include` and `exclude` exclude each other"
            ])
        #expect(
            StageRun.mistakes(in: "- select-frames: {include: [1, x]}") == [
                "`include` takes frame numbers and ranges, not `x`"
            ])
        #expect(StageRun.mistakes(in: "- select-frames: {include: []}") == ["`include` is empty"])
        for name in ["include", "exclude"] {
            #expect(
                StageRun.mistakes(in: "- select-frames: {\(name): \"lists/{name}.txt\"}") == [
                    "`\(name)` has braces that stand for nothing"
                ])
        }
    }
}
