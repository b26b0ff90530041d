import ScanFormats
import ScanModel
import Testing

@Suite struct ReadRulesTests {
    private func shortest(_ rule: ReadRules.Mismatch, _ lines: Int, _ pictures: Int) -> Result<Int, Problem> {
        var rules = ReadRules()
        rules.mismatch = rule
        do throws(Problem) {
            return .success(try rules.reconcile([("camera lines", lines), ("video", pictures)]))
        } catch {
            return .failure(error)
        }
    }

    @Test func theToleranceIsThreeFramesOrOnePerCentOfTheLongest() {
        let rules = ReadRules()
        for (longest, tolerance) in [(0, 3), (1, 3), (399, 3), (400, 4), (499, 4), (500, 5), (3600, 36)] {
            #expect(rules.tolerance(longest: longest) == tolerance)
        }
    }

    @Test func streamsThatDifferALittle() {
        // Lines and pictures, and what `auto` makes of them.
        let table: [(Int, Int, Int?)] = [
            (100, 100, 100), (100, 101, 100), (101, 100, 100), (100, 103, 100), (103, 100, 100), (100, 104, nil),
            (104, 100, nil), (1000, 1010, 1000), (1000, 1009, 1000), (1000, 1012, nil), (990, 1000, 990),
            (989, 1000, nil), (100, 50, nil), (100, 150, nil), (3, 0, 0), (4, 0, nil), (100, 0, nil), (0, 0, 0),
        ]
        for (lines, pictures, expected) in table {
            #expect((try? shortest(.auto, lines, pictures).get()) == expected, "\(lines), \(pictures)")
            #expect((try? shortest(.shortest, lines, pictures).get()) == min(lines, pictures))
            #expect((try? shortest(.fail, lines, pictures).get()) == (lines == pictures ? lines : nil))
        }
    }

    @Test func tooFewWholeFramesAreNoCapture() {
        let failure = Problem(.input, "depth stream truncated", fix: "copy it again")
        var rules = ReadRules()
        let cut = failure.mendable(cutAfter: 23, of: 24)
        #expect(cut.fix == "copy it again, or keep the whole frames with  --set read.truncated=keep-whole")
        #expect(rules.refusal(of: cut) == cut)
        rules.truncated = .keepWhole
        for whole in 12...24 { #expect(rules.refusal(of: failure.mendable(cutAfter: whole, of: 24)) == nil) }
        let few = failure.mendable(cutAfter: 11, of: 24)
        #expect(
            rules.refusal(of: few)?.message() == """
                error: depth stream truncated
                   = 11 of 24 frames are whole; the minimum is 50 %
                   = fix: copy the file again from the device, or keep them all the same with  --set read.min-whole=0.45
                """)
        rules.minWhole = 0.45
        #expect(rules.refusal(of: few) == nil)
        let none = failure.mendable(cutAfter: 0, of: 24)
        #expect(none.fix == failure.fix && rules.refusal(of: none)?.fix == "copy the file again from the device")
        rules.minWhole = 0
        #expect(rules.refusal(of: none) == nil)
        #expect(rules.refusal(of: failure) == failure, "nobody has counted them")
    }

    /// Although products of shares and counts are rounded.
    @Test func theShareThatAFixProposesSuffices() throws {
        let failure = Problem(.input, "depth stream truncated", fix: "copy it again")
        var rules = ReadRules()
        rules.truncated = .keepWhole
        var refused: [String] = []
        for count in 2...300 {
            for whole in 1..<count {
                rules.minWhole = 1
                let cut = failure.mendable(cutAfter: whole, of: count)
                let fix = try #require(rules.refusal(of: cut)?.fix)
                rules.minWhole = try #require(fix.split(separator: "=").last.flatMap { Double($0) })
                if rules.refusal(of: cut) != nil { refused.append("\(whole) of \(count)") }
            }
        }
        #expect(refused == [])
    }

    @Test func allCountsAreNamed() {
        var rules = ReadRules()
        let problem = #expect(throws: Problem.self) {
            try rules.reconcile([("camera lines", 640), ("video", 640), ("depth stream", 311)])
        }
        #expect(
            problem?.message() == """
                error: the streams differ in length by 329 frames
                   = camera lines: 640, video: 640, depth stream: 311
                   = allowed: at most 6
                   = fix: copy the capture again; if only the end is missing, the frames that all streams have can be \
                used with  --set read.mismatch=shortest
                """)
        #expect(problem?.fault == .input)
        rules.mismatch = .fail
        let strict = #expect(throws: Problem.self) { try rules.reconcile([("a", 1), ("b", 2)]) }
        #expect(strict?.notes.last == "allowed: none")
        #expect(strict?.summary == "the streams differ in length by 1 frame")
        let open = #expect(throws: Problem.self) {
            try rules.reconcile([("lines", 10), ("depth stream", 14)], goesOn: true)
        }
        #expect(open?.summary == "the streams differ in length by at least 4 frames")
        #expect(open?.notes.first == "lines: 10, depth stream: 14 or more")
    }
}
