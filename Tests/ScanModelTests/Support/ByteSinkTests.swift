import ScanModel
import TestSupport
import Testing

@Suite struct ByteSinkTests {
    private final class Full: ByteSink {
        func write(_ bytes: UnsafeRawBufferPointer) throws(Problem) { throw Problem(.environment, "no space is left") }
    }

    @Test func bytesAndTextComeInOrder() throws {
        let sink = MemorySink()
        try (sink as any ByteSink).write([1, 2])
        try (sink as any ByteSink).write("aé")
        #expect(sink.bytes == [1, 2, 0x61, 0xC3, 0xA9])
    }

    @Test func aFailureComesThrough() {
        let problem = #expect(throws: Problem.self) { try Full().write([1, 2]) }
        #expect(problem?.summary == "no space is left")
        #expect(throws: Problem.self) { try Full().write("text") }
    }
}
