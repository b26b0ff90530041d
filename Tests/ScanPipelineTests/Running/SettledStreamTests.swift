import ScanModel
import ScanPipeline
import Synchronization
import TestSupport
import Testing

/// Streams that hold more or fewer frames than the capture's list, or damage.
@Suite struct SettledStreamTests {
    @Test func framesBehindTheListAreCounted() throws {
        let read = Mock.reader(4) { $0.source = MockSource(streams: [.recordedDepth: 6]) }
        let run = try MockRun([read, .decompress, .unproject, .ply])
        let frames = try run.account()
        #expect(frames.source == 6)
        #expect(frames.kept == 4)
        #expect(
            frames.dropped == [
                "4 read only recorded-depth.stream has this frame", "5 read only recorded-depth.stream has this frame",
            ])
    }

    /// A stage that chooses among all frames must know which ones the streams really hold.
    @Test(arguments: [1, 8]) func streamsAreSettledBeforeFramesAreChosen(_ workers: Int) throws {
        let source = MockSource()
        let last = Mock.finish("last", .init(needs: [.frames], drops: true)) { capture, context in
            for frame in capture.keptFrames.dropLast() {
                capture.drop(frame.index, stage: context.label, reason: "not the last")
            }
        }
        let read = Mock.reader(8) { capture in
            var filled = source
            filled.streams = [.recordedDepth: 5]
            capture.source = filled
        }
        let run = try MockRun([read, last, .decompress, .unproject, .ply], workers: workers)
        #expect(try run.text("scan.ply") == "4 4")
        let frames = try run.account()
        #expect(frames.by == ["read": 3, "last": 4])
        #expect(source.log.count("recorded-depth end") == 1)
        #expect(source.log.count("recorded-depth 0 unwanted") == 2)
    }

    /// So must one that gathers frames for good: what it has taken stands in the result.
    @Test(arguments: [1, 8]) func streamsAreSettledBeforeFramesAreGathered(_ workers: Int) throws {
        let list = Mock.fold("list", .init(needs: [.frames]), claims: ["list.txt"]).ending {
            (list, _, context) throws(Problem) in
            try context.output.write(Array("\(list)".utf8), to: "list.txt")
        }
        // What only the end of a pass makes keeps the next stages from running in the same one.
        let floor = Mock.finish("floor", .init(needs: [.frames], makes: [.floor])) { capture, _ in
            capture.channels.insert(.floor)
        }
        let stand = Mock.frame("stand", .init(needs: [.floor]))
        let read = Mock.reader(8) { $0.source = MockSource(streams: [.recordedDepth: 5]) }
        let run = try MockRun([read, list, floor, stand, .decompress, .unproject, .ply], workers: workers)
        #expect(try run.text("list.txt") == "[0, 1, 2, 3, 4]")
        #expect(try run.text("scan.ply") == "0 0 1 1 2 2 3 3 4 4")
        #expect(try run.account().by == ["read": 3])
    }

    /// A frame that a stream turns out to hold no data of, or damaged data.
    private struct Damaged: CaptureSource {
        var isBad: Bool

        final class Track: FrameTrack {
            let name = "depth.bin"
            let isBad: Bool
            init(isBad: Bool) { self.isBad = isBad }
            func advance(_ frame: inout Frame, isWanted: Bool) {
                guard isWanted else { return }
                if frame.index == 2 {
                    frame.facts.drop = Drop(stage: "read", reason: "the frame's depth is damaged", isBad: isBad)
                } else {
                    frame.recordedDepth = RecordedDepth(
                        width: 1, height: 1, encoding: .uint16(unitsPerMetre: 1), bytes: [1, 0])
                }
            }
            func finish() -> TrackEnd { TrackEnd() }
        }

        func tracks(for channels: Set<Channel>, of capture: Capture) -> [any FrameTrack] {
            channels.contains(.recordedDepth) ? [Track(isBad: isBad)] : []
        }
        func prepare(_ frame: inout Frame, for channels: Set<Channel>) {}
        func location(of file: String) -> FileLocation? { nil }
        func open(_ file: String) -> any ByteSource { MemorySource(name: file, []) }
    }

    @Test(arguments: [1, 8]) func damageInAStreamFollowsTheRuleOfBadFrames(_ workers: Int) throws {
        func run(_ mocks: [Mock], _ change: @escaping @Sendable (inout Capture) -> Void = { _ in }) throws -> MockRun {
            let read = Mock.reader(5) { capture in
                capture.source = Damaged(isBad: true)
                capture.badFrameLimit = 1
                change(&capture)
            }
            return try MockRun([read] + mocks, workers: workers)
        }
        let usual: [Mock] = [.decompress, .unproject, .ply]
        #expect(try run(usual).account().dropped == ["2 read the frame's depth is damaged"])
        let failure = try #require(problem { _ = try run(usual) { $0.onBadFrame = .fail } })
        #expect(failure.summary == "the frame's depth is damaged")
        #expect(failure.place.frame == 2)

        // Files written for the frame in an earlier pass are taken back.
        let files = Mock.frame("files", .init(), claims: ["files/"]) { (frame, context) throws(Problem) in
            try context.output.write([1], to: "files/\(frame.index)")
            frame.files.append("files/\(frame.index)")
        }
        let floor = Mock.finish("floor", .init(needs: [.frames], makes: [.floor])) { capture, _ in
            capture.channels.insert(.floor)
        }
        let stand = Mock.frame("stand", .init(needs: [.floor]))
        let between = [floor, stand] + usual
        #expect(
            try run([files] + between).receipt.files.map(\.path) == [
                "files/0", "files/1", "files/3", "files/4", "scan.ply",
            ])
        // What was gathered is gathered again, without it.
        let list = Mock.writer("list", to: "list.txt", reading: [.frames])
        let again = try run([list] + between)
        #expect(try again.account().dropped == ["2 read the frame's depth is damaged"])
        #expect(try again.text("list.txt") == "0 -1 1 -1 3 -1 4 -1")
    }

    /// Where the choice comes behind the pass that opens the streams, nothing has to be walked beforehand.
    @Test func streamsThatAreOpenedAnywayAreNotWalkedBeforehand() throws {
        let source = MockSource()
        let paint = Mock.frame("paint", .init(needs: [.cloud]))
        let read = Mock.reader(4) { capture in
            var filled = source
            filled.streams = [.recordedDepth: 4]
            capture.source = filled
        }
        _ = try MockRun([read, .decompress, .unproject, .sum, paint, .every(2), .unproject, .ply])
        #expect(
            source.log.all.filter { $0.hasPrefix("tracks") } == [
                "tracks recorded-depth", "tracks ", "tracks recorded-depth",
            ])
        #expect(source.log.count("recorded-depth 0 unwanted") == 0)
    }

    /// What is walked beforehand is a part of the whole: a bar of progress does not go back.
    @Test func theWalkBeforehandIsCounted() throws {
        let told = Mutex<[Double]>([])
        _ = try MockRun([.reader(4), .every(2), .decompress, .unproject, .ply]) { progress in
            told.withLock { $0.append(progress.share) }
        }
        let shares = told.withLock { $0 }
        #expect(shares.first == 0.125 && shares.last == 1)
        #expect(shares == shares.sorted())
    }

    @Test func warningsOfStreamsAreKeptOnce() throws {
        struct Warning: CaptureSource {
            final class Track: FrameTrack {
                var name: String { "depth" }
                func advance(_ frame: inout Frame, isWanted: Bool) {
                    frame.recordedDepth = RecordedDepth(
                        width: 1, height: 1, encoding: .uint16(unitsPerMetre: 1), bytes: [1, 0])
                }
                func finish() -> TrackEnd { TrackEnd(warnings: ["3 bytes behind the end", "3 bytes behind the end"]) }
            }
            func tracks(for channels: Set<Channel>, of capture: Capture) -> [any FrameTrack] {
                channels.isEmpty ? [] : [Track()]
            }
            func prepare(_ frame: inout Frame, for channels: Set<Channel>) {}
            func location(of file: String) -> FileLocation? { nil }
            func open(_ file: String) -> any ByteSource { MemorySource(name: file, []) }
        }
        let read = Mock.reader(4) { $0.source = Warning() }
        #expect(try MockRun([read, .decompress, .unproject, .ply]).receipt.warnings == ["3 bytes behind the end"])
    }
}
