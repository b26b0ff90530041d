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
}
