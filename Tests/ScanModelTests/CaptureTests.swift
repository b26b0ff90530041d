import ScanModel
import Testing

@Suite struct CaptureTests {
    private var capture: Capture {
        var capture = Capture(id: "a")
        capture.frames = (0..<4).map { FrameFacts(index: $0) }
        return capture
    }

    @Test func theFirstReasonToDropAFrameStays() {
        var capture = capture
        capture.drop(2, stage: "read", reason: "first", isBad: true)
        capture.drop(2, stage: "filter-blur", reason: "second")
        #expect(capture.frames[2].drop == Drop(stage: "read", reason: "first", isBad: true))
        #expect(capture.keptFrames.map(\.index) == [0, 1, 3])
    }

    @Test func aCaptureThatWasNotReadHasNoFiles() {
        let problem = #expect(throws: Problem.self) { try capture.source.open("a.json") }
        #expect(problem?.summary == "the capture was not read yet")
        #expect(problem?.place.file == "a.json")
        #expect(throws: Problem.self) { try capture.source.bytes(of: "a.json", limit: 10) }
        #expect(capture.source.location(of: "a.json") == nil)
    }

    @Test func whatNeedsUpSaysSo() throws {
        let unknown = capture
        let problem = #expect(throws: Problem.self) { try unknown.requiredUp("so nothing stands", fix: "ask") }
        #expect(problem?.summary == "the capture does not say which way is up, so nothing stands")
        #expect(problem?.fix == "say which way is up, such as  --set read.up=z  or ask")
        #expect(problem?.isOfPipeline == true && problem?.isUnsuited == true)
        var held = capture
        for (index, turn) in [0, 2, 4].enumerated() {
            held.frames[index].pose = Pose(rotation: .rotation(aboutY: Double(turn)), position: .zero)
        }
        let likely = #expect(throws: Problem.self) { try held.requiredUp(fix: "ask") }
        #expect(likely?.fix == "say which way is up, probably  --set read.up=y  or ask")
        let short = #expect(throws: Problem.self) { try unknown.requiredUp(fix: "ask") }
        #expect(short?.summary == "the capture does not say which way is up")
        var known = capture
        known.worldUp = Vector3(0, 0, 2)
        #expect(try known.requiredUp(fix: "") == Vector3(0, 0, 1))
    }

    @Test func sizesReadAsPeopleWriteThem() {
        #expect(PixelSize(256, 192).description == "256×192")
    }
}
