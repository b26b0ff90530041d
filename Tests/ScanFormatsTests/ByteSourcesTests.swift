import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct ByteSourcesTests {
    private func contents(_ source: any ByteSource, size: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: size)
        while true {
            let count = try buffer.withUnsafeMutableBytes { try source.read(into: $0) }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
        }
    }

    @Test func readsAFileAndAStretchOfIt() throws {
        let folder = try TemporaryFolder()
        let bytes = slopes(10_000)
        let path = try folder.write(bytes, to: "a/b.bin")
        let whole = try FileSource(path: path, name: "a/b.bin")
        #expect(whole.byteCount == 10_000)
        #expect(whole.name == "a/b.bin")
        #expect(try contents(whole, size: 777) == bytes)
        let stretch = try FileSource(path: path, name: "a/b.bin", range: 100..<1100)
        #expect(stretch.byteCount == 1000)
        #expect(try contents(stretch, size: 999) == Array(bytes[100..<1100]))
        #expect(try contents(MemorySource(bytes, name: "m", chunk: 3), size: 64) == bytes)
    }

    @Test func reportsARangeBeyondTheFile() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(slopes(10), to: "short")
        for range: Range<Int64> in [0..<11, -1..<5, 20..<30] {
            let problem = problem { () throws(Problem) in
                _ = try FileSource(path: path, name: "short", range: range)
            }
            #expect(problem?.summary == "the file is too short")
            #expect(problem?.place.byteCount == 10)
        }
    }

    /// None of these may hang.
    @Test func refusesWhatIsNotAFile() throws {
        let folder = try TemporaryFolder()
        #expect(mkfifo(folder.url("pipe").path, 0o600) == 0)
        try FileManager.default.createSymbolicLink(atPath: folder.url("dangling").path, withDestinationPath: "nowhere")
        try FileManager.default.createSymbolicLink(atPath: folder.url("loop").path, withDestinationPath: "loop")
        try folder.write("x", to: "file")
        let cases = [
            ("pipe", "not a file but a pipe"), (".", "not a file but a folder"), ("absent", "the file is missing"),
            ("dangling", "the file is missing"), ("loop", "the file is missing"), ("file/in", "the file is missing"),
        ]
        for (name, summary) in cases {
            let problem = problem { () throws(Problem) in
                _ = try InflateStream(file: folder.url(name).path, name: name)
            }
            #expect(problem?.summary == summary)
            #expect(problem?.fault == .input)
            #expect(problem?.place.file == name)
        }
        let device = problem { () throws(Problem) in _ = try FileSource(path: "/dev/zero", name: "zero") }
        #expect(device?.summary == "not a file but a device")
    }

    @Test func reportsAnEmptyFileWhenItIsRead() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write([UInt8](), to: "empty.zlib")
        let stream = try InflateStream(file: path, name: "empty.zlib", subject: "depth stream")
        #expect(drain(stream).problem?.oneLine == "depth stream is empty (empty.zlib at byte 0 of 0)")
    }
}
