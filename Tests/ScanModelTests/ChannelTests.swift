import ScanModel
import Testing

@Suite struct ChannelTests {
    @Test func aChannelIsItsName() {
        #expect(Channel("depth", "another meaning") == .depth)
        #expect(Set([Channel.depth, Channel("depth", "")]).count == 1)
        #expect("\(Channel.recordedDepth)" == "recorded-depth")
        #expect(!Channel.payload.contains(.pose) && Channel.payload.contains(.points))
    }
}
