import ScanFormats
import ScanModel

extension FuzzTarget {
    /// `depth.bin` from its bytes to metres, in whichever layout it seems to have.
    static let scanNetPPDepth = FuzzTarget("scannetpp-depth") { bytes in
        let walks = [1, 17, Int.max].map { Walk(bytes, chunk: $0) }
        expect(walks.allSatisfy { $0 == walks[0] }, "what is read does not depend on how the file is read")
    }

    private struct Walk: Equatable {
        var layout: ScanNetPPDepth.Layout?
        var frames: [[UInt8]] = []
        var drops: [Bool] = []

        init(_ bytes: [UInt8], chunk: Int) {
            var rules = ReadRules()
            rules.maxFrames = 64
            rules.maxPicturePixels = 1 << 16
            let tree = DepthFile(bytes: bytes, chunk: chunk)
            do throws(Problem) {
                let found = try ScanNetPPDepth.layout(of: "depth.bin", in: tree, rules: rules)
                layout = found
                guard case .chunks(let count, let size, _) = found else { return }
                expect(count <= 64 && size.width * size.height <= 1 << 16, "limits are kept")
                let stream = ChunkStream(file: "depth.bin", size: size, count: count)
                let track = try ChunkTrack(stream, tree, carriesPrevious: true)
                for index in 0..<count {
                    var frame = Frame(FrameFacts(index: index))
                    try track.advance(&frame, isWanted: true)
                    expect((frame.recordedDepth == nil) == (frame.drop?.isBad == true), "a frame has depth or is bad")
                    if let depth = frame.recordedDepth {
                        let metres = try DepthCodec.decode(depth).map.metres
                        expect(metres.allSatisfy { $0.isFinite && $0 >= 0 }, "depth is finite and not negative")
                    }
                    frames.append(frame.recordedDepth?.bytes ?? [])
                    drops.append(frame.drop != nil)
                }
            } catch { expect(error.fault == .input, "only the bytes are at fault") }
        }
    }
}

/// A capture of one file in memory.
private struct DepthFile: CaptureTree {
    let name = "memory"
    let bytes: [UInt8]
    let chunk: Int

    func entries(in folder: String) -> [CaptureEntry] {
        folder.isEmpty ? [CaptureEntry(name: "depth.bin", kind: .file(byteCount: Int64(bytes.count)))] : []
    }

    func open(_ file: String) -> any ByteSource { MemorySource(bytes, name: file, chunk: chunk) }
    func location(of file: String) -> FileLocation? { nil }
}
