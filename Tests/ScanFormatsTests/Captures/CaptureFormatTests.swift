import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct CaptureFormatTests {
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

    @Test func allCountsAreNamed() {
        var rules = ReadRules()
        let problem = #expect(throws: Problem.self) {
            try rules.reconcile([("camera lines", 640), ("video", 640), ("depth stream", 311)])
        }
        #expect(
            problem?.message() == """
                error: the streams differ in length by 329 frames
                   = camera lines: 640, video: 640, depth stream: 311
                   = allowed is at most 6
                   = fix: copy the capture again, or use the frames that all streams have with  --set read.mismatch=shortest
                """)
        #expect(problem?.fault == .input)
        rules.mismatch = .fail
        let strict = #expect(throws: Problem.self) { try rules.reconcile([("a", 1), ("b", 2)]) }
        #expect(strict?.notes.last == "allowed is none")
        let open = #expect(throws: Problem.self) {
            try rules.reconcile([("lines", 10), ("depth stream", 14)], goesOn: true)
        }
        #expect(open?.summary == "the streams differ in length by at least 4 frames")
        #expect(open?.notes.first == "lines: 10, depth stream: 14 or more")
    }

    @Test func theFormatsAreKnownByTheirNames() {
        let names = CaptureFormats.all.map { $0.name }
        #expect(Set(names).count == names.count)
        // The least particular one comes last.
        #expect(names.last == "frames")
        #expect(CaptureFormats.format(named: "multiscan") == MultiScanCapture.self)
        #expect(CaptureFormats.format(named: "MultiScan") == nil)
    }

    @Test func theMostParticularFormatWins() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(MultiScanSample().files(), under: "scan")
        #expect(CaptureFormats.recognise(CaptureFolder(path: path))?.format == "multiscan")
        for file in ["scan.json", "scan.jsonl", "scan.depth.zlib"] {
            try FileManager.default.removeItem(atPath: "\(path)/\(file)")
        }
        #expect(
            CaptureFormats.recognise(CaptureFolder(path: path))
                == Recognition(format: "frames", reason: "color/ holds 4 pictures"))
        try FileManager.default.removeItem(atPath: path + "/color")
        #expect(CaptureFormats.recognise(CaptureFolder(path: path)) == nil)
    }

    @Test func whatLiesAtAPath() throws {
        let folder = try TemporaryFolder()
        try folder.write("x", to: "file.bin")
        #expect(mkfifo(folder.path + "/pipe", 0o644) == 0)
        #expect(symlink("nowhere", folder.path + "/dangling") == 0)
        #expect(symlink(folder.path, folder.path + "/link") == 0)
        #expect(
            try CaptureFormats.tree(at: folder.path).name == folder.path.split(separator: "/").last.map(String.init))
        #expect(try CaptureFormats.tree(at: folder.path + "/link/").name == "link")
        let table = [
            ("file.bin", "this file is not a capture in a format that ScanMill reads"),
            ("pipe", "this is a pipe, not a file"),
            ("dangling", "this is a link to nothing"), ("missing", "there is nothing at this path"),
        ]
        for (name, summary) in table {
            let problem = #expect(throws: Problem.self) { try CaptureFormats.tree(at: folder.path + "/" + name) }
            #expect(problem?.summary == summary)
            #expect(problem?.place.file == folder.path + "/" + name)
        }
    }
}
