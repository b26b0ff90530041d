import ScanModel
import Testing

@Suite struct FrameTests {
    private var full: Frame {
        var frame = Frame(FrameFacts(index: 7))
        frame.picture = .file("color/7.jpg")
        frame.decodedPicture = RGBImage(width: 1, height: 1, pixels: [1, 2, 3])
        frame.luma = LumaImage(width: 1, height: 1, pixels: [1])
        frame.mask = frame.luma
        frame.recordedDepth = RecordedDepth(width: 1, height: 1, encoding: .float32Metres, bytes: [0, 0, 0, 0])
        frame.recordedDepthBefore = frame.recordedDepth
        frame.recordedConfidence = ConfidenceMap(width: 1, height: 1, values: [2], range: 0...2)
        frame.depth = DepthMap(width: 1, height: 1, metres: [1])
        frame.previousDepth = frame.depth
        frame.confidence = frame.recordedConfidence
        frame.points = PointCloud(positions: [1, 2, 3])
        frame.downscaled = [DownscaledPicture(factor: 2, picture: RGBImage(width: 1, height: 1, pixels: [1, 2, 3]))]
        return frame
    }

    private func held(_ frame: Frame) -> Int {
        [
            frame.picture != nil, frame.decodedPicture != nil, frame.mask != nil, frame.luma != nil,
            frame.recordedDepth != nil,
            frame.recordedDepthBefore != nil, frame.recordedConfidence != nil, frame.depth != nil,
            frame.previousDepth != nil, frame.confidence != nil, frame.points != nil,
            !frame.downscaled.isEmpty,
        ].count { $0 }
    }

    @Test func everyPayloadChannelCanBeFreed() {
        var frame = full
        #expect(held(frame) == 12)
        for channel in Channel.payload {
            let before = held(frame)
            frame.release(channel)
            #expect(held(frame) < before, "\(channel)")
        }
        #expect(held(frame) == 0)
        // Facts stay.
        var facts = full
        facts.sharpness = 5
        for channel in [Channel.pose, .intrinsics, .timestamp, .sharpness, .box] { facts.release(channel) }
        #expect(held(facts) == 12 && facts.sharpness == 5)
    }

    @Test func factsAreReadAndChangedThroughTheFrame() {
        var frame = Frame(FrameFacts(index: 3))
        frame.pose = .identity
        #expect(frame.index == 3 && frame.facts.pose == .identity)
        #expect(!frame.facts.isDropped)
    }

    @Test func damageToTheDepthBeforeIsThatFramesOwn() throws {
        var facts = FrameFacts(index: 3)
        facts.timestamp = 5
        var frame = Frame(facts)
        try frame.attachDepth(for: [.previousDepth]) { (_) throws(Problem) in throw Problem(.input, "PNG damaged") }
        #expect(frame.recordedDepthBefore == nil)
        #expect(throws: Problem.self) {
            try frame.attachDepth(for: [.previousDepth]) { (_) throws(Problem) in
                throw Problem(.environment, "cannot read the file: Input/output error")
            }
        }
    }
}
