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

    @Test func aSoundResult() throws {
        let fixture = try DiskFixture()
        let result = try Self.result(fixture)
        #expect(result.isWhole)
        #expect(result.verify().isEmpty)
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
            result.verify().map { $0.message() } == [
                """
                error: a file of the result holds other bytes than were written
                  --> \(fixture.output)/a/deep/a.txt
                   = fix: make it again with  scanmill run … --only a --force
                """
            ])
    }

    /// Between reading the receipt and reading the files.
    @Test func aResultThatIsReplacedMeanwhile() throws {
        let fixture = try DiskFixture()
        let result = try Self.result(fixture)
        try fixture.run(try fixture.capture("a", frames: "one\ntwo\nthree\n"))
        #expect(result.verify() == [])
        // What is wrong with the new one is said of the new one.
        try fixture.write("3", to: "out/a/deep/a.txt")
        #expect(result.verify().map(\.summary) == ["a file of the result has 1 bytes instead of 8"])
    }

    @Test func filesThatDoNotFit() throws {
        let fixture = try DiskFixture()
        let result = try Self.result(fixture)
        try fixture.write("3", to: "out/a/deep/a.txt")
        #expect(!result.isWhole)
        #expect(result.verify().map(\.summary) == ["a file of the result has 1 bytes instead of 8"])
        try FileManager.default.removeItem(atPath: fixture.output + "/a/deep/a.txt")
        try fixture.write("x", to: "out/a/stranger")
        #expect(!result.isWhole)
        #expect(
            result.verify().map(\.summary) == [
                "a file of the result is missing", "a file stands in the result that its receipt does not list",
            ])
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
