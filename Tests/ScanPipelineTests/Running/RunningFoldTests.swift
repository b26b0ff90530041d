import ScanModel
import ScanPipeline
import Synchronization
import Testing

@Suite struct RunningFoldTests {
    /// What a fold gathers has one owner while it is changed, so that it never is copied.
    @Test(arguments: [1, 8]) func whatIsGatheredIsNotCopied(_ workers: Int) throws {
        let copies = Mutex(0)
        let fold = Mock.fold("fold") { frame, list, _ in
            if list.isEmpty { list = Array(repeating: 0, count: 100_000) }
            let before = list.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
            list[frame.index] = frame.index
            let after = list.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
            if before != after { copies.withLock { $0 += 1 } }
        }
        _ = try MockRun([.reader { Capture.mock(200) }, fold], workers: workers)
        #expect(copies.withLock { $0 } == 0)
    }

    @Test func droppedFramesAreNotFolded() throws {
        let drop = Mock.frame("drop", .init(drops: true)) { frame, context in
            if frame.index % 2 == 1 { frame.drop = Drop(stage: context.label, reason: "odd") }
        }
        let fold = Mock.fold("fold").ending { list, _, context in context.record("frames", .of(list)) }
        let run = try MockRun([.reader { Capture.mock(7) }, drop, fold], workers: 8)
        #expect(run.counts("fold") == ["frames": .of([0, 2, 4, 6])])
    }

    @Test func endsComeInTheOrderOfTheList() throws {
        let log = Log()
        func step(_ name: String) -> Mock {
            Mock.fold(name).ending { list, _, _ in log.add("end \(name) \(list.count)") }.finishing { _, _ in
                log.add("finish \(name)")
            }
        }
        _ = try MockRun([.reader { Capture.mock(3) }, step("a"), step("b")])
        #expect(log.all == ["end a 3", "finish a", "end b 3", "finish b"])
    }
}
