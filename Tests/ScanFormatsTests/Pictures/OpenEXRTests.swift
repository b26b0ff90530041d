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

    /// PXR24 keeps all of half floats and enough of floats. Rows that it does not make smaller lie there as they are.
    @Test func depthThatWasPackedWithPXR24() throws {
        var file = EXRSamples.floats
        let name = Array("compression\0compression\0".utf8)
        let start = try #require(file.indices.first { file[$0...].starts(with: name) })
        // Behind the name and the type stands a length of four bytes.
        let packing = start + name.count + 4
        #expect(file[packing] == 3)
        file[packing] = 5
        // The only block: its 46 bytes and their count.
        let rows = EXRSamples.depth.flatMap { depth in
            withUnsafeBytes(of: depth.bitPattern.littleEndian) { Array($0) }
        }
        file.replaceSubrange((file.count - 50)..., with: [48, 0, 0, 0] + rows)
        #expect(floats(try OpenEXR.decodeDepth(file)).map(\.description) == EXRSamples.depth.map(\.description))
    }

    /// A part of the view would be taken for all of it.
    @Test func whatWasCroppedIsRefused() throws {
        var file = EXRSamples.floats
        let name = Array("displayWindow\0box2i\0".utf8)
        let places = file.indices.filter { file[$0...].starts(with: name) }
        // Behind the name and the type stands a length of four bytes, then the least x and y and the largest x.
        let largest = try #require(places.first) + name.count + 4 + 8
        #expect(file[largest] == 2)
        file[largest] = 3
        for read in [{ _ = try OpenEXR.size(file) }, { _ = try OpenEXR.decodeDepth(file) }] as [() throws -> Void] {
            let problem = #expect(throws: Problem.self, performing: read)
            #expect(
                problem?.summary
                    == "no depth that can be read: its pixels are not those of the whole view, as if it had been cropped"
            )
        }
    }

    /// OpenEXR's library would leave rows undecoded, and report nothing.
    @Test func channelsOfFewerPixelsAreRefused() throws {
        var file = EXRSamples.halfColors
        // The first channel's name, "B\0", is followed by eight bytes (type, linearity, reserved), then its x and y sampling.
        let name = Array("chlist\0".utf8)
        let start = try #require(file.indices.first { file[$0...].starts(with: name) })
        let steps = start + name.count + 4 + 2 + 8
        #expect(file[steps] == 1 && file[steps + 4] == 1)
        file[steps + 4] = 2
        for read in [{ _ = try OpenEXR.size(file) }, { _ = try OpenEXR.decodeDepth(file) }] as [() throws -> Void] {
            let problem = #expect(throws: Problem.self, performing: read)
            #expect(
                problem?.summary == "no depth that can be read: some of its channels are subsampled")
        }
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
