import Foundation
import ScanFormats
import ScanModel
import TestSupport

/// Bytes that compress about as well as depth does: slow slopes with some noise.
func slopes(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var random = SplitMix(seed: seed)
    return (0..<count).map { UInt8(truncatingIfNeeded: $0 / 37 + Int(random.next() & 3)) }
}

/// What a Python script passes to `put(bytes)`, one entry per call. `sys`, `struct` and `zlib` are imported.
func python(_ script: String, _ arguments: [String] = []) throws -> [[UInt8]] {
    let prelude = """
        import sys, struct, zlib
        out = open(sys.argv.pop(), 'wb')
        def put(data): out.write(struct.pack('<Q', len(data)) + data)

        """
    let folder = try TemporaryFolder()
    let result = try runPython(prelude + script, arguments + [folder.url("out").path])
    guard result.status == 0 else { throw Problem(.tool, result.errors) }
    var entries: [[UInt8]] = []
    var rest = try folder.bytes("out")[...]
    while rest.count >= 8 {
        let count = rest.prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
        entries.append(Array(rest.dropFirst(8).prefix(count)))
        rest = rest.dropFirst(8 + count)
    }
    return entries
}

/// The same for a script that reads a file.
func python(_ script: String, reading bytes: [UInt8]) throws -> [[UInt8]] {
    let folder = try TemporaryFolder()
    return try python("data = open(sys.argv[1], 'rb').read()\n" + script, [folder.write(bytes, to: "in")])
}

/// Compresses with Python's zlib. `wbits` −15 is raw DEFLATE, 15 adds zlib's wrapper.
func pythonDeflate(_ bytes: [UInt8], wbits: Int, level: Int = 6, strategy: Int = 0) throws -> [UInt8] {
    let script = """
        c = zlib.compressobj(\(level), zlib.DEFLATED, \(wbits), 8, \(strategy))
        put(c.compress(data) + c.flush())
        """
    return try python(script, reading: bytes)[0]
}

/// Everything a stream gives when asked for `size` bytes at a time, and how it ended.
func drain(_ stream: InflateStream, size: Int = 1 << 16, limit: Int = .max) -> (bytes: [UInt8], problem: Problem?) {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: size)
    while bytes.count < limit {
        let before = stream.position
        do throws(Problem) {
            let count = try read(stream, into: &buffer)
            bytes += buffer[..<count]
            if count < size { return (bytes, nil) }
        } catch {
            bytes += buffer[..<Int(stream.position - before)]
            return (bytes, error)
        }
    }
    return (bytes, nil)
}

func read(_ stream: InflateStream, into buffer: inout [UInt8]) throws(Problem) -> Int {
    let result = buffer.withUnsafeMutableBytes { bytes -> Result<Int, Problem> in
        do throws(Problem) { return .success(try stream.read(into: bytes)) } catch { return .failure(error) }
    }
    return try result.get()
}

extension DepthPicture {
    /// The numbers of a picture of millimetres.
    static func decode(_ bytes: [UInt8]) throws(Problem) -> Gray16Image {
        let depth = try recorded(bytes, as: .uint16(unitsPerMetre: 1000))
        let pixels = depth.bytes.withUnsafeBytes { Array($0.bindMemory(to: UInt16.self)) }
        return Gray16Image(width: depth.width, height: depth.height, pixels: pixels)
    }
}

extension ScanMetadata {
    init(_ text: [UInt8], file: String) throws(Problem) {
        try self.init(try JSONValue.parse(text, file: file), file: file)
    }
}
