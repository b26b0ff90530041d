import Glibc
import ScanFormats
import ScanModel

extension FuzzTarget {
    /// A `.sens` file: its header and frames, then every payload. The first byte chooses the rules.
    static let sens = FuzzTarget("sens") { bytes in
        // Payloads are read at their offsets, which takes a file.
        guard let choice = bytes.first, let file = tmpfile() else { return }
        defer { fclose(file) }
        let rest = Array(bytes.dropFirst())
        guard fwrite(rest, 1, rest.count, file) == rest.count, fflush(file) == 0 else { return }
        var rules = ReadRules()
        rules.truncated = choice & 1 == 0 ? .fail : .keepWhole
        rules.maxFrames = 1000
        rules.maxPicturePixels = 1 << 16
        do throws(Problem) {
            let tree = try OneFile(path: "/proc/self/fd/\(fileno(file))")
            let capture = try SensCapture.open(tree, rules: rules)
            expect(capture.frames.count <= 1000, "no more frames than allowed")
            for facts in capture.frames {
                expect(facts.pose == nil || facts.pose?.defect == nil, "poses are sound")
                look(at: facts, of: capture, fileBytes: rest.count)
            }
            for file in capture.motionFiles {
                let facts = try MotionStream.read(try capture.source.open(file.path), kind: file.kind)
                expect(facts.sampleCount * 32 <= rest.count, "samples come from the file")
            }
        } catch { expect(error.fault == .input, "only the bytes are at fault") }
    }

    private static func look(at facts: FrameFacts, of capture: Capture, fileBytes: Int) {
        if let picture = facts.pictureFile {
            let range = capture.source.location(of: picture)?.range
            expect(range.map { $0.lowerBound >= 0 && $0.upperBound <= fileBytes } == true, "pictures lie in the file")
        }
        for channel in [Channel.recordedDepth, .color] where capture.channels.contains(channel) {
            var frame = Frame(facts)
            do throws(Problem) {
                try capture.source.prepare(&frame, for: [channel])
                if let depth = frame.recordedDepth {
                    expect(
                        try DepthCodec.decode(depth).map.metres.allSatisfy { $0.isFinite && $0 >= 0 },
                        "depth is finite and not negative")
                }
            } catch { expect(error.fault == .input, "only the bytes are at fault") }
        }
    }
}
