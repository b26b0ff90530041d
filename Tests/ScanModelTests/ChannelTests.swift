import ScanModel
import Testing

@Suite struct ChannelTests {
    @Test func aChannelIsItsName() {
        #expect(Channel("depth") == .depth && Channel("depths") != .depth)
        #expect("\(Channel.recordedDepth)" == "recorded-depth")
        #expect(!Channel.payload.contains(.pose) && Channel.payload.contains(.points))
    }
}
