import Foundation
import ScanFormats
import TestSupport
import Testing

@Suite struct ZlibDataTests {
    @Test(arguments: [0, 1, 5552, 5553, 300_000]) func pythonReadsIt(_ count: Int) throws {
        var dice = SplitMix(seed: UInt64(count))
        let bytes = (0..<count).map { $0 % 7 == 0 ? UInt8.random(in: 0...255, using: &dice) : 255 }
        let folder = try TemporaryFolder()
        let packed = try ZlibData.compress(bytes)
        try folder.write(packed, to: "packed")
        let script = """
            import sys, zlib
            open(sys.argv[1] + '/plain', 'wb').write(zlib.decompress(open(sys.argv[1] + '/packed', 'rb').read()))
            """
        #expect(try runPython(script, [folder.path]).status == 0)
        #expect(try folder.bytes("plain") == bytes)
        if count > 0 { #expect(try Inflate.bytes(packed, limit: count) == bytes) }
    }
}
