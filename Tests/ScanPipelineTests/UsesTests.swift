import ScanModel
import ScanPipeline
import Testing

@Suite struct UsesTests {
    private static let role = Uses.Role(
        needs: [.pose], anyOf: [[.color, .luma]], wants: [.confidence], prefers: [[.cloud, .points]],
        makes: [.sharpness],
        mayMake: [.box], derives: [(.previousDepth, from: .recordedDepth)], changes: [.depth, .confidence])

    @Test func whatARoleReads() {
        #expect(
            Self.role.reads == [.pose, .color, .luma, .confidence, .cloud, .points, .recordedDepth, .depth])
        #expect(Uses.Role().reads.isEmpty)
    }

    @Test func whatAStageReads() {
        let uses = Uses(frame: Self.role, fold: .init(needs: [.motion]), finish: .init(wants: [.timestamp]))
        #expect(uses.reads == Self.role.reads.union([.motion, .timestamp]))
        #expect(uses.roles.count == 3)
    }
}
