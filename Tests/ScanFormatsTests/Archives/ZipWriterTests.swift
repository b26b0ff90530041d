import ScanFormats
import ScanModel
import TestSupport
import Testing

/// Read back by Python's `zipfile`, which checks every checksum, and by libzip.
@Suite struct ZipWriterTests {
    private final class Memory: ByteSink {
        var bytes: [UInt8] = []
        func write(_ more: UnsafeRawBufferPointer) { bytes += more }
    }

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func archive(_ files: [(String, [UInt8])]) throws -> String {
        let memory = Memory()
        var writer = ZipWriter(memory)
        for (name, bytes) in files { try writer.add(name, bytes) }
        try writer.close()
        try folder.write(memory.bytes, to: "a.zip")
        return "\(folder.path)/a.zip"
    }

    @Test func othersReadIt() throws {
        let files: [(String, [UInt8])] = [
            ("é/1.png", Array(0...255)), ("é/empty", []), ("é/b.json", Array("{}".utf8)),
        ]
        let path = try archive(files)
        let script = """
            import sys, zipfile
            z = zipfile.ZipFile(sys.argv[1])
            assert z.testzip() is None
            assert z.namelist() == ['é/1.png', 'é/empty', 'é/b.json'], z.namelist()
            assert z.read('é/1.png') == bytes(range(256)) and z.read('é/empty') == b''
            assert all(i.external_attr >> 16 == 0o100644 and i.date_time[:3] == (1980, 1, 1) for i in z.infolist())
            """
        let result = try runPython(script, [path])
        #expect(result.status == 0, "\(result.errors)")
        let tree = try ZipArchive(path: path)
        #expect(try tree.bytes(of: "1.png", limit: 1000) == Array(0...255))
    }

    /// More files than the plain directory can count.
    @Test func manyFilesGetZip64Records() throws {
        let path = try archive((0..<70_000).map { ("\($0)", [UInt8($0 & 255)]) })
        let script = """
            import sys, zipfile
            z = zipfile.ZipFile(sys.argv[1])
            assert len(z.namelist()) == 70000
            assert z.read('69999') == bytes([69999 & 255])
            """
        let result = try runPython(script, [path])
        #expect(result.status == 0, "\(result.errors)")
        let tree = try ZipArchive(path: path)
        #expect(try tree.bytes(of: "69998", limit: 10) == [UInt8(69_998 & 255)])
    }

    /// The largest number of a plain directory says that the true one stands in a ZIP64 record.
    @Test(arguments: [65_534, 65_535]) func theLargestPlainNumberIsNone(_ count: Int) throws {
        _ = try archive((0..<count).map { ("\($0)", []) })
        // That record has 56 bytes, what leads to it 20, and the plain end 22.
        let hasRecord = try folder.bytes("a.zip").suffix(98).starts(with: Array("PK".utf8) + [6, 6])
        #expect(hasRecord == (count == 65_535))
    }

    @Test func aNameStandsOnce() throws {
        var writer = ZipWriter(Memory())
        try writer.add("a", [1])
        #expect(throws: Problem.self) { try writer.add("a", [2]) }
    }
}
