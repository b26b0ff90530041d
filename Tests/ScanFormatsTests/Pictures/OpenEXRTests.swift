import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct OpenEXRTests {
    private func floats(_ depth: RecordedDepth) -> [Float] {
        depth.bytes.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    }

    @Test(
        arguments: zip(
            [
                EXRSamples.floats, EXRSamples.halves, EXRSamples.colors, EXRSamples.halfColors,
                EXRSamples.halfColorsWithAlpha,
            ], [Float(0), 0, 1, 0, 0]))
    func depthInMetres(_ file: [UInt8], _ more: Float) throws {
        #expect(try OpenEXR.size(file) == PixelSize(3, 4))
        let depth = try OpenEXR.decodeDepth(file)
        #expect((depth.width, depth.height, depth.encoding) == (3, 4, .float32Metres))
        let expected = EXRSamples.depth.map { $0 + more }
        // As numbers: one that is none is not equal to itself.
        #expect(floats(depth).map(\.description) == expected.map(\.description))
    }

    @Test(arguments: [
        (EXRSamples.tiles, "its pixels are in tiles, or deep"),
        (EXRSamples.wholeNumbers, "it has no channel of floats that is the only one, or is called R"),
        (EXRSamples.noRed, "it has no channel of floats that is the only one, or is called R"),
        (EXRSamples.b44, "its pixels are packed with B44 or DWA, which do not keep depth as it was"),
        (EXRSamples.dwaa, "its pixels are packed with B44 or DWA, which do not keep depth as it was"),
    ]) func whatIsNoDepthIsSaid(_ file: [UInt8], _ reason: String) {
        let problem = #expect(throws: Problem.self) { try OpenEXR.decodeDepth(file) }
        #expect(problem?.summary == "no depth that can be read: \(reason)" && problem?.fault == .input)
    }

    /// Wherever a file ends, its rows are not guessed.
    @Test(arguments: [EXRSamples.floats, EXRSamples.halves, EXRSamples.colors])
    func filesThatWereCutOff(_ file: [UInt8]) {
        for count in 0..<file.count {
            let problem = #expect(throws: Problem.self) { try OpenEXR.decodeDepth(Array(file.prefix(count))) }
            #expect(problem?.fault == .input)
        }
    }

    @Test func otherFilesAreNamed() {
        let other = #expect(throws: Problem.self) { try OpenEXR.size(Array("\u{89}PNG".utf8)) }
        #expect(other?.summary == "not an OpenEXR picture")
        let none = #expect(throws: Problem.self) { try OpenEXR.decodeDepth([]) }
        #expect(none?.summary == "the OpenEXR picture is empty")
    }

    @Test func largePicturesAreRefusedBeforeTheyAreDecoded() {
        let limits = PictureLimits(side: 3, pixels: 100)
        let problem = #expect(throws: Problem.self) { try OpenEXR.decodeDepth(EXRSamples.floats, limits: limits) }
        #expect(problem?.summary == "a picture of 3 × 4 pixels")
    }
}
