import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

/// A capture that a test writes file by file.
struct WrittenCapture {
    let folder: TemporaryFolder
    let name: String

    init(_ name: String = "recording") throws {
        folder = try TemporaryFolder()
        self.name = name
    }

    var path: String { "\(folder.path)/\(name)" }

    func write(_ text: String, to file: String) throws { try folder.write(text, to: "\(name)/\(file)") }
    func write(_ bytes: [UInt8], to file: String) throws { try folder.write(bytes, to: "\(name)/\(file)") }

    func remove(_ file: String) throws { try FileManager.default.removeItem(atPath: "\(path)/\(file)") }

    /// A picture of one colour.
    func picture(_ file: String, _ width: Int = 8, _ height: Int = 6, isJPEG: Bool = false) throws {
        let image = RGBImage(width: width, height: height, pixels: Array(repeating: 99, count: width * height * 3))
        try write(isJPEG ? try JPEG.encode(image) : try PNG.encodeRGB(image), to: file)
    }

    /// Depth of 4 × 3 pixels: the first is `first` units, and each further one is one more.
    func depth(_ file: String, first: UInt16, _ width: Int = 4, _ height: Int = 3) throws {
        let pixels = (0..<width * height).map { first + UInt16($0) }
        try write(try PNG.encodeGray16(Gray16Image(width: width, height: height, pixels: pixels)), to: file)
    }

    func confidence(_ file: String, _ values: [UInt8]) throws {
        let pixels = (0..<12).map { values[$0 % values.count] }
        try write(try PNG.encodeGray8(LumaImage(width: 4, height: 3, pixels: pixels)), to: file)
    }

    /// Opens the capture as `read` does, which must take it for this format.
    func open(_ format: any CaptureFormat.Type, rules: ReadRules = ReadRules()) throws -> Capture {
        let tree = try CaptureFormats.tree(at: path)
        #expect(CaptureFormats.recognise(tree)?.format == format.name)
        var capture = try format.open(tree, rules: rules)
        capture.source = HeldSource(inner: capture.source, folder: folder)
        return capture
    }

    /// The problem that opening it ends with, or nil.
    func problem(_ format: any CaptureFormat.Type, rules: ReadRules = ReadRules()) throws -> Problem? {
        let tree = try CaptureFormats.tree(at: path)
        return TestSupport.problem { _ = try format.open(tree, rules: rules) }
    }

    var recognition: Recognition? { (try? CaptureFormats.tree(at: path)).flatMap { CaptureFormats.recognise($0) } }
}

/// The source of a capture whose folder exists as long as somebody can read from it.
private struct HeldSource: CaptureSource {
    let inner: any CaptureSource
    let folder: TemporaryFolder

    func tracks(for channels: Set<Channel>, of capture: Capture) throws(Problem) -> [any FrameTrack] {
        try inner.tracks(for: channels, of: capture)
    }

    func prepare(_ frame: inout Frame, for channels: Set<Channel>) throws(Problem) {
        try inner.prepare(&frame, for: channels)
    }

    func location(of file: String) -> FileLocation? { inner.location(of: file) }
    func open(_ file: String) throws(Problem) -> any ByteSource { try inner.open(file) }
}

extension Capture {
    /// Every frame with these channels, as a pass provides them; dropped frames have only their facts.
    func loaded(_ channels: Set<Channel>) throws -> [Frame] {
        let tracks = try source.tracks(for: channels, of: self)
        var result: [Frame] = []
        for facts in frames {
            var frame = Frame(facts)
            for track in tracks { try track.advance(&frame, isWanted: !facts.isDropped) }
            if !frame.facts.isDropped { try source.prepare(&frame, for: channels) }
            result.append(frame)
        }
        for track in tracks { _ = try track.finish() }
        return result
    }

    var dropReasons: [String?] { frames.map { $0.drop?.reason } }

    var remedies: [Channel: String] { absences.compactMapValues(\.remedy) }
}

extension RecordedDepth {
    /// The first pixel, metres.
    var first: Float? { (try? DepthCodec.decode(self))?.map.metres.first }
}
