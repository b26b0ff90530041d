import ScanPipeline
import Testing

@Suite struct OpenFilesTests {
    @Test func capturesBelowALimit() {
        #expect(OpenFiles.captures(below: 1024) == 96)
        #expect(OpenFiles.captures(below: 94) == 3)
        #expect(OpenFiles.captures(below: 64) == 1)
        #expect(OpenFiles.captures(below: 0) == 1)
        #expect(OpenFiles.captures(below: .max) > 1 << 40)
    }

    @Test func limitsThatAreTooLow() {
        #expect(OpenFiles.lack(below: 63)?.fault == .environment)
        #expect(OpenFiles.lack(below: 63)?.summary == "only 63 files may be open at once, and a run needs 64")
        #expect(OpenFiles.lack(below: 64) == nil)
    }
}
