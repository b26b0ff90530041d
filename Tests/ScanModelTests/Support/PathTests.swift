import ScanModel
import Testing

@Suite struct PathTests {
    @Test func aNameWithoutItsExtension() {
        let names = ["a/b.zip": "b", "b.tar.gz": "b.tar", "a/.zip": ".zip", "a.b/c": "c", "c.d/": "c"]
        for (path, name) in names { #expect(path.nameWithoutExtension == name, "\(path)") }
    }
}
