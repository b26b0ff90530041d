import ScanFormats
import ScanModel

extension FuzzTarget {
    /// A depth stream from its compressed bytes to metres: inflating, splitting into frames, keeping the whole frames
    /// of a damaged stream. The first byte chooses the rules, the encoding and the frames that are wanted.
    static let depthStream = FuzzTarget("depth-stream") { bytes in
        guard let choice = bytes.first else { return }
        let stream = Array(bytes.dropFirst())
        let walks = [Int.max, 1 + Int(choice >> 4)].map { Walk(stream, choice: choice, chunk: $0) }
        expect(walks[0].frames == walks[1].frames, "the frames do not depend on how the file is read")
        expect(walks[0].fault == walks[1].fault, "the outcome does not depend on how the file is read")
    }

    private struct Walk {
        var frames: [[UInt8]] = []
        var fault: Problem.Fault?

        init(_ bytes: [UInt8], choice: UInt8, chunk: Int) {
            var rules = ReadRules()
            rules.truncated = choice & 1 == 0 ? .fail : .keepWhole
            rules.mismatch = choice & 2 == 0 ? .auto : .shortest
            let encoding: DepthEncoding = choice & 4 == 0 ? .float16Metres : .uint16(unitsPerMetre: 1000, mask: 0x1FFF)
            let skipsEveryOther = choice & 8 != 0
            let stream = PackedStream(
                file: "depth", size: PixelSize(4, 3), content: .depth(encoding), rules: rules, claims: "none")
            do throws(Problem) {
                let tree = OneFile(bytes, chunk: chunk)
                let track = try PackedTrack(stream, tree, frameCount: 8, carriesPrevious: choice & 16 != 0)
                for index in 0..<8 {
                    var frame = Frame(FrameFacts(index: index))
                    try track.advance(&frame, isWanted: !(skipsEveryOther && index % 2 == 1))
                    expect(frame.facts.drop == nil || frame.recordedDepth == nil, "a dropped frame has no depth")
                    if let depth = frame.recordedDepth {
                        let metres = try DepthCodec.decode(depth).map.metres
                        expect(metres.allSatisfy { $0.isFinite && $0 >= 0 }, "depth is finite and not negative")
                    }
                    frames.append(frame.recordedDepth?.bytes ?? [])
                }
                let end = try track.finish()
                expect(end.extraFrames <= 16 * 64, "a stream that goes on and on is left")
            } catch {
                expect(error.fault == .input, "only the bytes are at fault")
                fault = error.fault
            }
        }
    }
}

/// A capture of one file in memory, whatever name is asked for.
private struct OneFile: CaptureTree {
    let name = "memory"
    let bytes: [UInt8]
    let chunk: Int

    init(_ bytes: [UInt8], chunk: Int) {
        self.bytes = bytes
        self.chunk = chunk
    }

    func entries(in folder: String) -> [CaptureEntry] { [] }
    func open(_ file: String) -> any ByteSource { MemorySource(bytes, name: file, chunk: chunk) }
    func location(of file: String) -> FileLocation? { nil }
}
