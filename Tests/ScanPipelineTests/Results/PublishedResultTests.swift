import Foundation
import ScanModel
import ScanPipeline
import TestSupport
import Testing

@Suite struct PublishedResultTests {
    private static func result(_ fixture: DiskFixture) throws -> PublishedResult {
        try fixture.run(try fixture.capture("a"))
        return try #require(PublishedResult("a", in: fixture.output))
    }

    private static func verify(_ fixture: DiskFixture) -> [Problem] {
        PublishedResult.verify("a", in: fixture.output).defects
    }

    @Test func aSoundResult() throws {
        let fixture = try DiskFixture()
        let result = try Self.result(fixture)
        #expect(result.isWhole)
        #expect(Self.verify(fixture).isEmpty)
        #expect(result.files.map(\.path) == ["deep/a.txt"])
        #expect(result.byteCount == 8)
        #expect(result.inputBytes == 8)
        #expect(result.key?.text.count == 64)
    }

    @Test func aFlippedByte() throws {
        let fixture = try DiskFixture()
        let result = try Self.result(fixture)
        try fixture.write("3 frames", to: "out/a/deep/a.txt")
        #expect(result.isWhole)
        #expect(
            Self.verify(fixture).map { $0.message() } == [
                """
                error: a file of the result holds other bytes than were written
                  --> \(fixture.output)/a/deep/a.txt
                   = fix: make it again with  scanmill run … --only a --force
                """
            ])
    }

    /// Numbers that somebody has mended by hand are not those of the run.
    @Test func aFlippedByteInTheReceipt() throws {
        let fixture = try DiskFixture()
        let result = try Self.result(fixture)
        let path = "\(fixture.output)/a/receipt.json"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        // As anybody can check it.
        try runCommand([
            "python3", "-c",
            """
            import hashlib, json, sys
            text = open(sys.argv[1]).read()
            seal = json.loads(text)['seal']
            assert hashlib.sha256(text.replace(seal, '0' * 64).encode()).hexdigest() == seal, seal
            """, path,
        ]).require(0)
        let damaged = text.replacing("\"kept\": 2", with: "\"kept\": 3")
        #expect(damaged != text)
        for (text, isSound) in [(damaged, false), (text, true), (text + "\n", false)] {
            try fixture.write(text, to: "out/a/receipt.json")
            let problems = Self.verify(fixture)
            #expect(problems.map(\.summary) == (isSound ? [] : ["the receipt holds other bytes than were written"]))
        }
        // Whichever byte it is: then the receipt is no longer one, or is said not to be sound.
        let bytes = Array(text.utf8)
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            try fixture.write(String(decoding: changed, as: UTF8.self), to: "out/a/receipt.json")
            #expect(!Self.verify(fixture).isEmpty, "byte \(index)")
        }
        // What earlier versions wrote has no seal.
        try fixture.write(text.withoutSeal, to: "out/a/receipt.json")
        #expect(Self.verify(fixture) == [])
        #expect(result.isWhole)
    }

    /// They are no file's, and the files are of the result all the same.
    @Test(arguments: ["", "0"]) func damagedDigestsInAReceiptWithoutASeal(_ digest: String) throws {
        let fixture = try DiskFixture()
        _ = try Self.result(fixture)
        let text = try String(contentsOfFile: "\(fixture.output)/a/receipt.json", encoding: .utf8)
        let damaged = text.withoutSeal.replacing(#/"sha256": *"[^"]*"/#, with: #""sha256": "\#(digest)""#)
        try fixture.write(damaged, to: "out/a/receipt.json")
        let found = PublishedResult.verify("a", in: fixture.output)
        #expect(found.defects.map(\.summary) == ["a file of the result holds other bytes than were written"])
        #expect(found.added == [])
    }

    /// Between reading the receipt and reading the files, and where there is no exchange of names.
    @Test func aResultThatIsReplacedMeanwhile() throws {
        let fixture = try DiskFixture()
        let a = "\(fixture.output)/a"
        let results = try ["one\ntwo\n", "one\ntwo\nthree\n"].map { frames in
            try fixture.run(try fixture.capture("a", frames: frames))
            let copy = "\(fixture.path)/\(frames.count)"
            try FileManager.default.copyItem(atPath: a, toPath: copy)
            return copy
        }
        DispatchQueue.concurrentPerform(iterations: 2) { number in
            for round in 0..<1000 {
                if number == 1 {
                    #expect(Self.verify(fixture).map(\.summary) == [])
                    continue
                }
                // As a runner does, which brings a folder of its own each time.
                #expect(throws: Never.self) {
                    try FileManager.default.copyItem(atPath: results[round % 2], toPath: "\(a).new")
                }
                #expect(rename(a, "\(a).old") == 0 && rename("\(a).new", a) == 0)
                FileSystem.removeTree("\(a).old")
            }
        }
        // What is wrong with the one that stands there is said.
        try fixture.write("3", to: "out/a/deep/a.txt")
        let problems = Self.verify(fixture).map(\.summary)
        #expect(problems.first?.hasPrefix("a file of the result has 1 byte instead of ") == true, "\(problems)")
    }

    @Test func filesThatDoNotFit() throws {
        let fixture = try DiskFixture()
        let result = try Self.result(fixture)
        try fixture.write("3", to: "out/a/deep/a.txt")
        #expect(!result.isWhole)
        #expect(Self.verify(fixture).map(\.summary) == ["a file of the result has 1 byte instead of 8"])
        let fix = "the next run makes it again, if its capture is still there"
        #expect(Self.verify(fixture).map(\.fix) == [fix])
        try FileManager.default.removeItem(atPath: fixture.output + "/a/deep/a.txt")
        for name in ["stranger", ".hidden"] { try fixture.write("x", to: "out/a/\(name)") }
        #expect(!result.isWhole)
        #expect(Self.verify(fixture).map(\.summary) == ["a file of the result is missing"])
        #expect(Self.verify(fixture).map(\.fix) == [fix])
        #expect(PublishedResult.verify("a", in: fixture.output).added == ["stranger"])
    }

    /// A run looks at sizes alone, and makes the whole result again where one is wrong.
    @Test func whatARunSeesByItself() throws {
        let fixture = try DiskFixture()
        let result = try Self.result(fixture)
        func outlook() -> [Bool] {
            let found = PublishedResult.verify("a", in: fixture.output)
            return [found.isSeenByRuns, found.needsForce]
        }
        #expect(outlook() == [false, false])
        let text = try String(contentsOfFile: "\(result.path)/deep/a.txt", encoding: .utf8)
        try fixture.write("3 frames", to: "out/a/deep/a.txt")
        #expect(outlook() == [false, true])
        guard case .upToDate = try fixture.run(fixture.input("a")) else { Issue.record("not up to date"); return }
        try fixture.write(text + "x", to: "out/a/deep/a.txt")
        #expect(outlook() == [true, false])
        guard case .done = try fixture.run(fixture.input("a")) else { Issue.record("not done"); return }
        #expect(outlook() == [false, false])
    }

    /// Somebody else's files are not read, whatever a receipt says.
    @Test func aPathThatLeavesTheResult() throws {
        let fixture = try DiskFixture()
        let result = try Self.result(fixture)
        try fixture.write("3 frames", to: "out/secret")
        let text = try String(contentsOfFile: "\(result.path)/receipt.json", encoding: .utf8)
        let forged = text.replacing("\"deep/a.txt\"", with: "\"deep/../../secret\"")
        #expect(forged != text)
        try fixture.write(forged, to: "out/a/receipt.json")
        let problems = Self.verify(fixture).filter { $0.place.file?.hasSuffix("secret") == true }
        #expect(problems.map(\.summary) == ["the receipt lists files outside the result, which were not read"])
    }

    /// It is not said to be missing. Not even root can look at the end of such a link.
    @Test func aFileThatCannotBeLookedAt() throws {
        let fixture = try DiskFixture()
        _ = try Self.result(fixture)
        FileSystem.removeTree("\(fixture.output)/a/deep")
        #expect(symlink(String(repeating: "x", count: 300), "\(fixture.output)/a/deep") == 0)
        let problems = Self.verify(fixture)
        #expect(problems.first?.summary == "cannot look at this path: File name too long")
        #expect(problems.first?.place.file == "\(fixture.output)/a/deep/a.txt")
        // The link may also be in the file's own place.
        #expect(unlink("\(fixture.output)/a/deep") == 0)
        try FileSystem.makeFolders("\(fixture.output)/a/deep")
        #expect(symlink(String(repeating: "x", count: 300), "\(fixture.output)/a/deep/a.txt") == 0)
        #expect(Self.verify(fixture).first?.summary == problems.first?.summary)
    }

    @Test func noResult() throws {
        let fixture = try DiskFixture()
        #expect(PublishedResult("a", in: fixture.output) == nil)
        try fixture.write("not JSON", to: "out/a/receipt.json")
        #expect(PublishedResult("a", in: fixture.output) == nil)
        try fixture.write("{}", to: "out/a/receipt.json")
        #expect(PublishedResult("a", in: fixture.output)?.key == nil)
        #expect(PublishedResult("a", in: fixture.output)?.files.isEmpty == true)
    }
}
