import Foundation
import ScanModel
import ScanPipeline
import TestSupport
import Testing

@Suite struct RegularFileTests {
    private static func read(_ path: String, _ range: Range<Int64>? = nil) throws(Problem) -> [UInt8] {
        let file = try RegularFile(path, name: "name", fault: .input)
        var bytes: [UInt8] = []
        try file.read(range) { bytes.append(contentsOf: $0) }
        return bytes
    }

    @Test func readsAllOrAStretch() throws {
        let folder = try TemporaryFolder()
        let bytes = noise(600_000)
        let path = try folder.write(bytes, to: "a")
        #expect(try Self.read(path) == bytes)
        #expect(try Self.read(path, 0..<0) == [])
        #expect(try Self.read(path, 262_143..<524_290) == Array(bytes[262_143..<524_290]))
        #expect(try RegularFile(path, name: "a", fault: .input).byteCount == 600_000)
        #expect(try RegularFile(path, name: "a", fault: .input).digest().hex == pythonDigests(of: [path])[0])
    }

    @Test func aFileThatIsShorterThanWasSaid() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("abc", to: "a")
        let failure = try #require(problem { _ = try Self.read(path, 1..<9) })
        #expect(failure.message() == "error: the file became shorter while it was read\n  --> name")
        #expect(failure.fault == .input)
    }

    @Test func whatIsNoFile() throws {
        let folder = try TemporaryFolder()
        #expect(mkfifo(folder.path + "/fifo", 0o600) == 0)
        for path in [folder.path, folder.path + "/fifo", "/dev/null"] {
            #expect(problem { _ = try Self.read(path) }?.summary == "this is not a regular file")
        }
        let missing = try #require(problem { _ = try Self.read(folder.path + "/none") })
        #expect(missing.summary == "cannot read the file: No such file or directory")
        #expect(missing.place.file == "name")
        #expect(missing.fault == .input)
    }

    @Test func whatTheBodyThrowsIsThrown() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("abc", to: "a")
        let failure = problem {
            let file = try RegularFile(path, name: "a", fault: .input)
            try file.read { (_) throws(Problem) in throw Problem(.tool, "enough") }
        }
        #expect(failure?.summary == "enough")
    }

    @Test func descriptorsAreGivenBack() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("abc", to: "a")
        func open() -> Int { (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? -1 }
        let before = open()
        for _ in 0..<500 {
            _ = try Self.read(path)
            _ = problem { _ = try Self.read(folder.path) }
        }
        // Other tests run beside this one.
        #expect(open() < before + 100)
    }
}
