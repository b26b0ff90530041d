import ScanFormats
import ScanModel

extension FuzzTarget {
    /// The camera lines of a capture, with lines beyond the limit and chunks that end anywhere.
    static let cameraLines = FuzzTarget("camera-lines") { bytes in
        do throws(Problem) {
            var lines = CameraLines(MemorySource(bytes, name: "lines", chunk: 29), lineLimit: 600)
            while let result = try lines.next() {
                guard case .success(let line) = result else { continue }
                expect(line.timestamp >= 0, "timestamps are not negative")
                expect(line.span.offset + Int64(line.span.count) <= Int64(bytes.count), "a line lies in its file")
                let camera = line.intrinsics(width: 640, height: 480)
                expect(
                    line.defect != nil || (line.pose.defect == nil && camera.defect == nil),
                    "what cannot be a camera has a defect")
                try rewrite(Array(bytes[Int(line.span.offset)...].prefix(line.span.count)), line)
            }
        } catch { expect(false, "a file in memory can be read, and a line that was read can be written: \(error)") }
    }

    private static func rewrite(_ bytes: [UInt8], _ line: CameraLine) throws(Problem) {
        let rewritten = try CameraLines.rewrite(bytes, addingSourceFrame: 7)
        let again = try rewritten.withUnsafeBufferPointer { (buffer) throws(Problem) in
            try CameraLine(buffer, file: "lines")
        }
        expect(again.sourceFrame == 7 && again.timestamp == line.timestamp, "a rewritten line says the same")
    }
}
