import ScanFormats
import ScanModel
import Testing

@Suite struct PGMTests {
    private static let pixels: [UInt16] = [0, 1, 255, 256, 1000, 65535]
    private static let body: [UInt8] = [0, 0, 0, 1, 0, 255, 1, 0, 3, 232, 255, 255]

    private func file(_ header: String, _ body: [UInt8] = body) -> [UInt8] { Array(header.utf8) + body }

    @Test(arguments: [
        "P5\n3 2\n65535\n", "P5\n00000000003 00000000002\n0000065535\n", "P5 3 2 65535 ", "P5\r3\t2\n1000 ",
        "P5\n# a comment\n3\n# 7 7\n2\n#\n65535\n",
    ]) func headers(_ header: String) throws {
        let image = try DepthPicture.decode(file(header))
        #expect(image == Gray16Image(width: 3, height: 2, pixels: Self.pixels))
        #expect(try DepthPicture.size(file(header, [])) == PixelSize(3, 2))
    }

    @Test func aPixelMayLookLikeWhiteSpace() throws {
        #expect(try PGM.decodeGray16(file("P5 1 1 65535\n", [0x0A, 0x20])).pixels == [0x0A20])
    }

    @Test(arguments: [
        ("P5\n3 2\n65535\n", 11, "PGM truncated"), ("P5\n3 2\n65535", 0, "PGM damaged"), ("P5\n3", 0, "PGM damaged"),
        ("P5\nx 2\n65535\n", 12, "PGM damaged"), ("P5\n3 2\n0\n", 12, "PGM damaged"),
        ("P5\n3 2\n65536\n", 12, "PGM damaged"), ("P5\n3 99999999999999999999\n9\n", 12, "PGM damaged"),
        ("P5\n3 0\n65535\n", 12, "a picture of 3 × 0 pixels"), ("P5\n3 2\n255\n", 12, "not a depth picture"),
        ("P5\n32768 32768\n65535\n", 12, "a picture of 32768 × 32768 pixels"), ("P2\n3 2\n65535\n", 12, "PNG damaged"),
    ]) func whatCannotBeDecoded(_ header: String, _ count: Int, _ summary: String) {
        let problem = #expect(throws: Problem.self) {
            try DepthPicture.decode(file(header, Array(Self.body.prefix(count))))
        }
        #expect(problem?.summary.hasPrefix(summary) == true, "\(problem?.summary ?? "")")
        #expect(problem?.fault == .input)
    }
}
