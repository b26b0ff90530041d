import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct FileSourceTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func readsAFileInPieces() throws {
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let source = try FileSource(path: try folder.write(bytes, to: "a.bin"), name: "a.bin")
        #expect(source.byteCount == 100_000)
        #expect(source.name == "a.bin")
        var read: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 777)
        while true {
            let count = try chunk.withUnsafeMutableBytes { try source.read(into: $0) }
            if count == 0 { break }
            read += chunk[..<count]
        }
        #expect(read == bytes)
        #expect(try source.bytes(at: 500, count: 3) == Array(bytes[500..<503]))
        #expect(try source.bytes(at: 100_000, count: 0) == [])
    }

    @Test func readsAStretchOfAFile() throws {
        let bytes = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let path = try folder.write(bytes, to: "a.zip")
        let source = try FileSource(path: path, name: "entry", range: 100..<1100)
        #expect(source.byteCount == 1000)
        #expect(try source.readAll(limit: 1000) == Array(bytes[100..<1100]))
        for range: Range<Int64> in [0..<10_001, -1..<5, 20_000..<30_000] {
            let problem = #expect(throws: Problem.self) {
                try FileSource(path: path, name: "entry", range: range)
            }
            #expect(problem?.summary == "the file is too short")
            #expect(problem?.place.byteCount == 10_000)
        }
    }

    @Test func readsAllUpToALimit() throws {
        let path = try folder.write("hello", to: "a.txt")
        #expect(try FileSource(path: path, name: "a.txt").readAll(limit: 5) == Array("hello".utf8))
        let problem = #expect(throws: Problem.self) { try FileSource(path: path, name: "a.txt").readAll(limit: 4) }
        #expect(problem?.summary == "the file is larger than the limit of 4 bytes")
        #expect(problem?.place.file == "a.txt")
        #expect(try MemorySource([1, 2, 3], name: "m", chunk: 1).readAll(limit: 3) == [1, 2, 3])
    }

    @Test(arguments: [0, 5, 65_535, 65_536, 131_071, 131_072, 400_000]) func readsAllOfAnySize(_ count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) }
        let source = { MemorySource(bytes, name: "m", chunk: 70_001) }
        #expect(try source().readAll(limit: count) == bytes)
        #expect(try source().readAll(limit: .max) == bytes)
        if count > 0 { #expect(throws: Problem.self) { try source().readAll(limit: count - 1) } }
    }

    @Test func refusesWhatIsNoRegularFile() throws {
        let table = [
            ("missing", "there is no such file"), (".", "expected a file, found a folder"),
            ("fifo", "expected a file, found a FIFO"), ("dangling", "there is no such file"),
            ("circle", "the file is a link that leads in a circle"), ("plain/x", "there is no such file"),
            (String(repeating: "n", count: 300), "the file's name is too long"),
            ("a\0b", "a file name holds a zero byte"),
        ]
        try folder.write("x", to: "plain")
        #expect(mkfifo(folder.path + "/fifo", 0o644) == 0)
        #expect(symlink("nowhere", folder.path + "/dangling") == 0)
        #expect(symlink("circle", folder.path + "/circle") == 0)
        for (name, summary) in table {
            let problem = #expect(throws: Problem.self) {
                try FileSource(path: folder.path + "/" + name, name: name)
            }
            #expect(problem?.summary == summary)
            #expect(problem?.fault == .input)
            #expect(problem?.place.file == name)
        }
        let device = #expect(throws: Problem.self) { try FileSource(path: "/dev/zero", name: "zero") }
        #expect(device?.summary == "expected a file, found a device")
    }

    @Test func refusesToReadBeyondTheEnd() throws {
        let source = try FileSource(path: try folder.write("hello", to: "a.txt"), name: "a.txt")
        for (offset, count) in [(0, 6), (6, 0), (5, 1), (-1, 1), (Int64.max, 1), (0, .max)] as [(Int64, Int)] {
            let problem = #expect(throws: Problem.self) { try source.bytes(at: offset, count: count) }
            #expect(problem?.place.byteCount == 5)
        }
        #expect(truncate(folder.path + "/a.txt", 2) == 0)
        let problem = #expect(throws: Problem.self) { try source.bytes(at: 0, count: 5) }
        #expect(problem?.message() == "error: the file became shorter while it was read\n  --> a.txt at byte 2 of 5")
    }

    @Test func closesTheFile() throws {
        let path = try folder.write("x", to: "a.txt")
        // Far more than a process may hold open.
        for _ in 0..<5000 { _ = try FileSource(path: path, name: "a.txt").readAll(limit: 10) }
        for _ in 0..<5000 {
            #expect(throws: Problem.self) { try FileSource(path: folder.path, name: "folder") }
        }
    }
}
