import ScanStages
import Testing

@Suite struct ProcessedStepsTests {
    /// The steps that are called done.
    private static func done(_ files: Set<String>) -> [String] {
        let lines = ProcessedSteps(id: "a", frameCount: 2, files: files).text.split(separator: "\n")
        #expect(lines.count == 8)
        return lines.filter { $0.hasSuffix("=true") }.map { String($0.dropLast(5)) }
    }

    @Test func stepsAreDoneWhenAllTheirFilesAreThere() {
        let depth: Set = ["outputs/depth/0.png", "outputs/depth/1.png"]
        let pictures: Set = ["a_thumb.jpg", "a_preview.mp4"]
        #expect(Self.done([]) == [])
        #expect(Self.done(depth) == [])
        #expect(Self.done(depth.union(["outputs/color/0.jpg"])) == ["convert"])
        #expect(Self.done(["outputs/depth/0.png", "outputs/depth/2.png", "outputs/color/0.jpg"]) == [])
        #expect(Self.done(depth.union(["outputs/depth/2.png", "outputs/color/0.jpg"])) == [])
        #expect(Self.done(["a_thumb.jpg"]) == [])
        #expect(Self.done(pictures) == ["thumbnail"])
        #expect(Self.done(["b_thumb.jpg", "b_preview.mp4"]) == [])
    }
}
