import Foundation
import ScanModel
import ScanPipeline
import TestSupport
import Testing

@Suite struct OutputFileTests {
    @Test(arguments: [
        [0], [1], [262_143], [262_144], [262_145], [100_000, 100_000, 100_000], [10, 700_000, 10], [262_143, 1, 1],
    ])
    func holdsWhatWasWritten(_ pieces: [Int]) throws {
        let fixture = try OutputFixture()
        let output = try fixture.open()
        let file = try output.create("a/b.bin")
        var all: [UInt8] = []
        for (number, count) in pieces.enumerated() {
            let piece = noise(count, seed: UInt64(number))
            all += piece
            try file.write(piece)
        }
        #expect(output.files.isEmpty)
        try file.close()
        let path = output.workPath + "/a/b.bin"
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(all))
        let entry = try #require(output.files.first)
        #expect(entry.path == "a/b.bin")
        #expect(entry.byteCount == Int64(all.count))
        #expect(try entry.digest.hex == pythonDigests(of: [path])[0])
    }

    @Test func changesOfWhatWasWritten() throws {
        let fixture = try OutputFixture()
        let output = try fixture.open()
        let file = try output.create("a.ply")
        try file.write("vertices 000000\n")
        try file.write(noise(300_000))
        try file.patch(Array("000042".utf8), at: 9)
        try file.write("end")
        try file.patch(Array("END".utf8), at: 16 + 300_000)
        try file.close()
        let path = output.workPath + "/a.ply"
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        #expect(bytes == Array("vertices 000042\n".utf8) + noise(300_000) + Array("END".utf8))
        #expect(output.files.first?.byteCount == Int64(bytes.count))
        #expect(try output.files.first?.digest.hex == pythonDigests(of: [path])[0])
    }

    @Test func changesOutsideOfWhatWasWritten() throws {
        for offset in [-1, 4, 5, Int64.max] {
            let fixture = try OutputFixture()
            let output = try fixture.open()
            let file = try output.create("a")
            try file.write("abcde")
            let failure = try #require(problem { try file.patch([1, 2], at: offset) })
            #expect(failure.summary == "a change lies outside of what was written")
            #expect(failure.fault == .tool)
        }
    }

    @Test func aFileThatIsNotClosedLeavesNothing() throws {
        let fixture = try OutputFixture()
        let output = try fixture.open()
        do {
            let file = try output.create("pictures/a")
            try file.write(noise(300_000))
            #expect(fixture.tree(output.workPath) == ["pictures/a"])
        }
        #expect(fixture.tree(output.workPath) == ["pictures/"])
        #expect(output.files.isEmpty)
    }

    @Test func aClosedFileTakesNothingMore() throws {
        let fixture = try OutputFixture()
        let output = try fixture.open()
        let file = try output.create("a")
        try file.close()
        #expect(problem { try file.write([1]) }?.summary == "the file is closed already")
        #expect(problem { try file.patch([], at: 0) }?.summary == "the file is closed already")
        #expect(problem { try file.close() }?.summary == "the file is closed already")
        #expect(output.files.map(\.byteCount) == [0])
    }

    @Test func oneNameIsOneFile() throws {
        let fixture = try OutputFixture()
        let output = try fixture.open()
        try output.write([1], to: "a")
        let failure = try #require(problem { try output.write([2], to: "a") })
        #expect(failure.message() == "error: two stages, or two frames, write a in the result")
        #expect(failure.fault == .tool)
        #expect(fixture.tree(output.workPath) == ["a"])
    }

    /// After a failure no byte more is taken, so that a file with a hole is never listed.
    @Test func aFullDisk() throws {
        let fixture = try OutputFixture()
        try fixture.onSmallDisk("size=256k", else: "a full disk") {
            let output = try fixture.open()
            let file = try output.create("large")
            let failure = try #require(problem { for _ in 0..<8 { try file.write(noise(100_000)) } })
            #expect(
                failure.message() == """
                    error: cannot write the file: No space left on device
                      --> \(output.publishedPath)/large
                       = fix: free space on that filesystem (or files, where `df -i` shows none left) and run the same command again
                    """)
            #expect(failure.fault == .environment)
            #expect(problem { try file.write([1]) } == failure)
            #expect(problem { try file.close() } == failure)
            #expect(output.files.isEmpty)
            let folder = try TemporaryFolder()
            let source = try folder.write(noise(900_000), to: "large")
            #expect(
                problem { try output.copy(FileLocation(path: source), name: "large", to: "copy") }?.fault
                    == .environment)
            #expect(!FileSystem.exists(output.workPath + "/copy"))
            output.abandon()
            #expect(fixture.tree() == [".scanmill/work/"])
        }
    }
}
