import Foundation
import ScanModel
import Testing

@Suite struct ProblemTests {
    @Test func theMessageThatPeopleSee() {
        // The example of the runner's promises, word for word.
        let problem = Problem(
            .input, "depth stream truncated",
            notes: [
                "deflate ended inside frame 311 (41,233 of 98,304 bytes); metadata and confidence say 640 frames",
                "nothing was published for scan_0402; the last good result is unchanged",
            ], fix: "copy the file again, or keep the whole frames with  --set read.truncated=keep-whole"
        ).at(file: "scan_0402.depth.zlib", byte: 18_442_113, of: 18_442_113)
        #expect(
            problem.message(root: "captures/scan_0402") == """
                error: depth stream truncated
                  --> captures/scan_0402/scan_0402.depth.zlib at byte 18442113 of 18442113
                   = deflate ended inside frame 311 (41,233 of 98,304 bytes); metadata and confidence say 640 frames
                   = nothing was published for scan_0402; the last good result is unchanged
                   = fix: copy the file again, or keep the whole frames with  --set read.truncated=keep-whole
                """)
        #expect(problem.oneLine == "depth stream truncated (scan_0402.depth.zlib at byte 18442113 of 18442113)")
    }

    /// A command is copied as it stands.
    @Test func allFixesInOneLine() {
        var problem = Problem(.input, "cull needs a box", fix: "give a box in a file, with  --set cull.box=FILE")
        #expect(problem.allFixes == problem.fix)
        problem.besides = ["copy images/ too", "see  scanmill inspect a", "tidy up"]
        let all =
            "give a box in a file, with  --set cull.box=FILE ; copy images/ too; see  scanmill inspect a ; tidy up"
        #expect(problem.allFixes == all)
        problem.fix = nil
        #expect(problem.allFixes == "copy images/ too; see  scanmill inspect a ; tidy up")
        problem.besides = []
        #expect(problem.allFixes == nil)
    }

    @Test func everyPartOfAPlace() {
        let bare = Problem(.tool, "it failed")
        #expect(bare.message() == "error: it failed")
        #expect(bare.message(root: "captures/a") == "error: it failed")
        #expect(bare.oneLine == "it failed")
        let table: [(Problem, String)] = [
            (bare.at(file: "a.jsonl"), "root/a.jsonl"), (bare.at(file: "/tmp/a.yaml", line: 3), "/tmp/a.yaml:3"),
            (bare.at(file: "a.jsonl", line: 3, column: 7), "root/a.jsonl:3:7"), (bare.at(line: 3), "line 3"),
            (bare.at(file: "a", byte: 5), "root/a at byte 5"), (bare.inFrame(7), "frame 7"),
            (bare.inStage("read"), "stage read"), (bare.inFrame(7).inStage("read"), "frame 7, stage read"),
            (bare.at(file: "a", line: 1).inFrame(7).inStage("mask-range[2]"), "root/a:1, frame 7, stage mask-range[2]"),
        ]
        for (problem, place) in table { #expect(problem.message(root: "root") == "error: it failed\n  --> \(place)") }
    }

    /// Also where a name has line breaks, or steers a terminal; what is escaped already stays as it is.
    @Test func oneLineIsOneLine() {
        let problem = Problem(.input, "`a\u{1b}[2J` is missing").at(file: "b\nc\td.txt", line: 3)
        let line = "`a\\u{1b}[2J` is missing (b\\u{a}c\td.txt:3)"
        #expect(problem.oneLine == line)
        #expect(Problem(.input, problem.oneLine).oneLine == line)
    }

    /// Some apps' folders hold a folder of their own name.
    @Test func aFileInAFolderNamedLikeTheCapture() {
        let problem = Problem(.input, "x").at(file: "sparse/0/cameras.txt", line: 2)
        #expect(problem.message(root: "sparse") == "error: x\n  --> sparse/sparse/0/cameras.txt:2")
        #expect(problem.message() == "error: x\n  --> sparse/0/cameras.txt:2")
    }

    @Test func theInnermostPlaceStays() {
        let problem = Problem(.input, "x").at(file: "inner", line: 1, column: 2, byte: 3, of: 4).inFrame(5).inStage("a")
        #expect(problem.at(file: "outer", line: 9, column: 9, byte: 9, of: 9).inFrame(9).inStage("b") == problem)
        // What is not known yet is added.
        #expect(Problem(.input, "x").at(byte: 3).at(file: "a").place.file == "a")
        #expect(problem.noting("more").notes == ["more"])
    }

    @Test func mistakesOfAPipelineFileLookLikeACompilers() {
        var problem = Problem(.usage, "`mask-range` has no option `fra`", notes: ["a note"], fix: "did you mean `far`?")
            .at(file: "night.yaml", line: 5, column: 18)
        problem.excerpt = "  - mask-range: {fra: 4}"
        #expect(
            problem.compilerStyle == """
                night.yaml:5:18: error: `mask-range` has no option `fra`
                    - mask-range: {fra: 4}
                                   ^
                  note: a note
                  fix: did you mean `far`?
                """)
        #expect(
            problem.message() == """
                error: `mask-range` has no option `fra`
                  --> night.yaml:5:18
                   |   - mask-range: {fra: 4}
                   |                  ^
                   = a note
                   = fix: did you mean `far`?
                """)
        // Each of these takes two columns.
        var wide = Problem(.usage, "x").at(file: "a.yaml", line: 1, column: 6)
        wide.excerpt = "{日本: unitt}"
        #expect(wide.compilerStyle == "a.yaml:1:6: error: x\n  {日本: unitt}\n         ^")
        #expect(Problem(.usage, "x").inStage("read").compilerStyle == "error: read: x")
        #expect(Problem(.usage, "x").at(file: "a.yaml").compilerStyle == "a.yaml: error: x")
        #expect(Problem(.usage, "x").at(file: "a.yaml", line: 2).compilerStyle == "a.yaml:2:1: error: x")
    }

    @Test func aProblemCanTravelBetweenProcesses() throws {
        let problem = Problem(.environment, "disk full", notes: ["é", "b"], fix: "free space").at(file: "a", byte: 7)
            .inFrame(1)
        let copy = try JSONDecoder().decode(Problem.self, from: JSONEncoder().encode(problem))
        #expect(copy == problem)
    }
}
