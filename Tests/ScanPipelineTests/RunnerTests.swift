import Foundation
import ScanModel
import ScanPipeline
import Synchronization
import TestSupport
import Testing

@Suite struct RunnerTests {
    /// A frame stage that finds some frames bad.
    private static func bad(_ frames: Set<Int>, _ name: String = "picky", fault: Problem.Fault = .input) -> Mock {
        .frame(name) { (frame, _) throws(Problem) in
            if frames.contains(frame.index) {
                throw Problem(fault, "the pose is no rotation").at(file: "scan.jsonl", line: frame.index + 1)
            }
        }
    }

    private static func reader(_ count: Int, _ change: @escaping @Sendable (inout Capture) -> Void = { _ in }) -> Mock {
        .reader { () -> Capture in
            var capture = Capture.mock(count)
            change(&capture)
            return capture
        }
    }

    private static let ply = Mock.writer("write-ply", to: "scan.ply")

    // MARK: - One pass

    @Test(arguments: [1, 2, 8]) func aUsualRun(_ workers: Int) throws {
        let run = try MockRun([Self.reader(5), .decompress, .mask, .unproject, Self.ply], workers: workers)
        #expect(try run.text("scan.ply") == "0 1000 1 1001 2 1002 3 1003 4 1004")
        #expect(run.counts("decompress") == ["frames": .of(5)])
        #expect(run.counts("mask") == ["masked": .of(5)])
        #expect(run.receipt.files.map(\.path) == ["scan.ply"])
        #expect(run.receipt.capture.id == "scan")
        #expect(run.receipt.capture.format == "mock")
    }

    @Test func theOutcomeDoesNotDependOnTheWorkers() throws {
        let folder = try TemporaryFolder()
        for number in 0..<4 { try folder.write("file \(number)", to: "lists/\(number).txt") }
        func run(_ workers: Int) throws -> (json: String, ply: String) {
            let lists = (0..<4).map { "\(folder.path)/lists/\($0).txt" }
            var chatty = Mock.frame("chatty", .init(changes: [.points])) { (frame, context) throws(Problem) in
                var random = SplitMix(seed: UInt64(frame.index) &* UInt64(workers))
                if random.next() % 3 == 0 { usleep(UInt32(random.next() % 500)) }
                context.count("of kind \(frame.index % 4)", frame.index)
                context.warn("frames of kind \((frame.index * 7) % 5) are odd")
                _ = try context.file(lists[(frame.index * 3) % 4])
            }.finishing { _, context in
                context.record("z", .of(1))
                context.record("a", .of(2))
                context.record("z", .of(3))
            }
            chatty.uses.files = lists
            let sharp = Mock.frame("sharp", .init(drops: true)) { frame, context in
                if frame.index % 7 == 3 { frame.drop = Drop(stage: context.label, reason: "blurred") }
            }
            let source = Self.reader(120) { capture in
                capture.files = [InputFile(path: "scan.jsonl", byteCount: 3)]
                var source = MockSource()
                source.files = ["scan.jsonl": [1, 2, 3]]
                source.streams = [.recordedDepth: 123, .recordedConfidence: 118]
                capture.source = source
                capture.warnings = ["the clock jumped"]
            }
            let run = try MockRun(
                [
                    source, sharp, Self.bad([30, 77]), .decompress, .mask, .unproject, chatty, .sum, .every(2),
                    .unproject, Self.ply,
                ],
                workers: workers)
            return (run.json, try run.text("scan.ply"))
        }
        let serial = try run(1)
        #expect(serial.json.contains("frames of kind 4 are odd"))
        #expect(serial.json.contains("lists/3.txt"))
        for workers in [2, 8, 8, 8] {
            let parallel = try run(workers)
            #expect(parallel.json == serial.json)
            #expect(parallel.ply == serial.ply)
        }
    }

    @Test func theReceiptNamesNoMachine() throws {
        let run = try MockRun([Self.reader(3), .decompress, .unproject, Self.ply])
        for word in [run.folder.path, "/somewhere", ".scanmill"] { #expect(!run.json.contains(word), "\(word)") }
    }

    @Test func progressIsTold() throws {
        let told = Mutex<[RunProgress]>([])
        _ = try MockRun([Self.reader(3), .decompress, .unproject, .sum, .every(2), .unproject, Self.ply]) { progress in
            told.withLock { $0.append(progress) }
        }
        let all = told.withLock { $0 }
        #expect(
            all.map(\.stage) == Array(repeating: "decompress", count: 3) + Array(repeating: "unproject[2]", count: 3))
        #expect(all.map(\.frame) == [1, 2, 3, 1, 2, 3])
        #expect(all.map(\.frameCount) == [3, 3, 3, 3, 3, 3])
        #expect(all.map(\.pass) == [2, 2, 2, 3, 3, 3])
    }

    // MARK: - Dropped frames

    /// What the receipt says of the frames.
    private static func frames(_ run: MockRun) throws -> (source: Int, kept: Int, by: [String: Int], dropped: [String])
    {
        let json = try #require(try JSONSerialization.jsonObject(with: Data(run.receipt.bytes)) as? [String: Any])
        let frames = try #require(json["frames"] as? [String: Any])
        let dropped = try #require(frames["dropped"] as? [[String: Any]])
        return (
            try #require(frames["source"] as? Int), try #require(frames["kept"] as? Int),
            try #require(frames["dropped-by"] as? [String: Int]),
            dropped.map { "\($0["frame"] ?? "") \($0["stage"] ?? "") \($0["reason"] ?? "")" }
        )
    }

    @Test(arguments: [1, 8]) func theAccountAddsUp(_ workers: Int) throws {
        let sharp = Mock.frame("sharp", .init(drops: true)) { frame, context in
            if frame.index % 4 == 3 { frame.drop = Drop(stage: context.label, reason: "blurred") }
        }
        let read = Self.reader(12) { $0.drop(5, stage: "read", reason: "no pose", isBad: false) }
        let run = try MockRun([read, sharp, .every(2), .decompress, .unproject, Self.ply], workers: workers)
        let frames = try Self.frames(run)
        #expect(frames.source == 12)
        #expect(frames.kept == 6)
        #expect(frames.by == ["read": 1, "sharp": 3, "every": 2])
        #expect(frames.kept + frames.by.values.reduce(0, +) == frames.source)
        #expect(
            frames.dropped == [
                "1 every not one of every 2", "3 sharp blurred", "5 read no pose", "7 sharp blurred",
                "9 every not one of every 2",
                "11 sharp blurred",
            ])
        #expect(try run.text("scan.ply") == "0 0 2 2 4 4 6 6 8 8 10 10")
        #expect(run.counts("decompress") == ["frames": .of(6)])
    }

    @Test(arguments: [1, 8]) func badFramesAreDroppedByName(_ workers: Int) throws {
        let run = try MockRun(
            [Self.reader(40), Self.bad([3, 17]), .decompress, .unproject, Self.ply], workers: workers)
        let frames = try Self.frames(run)
        #expect(frames.by == ["picky": 2])
        #expect(
            frames.dropped == [
                "3 picky the pose is no rotation (scan.jsonl:4)", "17 picky the pose is no rotation (scan.jsonl:18)",
            ])
        #expect(try !run.text("scan.ply").contains(" 17 "))
    }

    @Test(arguments: [1, 8]) func tooManyBadFramesFailTheCapture(_ workers: Int) throws {
        // Exactly 5 % is allowed.
        _ = try MockRun([Self.reader(40), Self.bad([1, 2]), .decompress, .unproject, Self.ply], workers: workers)
        let failure = try #require(
            problem {
                _ = try MockRun(
                    [Self.reader(40), Self.bad([9, 1, 2, 30]), .decompress, .unproject, Self.ply], workers: workers)
            })
        #expect(
            failure.message() == """
                error: 4 of 40 frames are bad (10 %)
                   = the limit is 5 %
                   = frame 1: the pose is no rotation (scan.jsonl:2)
                   = frame 2: the pose is no rotation (scan.jsonl:3)
                   = frame 9: the pose is no rotation (scan.jsonl:10)
                   = fix: copy or record the capture again, or allow more with  --set read.bad-frame-limit=0.1
                """)
        #expect(failure.fault == .input)
    }

    @Test func badFramesOfTheReaderCount() throws {
        let read = Self.reader(20) { capture in
            for index in 0..<2 { capture.drop(index, stage: "read", reason: "no pose", isBad: true) }
        }
        let failure = try #require(problem { _ = try MockRun([read, .decompress, .unproject, Self.ply]) })
        #expect(failure.summary == "2 of 20 frames are bad (10 %)")
    }

    @Test func theLimitThatIsProposedIsEnough() throws {
        let failure = try #require(
            problem { _ = try MockRun([Self.reader(30), Self.bad([1, 2, 3, 4]), .decompress, .unproject, Self.ply]) })
        let limit = try #require(failure.fix?.split(separator: "=").last.flatMap { Double($0) })
        #expect(limit == 0.14)
        _ = try MockRun([
            Self.reader(30) { $0.badFrameLimit = limit }, Self.bad([1, 2, 3, 4]), .decompress, .unproject, Self.ply,
        ])
        // With all of them bad no limit is.
        let all = try #require(
            problem { _ = try MockRun([Self.reader(30), Self.bad(Set(0..<30)), .decompress, .unproject, Self.ply]) })
        #expect(all.fix?.contains("bad-frame-limit") == false)
    }

    @Test(arguments: [1, 8]) func badFramesCanFailTheCapture(_ workers: Int) throws {
        let read = Self.reader(40) { $0.onBadFrame = .fail }
        let failure = try #require(
            problem {
                _ = try MockRun([read, Self.bad([30, 7, 31]), .decompress, .unproject, Self.ply], workers: workers)
            })
        #expect(
            failure.message() == "error: the pose is no rotation\n  --> scan.jsonl:8, frame 7, stage picky")
    }

    @Test(arguments: [Problem.Fault.environment, .tool, .usage]) func otherFaultsFailTheCapture(_ fault: Problem.Fault)
        throws
    {
        let failure = try #require(
            problem {
                _ = try MockRun(
                    [Self.reader(40), Self.bad([7], fault: fault), .decompress, .unproject, Self.ply], workers: 8)
            })
        #expect(failure.fault == fault)
        #expect(failure.place.frame == 7)
        #expect(failure.place.stage == "picky")
    }

    @Test(arguments: [1, 8]) func aBadFrameThatAFoldHasTakenFailsTheCapture(_ workers: Int) throws {
        let failure = try #require(
            problem {
                _ = try MockRun([Self.reader(40), .decompress, .unproject, .sum, Self.bad([7])], workers: workers)
            })
        #expect(failure.place.frame == 7)
        #expect(failure.notes == ["an earlier stage has already taken this frame, so it cannot be dropped any more"])
    }

    /// Also when the fold took it in an earlier pass.
    @Test(arguments: [1, 8]) func aBadFrameThatAFoldHasTakenBeforeFailsTheCapture(_ workers: Int) throws {
        let failure = try #require(
            problem {
                _ = try MockRun(
                    [Self.reader(40), .decompress, .unproject, .sum, .every(2), Self.bad([8])], workers: workers)
            })
        #expect(failure.place.frame == 8)
        #expect(failure.notes == ["an earlier stage has already taken this frame, so it cannot be dropped any more"])
        // The frames that were not kept are not looked at.
        _ = try MockRun([Self.reader(40), .decompress, .unproject, .sum, .every(2), Self.bad([7])], workers: workers)
    }

    /// A fold that only shows frames to people does not bind them.
    @Test(arguments: [1, 8]) func aBadFrameThatAFoldHasOnlyShownIsDropped(_ workers: Int) throws {
        var shown = Mock.sum
        shown.bindsFrames = false
        let run = try MockRun(
            [Self.reader(40), .decompress, .unproject, shown, Self.bad([7])], workers: workers)
        #expect(run.receipt.capture.frames.filter(\.isDropped).map(\.index) == [7])
    }

    @Test func aProblemInAFoldFailsTheCapture() throws {
        let fold = Mock.fold("fold") { (frame, _, _) throws(Problem) in
            if frame.index >= 2 { throw Problem(.input, "too large") }
        }
        let failure = try #require(problem { _ = try MockRun([Self.reader(40), fold], workers: 8) })
        #expect(failure.message() == "error: too large\n  --> frame 2, stage fold")
    }

    @Test(arguments: [1, 8]) func filesOfABadFrameAreTakenBack(_ workers: Int) throws {
        let pictures = Mock.frame("write-pictures", .init(needs: [.depth]), claims: ["pictures/"]) {
            (frame, context) throws(Problem) in
            let path = "pictures/\(frame.index).txt"
            try context.output.write([UInt8(frame.index)], to: path)
            frame.files.append(path)
        }
        let later = Mock.frame("write-later", .init(needs: [.depth]), claims: ["later/"])
        // In the same pass, and in a later one.
        for between in [[], [Mock.every(1), later]] {
            let run = try MockRun(
                [Self.reader(40), .decompress, pictures] + between + [Self.bad([4, 9])], workers: workers)
            #expect(run.receipt.files.count == 38)
            #expect(!run.receipt.files.contains { $0.path == "pictures/9.txt" })
            #expect(throws: (any Error).self) { try run.text("pictures/9.txt") }
            #expect(try run.text("pictures/10.txt") == "\n")
        }
    }

    @Test func noFramesAtAll() throws {
        #expect(
            problem { _ = try MockRun([Self.reader(0), .decompress, .unproject, Self.ply]) }?.summary
                == "the capture holds no frames")
    }

    @Test func noFramesLeft() throws {
        let drop = Mock.frame("drop", .init(drops: true)) { frame, context in
            frame.drop = Drop(stage: context.label, reason: frame.index < 4 ? "too dark" : "too bright")
        }
        let read = Self.reader(10) { $0.drop(0, stage: "read", reason: "no pose") }
        let failure = try #require(problem { _ = try MockRun([read, drop, .decompress, .unproject, Self.ply]) })
        #expect(
            failure.message() == """
                error: no frame is left of 10
                   = 6 × drop: too bright
                   = 3 × drop: too dark
                   = 1 × read: no pose
                   = fix: loosen the stage that dropped them
                """)
        let bad = Self.reader(2) { capture in
            for index in 0..<2 { capture.drop(index, stage: "read", reason: "no pose") }
        }
        let unread = problem { _ = try MockRun([bad, .decompress, .unproject, Self.ply]) }
        #expect(unread?.fix?.hasPrefix("see what is wrong with it with  scanmill inspect ") == true)
    }

    @Test func whatACaptureLacksIsSaidBeforeItsFirstFrame() throws {
        let source = MockSource()
        let read = Self.reader(3) { capture in
            capture.channels = []
            capture.source = source
        }
        let failure = try #require(problem { _ = try MockRun([read, .decompress, .unproject, Self.ply]) })
        #expect(failure.summary == "decompress needs recorded-depth, and this capture has none")
        #expect(source.log.all.isEmpty)
    }

    // MARK: - Several passes

    @Test(arguments: [1, 8]) func aLaterPassSeesMaskedDepthAndCountsNothingTwice(_ workers: Int) throws {
        let depths = Mock.writer("write-depth", to: "depth.txt", reading: [.depth])
        let run = try MockRun(
            [Self.reader(6), .decompress, .mask, .unproject, .sum, .every(2), depths], workers: workers)
        #expect(try run.text("depth.txt") == "0 1000 2 1002 4 1004")
        #expect(run.counts("decompress") == ["frames": .of(6)])
        #expect(run.counts("mask") == ["masked": .of(6)])
        #expect(run.counts("unproject") == ["points": .of(6)])
        #expect(run.counts("sum")?["depths"] == .of([1000, 1001, 1002, 1003, 1004, 1005]))
    }

    @Test func aReplayDoesNotWarnAgain() throws {
        let warns = Mock.frame("warns", .init(changes: [.depth])) { frame, context in context.warn("odd depth") }
        let depths = Mock.writer("write-depth", to: "depth.txt", reading: [.depth])
        let run = try MockRun([Self.reader(6), .decompress, warns, .every(2), depths])
        #expect(run.receipt.warnings == ["warns: odd depth"])
    }

    @Test func aLaterPassStopsBehindTheLastKeptFrame() throws {
        let source = MockSource()
        let head = Mock.finish("head", .init(needs: [.frames], drops: true)) { capture, context in
            for frame in capture.keptFrames.dropFirst(3) {
                capture.drop(frame.index, stage: context.label, reason: "behind")
            }
        }
        let read = Self.reader(50) { capture in
            var filled = source
            filled.streams = [.recordedDepth: 50]
            capture.source = filled
        }
        _ = try MockRun([read, .decompress, .unproject, .sum, head, .unproject, Self.ply])
        #expect(source.log.count("recorded-depth 49") == 1)
        #expect(source.log.count("recorded-depth 3") == 1)
        #expect(source.log.count("recorded-depth 2") == 2)
        #expect(source.log.count("recorded-depth end") == 1)
    }

    /// Dropped frames are walked over, since a stream has no index.
    @Test func streamsAdvanceOverDroppedFrames() throws {
        let source = MockSource()
        let read = Self.reader(5) { capture in
            var filled = source
            filled.streams = [.recordedDepth: 5]
            capture.source = filled
            capture.drop(1, stage: "read", reason: "no pose")
        }
        let run = try MockRun([read, .decompress, .unproject, Self.ply])
        #expect(
            source.log.all == [
                "tracks recorded-depth", "recorded-depth 0", "recorded-depth 1 unwanted", "recorded-depth 2",
                "recorded-depth 3",
                "recorded-depth 4", "recorded-depth end",
            ])
        #expect(try run.text("scan.ply") == "0 0 2 2 3 3 4 4")
    }

    @Test func theFrameBeforeIsTheSourcesOwn() throws {
        let jumps = Mock.frame("jumps", .init(wants: [.previousDepth], changes: [.depth])) { frame, context in
            context.warn("\(frame.index) after \(frame.previousDepth.map { "\(Int($0.metres[0]))" } ?? "nothing")")
        }
        let read = Self.reader(4) { $0.drop(1, stage: "read", reason: "no pose") }
        let run = try MockRun([read, .decompress, .mask, jumps, .unproject, Self.ply], workers: 8)
        #expect(run.receipt.warnings == ["jumps: 0 after nothing", "jumps: 2 after 1", "jumps: 3 after 2"])
    }

    // MARK: - Streams that do not fit

    @Test func framesBehindTheListAreCounted() throws {
        let read = Self.reader(4) { $0.source = MockSource(streams: [.recordedDepth: 6]) }
        let run = try MockRun([read, .decompress, .unproject, Self.ply])
        let frames = try Self.frames(run)
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
        let read = Self.reader(8) { capture in
            var filled = source
            filled.streams = [.recordedDepth: 5]
            capture.source = filled
        }
        let run = try MockRun([read, last, .decompress, .unproject, Self.ply], workers: workers)
        #expect(try run.text("scan.ply") == "4 4")
        let frames = try Self.frames(run)
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
        let read = Self.reader(8) { $0.source = MockSource(streams: [.recordedDepth: 5]) }
        let run = try MockRun([read, list, floor, stand, .decompress, .unproject, Self.ply], workers: workers)
        #expect(try run.text("list.txt") == "[0, 1, 2, 3, 4]")
        #expect(try run.text("scan.ply") == "0 0 1 1 2 2 3 3 4 4")
        #expect(try Self.frames(run).by == ["read": 3])
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
        func bytes(of file: String, limit: Int) -> [UInt8] { [] }
        func location(of file: String) -> FileLocation? { nil }
        func open(_ file: String) -> any ByteSource { MemorySource(name: file, []) }
    }

    @Test(arguments: [1, 8]) func damageInAStreamFollowsTheRuleOfBadFrames(_ workers: Int) throws {
        func run(_ mocks: [Mock], _ change: @escaping @Sendable (inout Capture) -> Void = { _ in }) throws -> MockRun {
            let read = Self.reader(5) { capture in
                capture.source = Damaged(isBad: true)
                capture.badFrameLimit = 1
                change(&capture)
            }
            return try MockRun([read] + mocks, workers: workers)
        }
        let usual: [Mock] = [.decompress, .unproject, Self.ply]
        #expect(try Self.frames(try run(usual)).dropped == ["2 read the frame's depth is damaged"])
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
        // What was gathered stays, so the capture fails.
        let list = Mock.fold("list", .init(needs: [.frames]), claims: ["list.txt"])
        let taken = try #require(problem { _ = try run([list] + between) })
        #expect(taken.notes == ["an earlier stage has already taken this frame, so it cannot be dropped any more"])
    }

    @Test func whatARunMayTakeIsTheCaptures() throws {
        let seen = Mutex([RunResources]())
        let looks = Mock.frame("looks") { frame, context in seen.withLock { $0.append(context.capture.resources) } }
        let folder = try TemporaryFolder()
        let output = try OutputFolder(root: folder.path + "/out", id: "scan")
        var runner = Runner(pipeline: try Pipeline.of([Self.reader(1), looks]), workers: 3, tool: "scanmill 0")
        runner.patience = 7
        _ = try runner.run(CaptureInput(id: "scan", path: "/somewhere/scan"), into: output)
        #expect(seen.withLock(\.self) == [RunResources(threads: 3, patience: 7)])
    }

    /// Where the choice comes behind the pass that opens the streams, nothing has to be walked beforehand.
    @Test func streamsThatAreOpenedAnywayAreNotWalkedBeforehand() throws {
        let source = MockSource()
        let paint = Mock.frame("paint", .init(needs: [.cloud]))
        let read = Self.reader(4) { capture in
            var filled = source
            filled.streams = [.recordedDepth: 4]
            capture.source = filled
        }
        _ = try MockRun([read, .decompress, .unproject, .sum, paint, .every(2), .unproject, Self.ply])
        #expect(
            source.log.all.filter { $0.hasPrefix("tracks") } == [
                "tracks recorded-depth", "tracks ", "tracks recorded-depth",
            ])
        #expect(source.log.count("recorded-depth 0 unwanted") == 0)
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
            func bytes(of file: String, limit: Int) -> [UInt8] { [] }
            func location(of file: String) -> FileLocation? { nil }
            func open(_ file: String) -> any ByteSource { MemorySource(name: file, []) }
        }
        let read = Self.reader(4) { $0.source = Warning() }
        #expect(try MockRun([read, .decompress, .unproject, Self.ply]).receipt.warnings == ["3 bytes behind the end"])
    }

    // MARK: - What stages are told

    @Test(arguments: [1, 8]) func onceIsOnce(_ workers: Int) throws {
        let calls = Mutex(0)
        let stage = Mock.frame("stage", .init(changes: [.depth])) { (frame, context) throws(Problem) in
            let value = try context.once { () throws(Problem) -> Int in
                usleep(1000)
                return calls.withLock { calls in
                    calls += 1
                    return 40 + calls
                }
            }
            if value != 41 { throw Problem(.tool, "made \(value)") }
        }
        _ = try MockRun([Self.reader(40), .decompress, stage, .unproject, Self.ply], workers: workers)
        #expect(calls.withLock { $0 } == 1)
    }

    @Test func onceFailsForAll() throws {
        let stage = Mock.frame("stage") { (frame, context) throws(Problem) in
            _ = try context.once { () throws(Problem) -> Int in throw Problem(.usage, "no such box") }
        }
        let failure = try #require(problem { _ = try MockRun([Self.reader(40), stage], workers: 8) })
        #expect(failure.summary == "no such box")
        #expect(failure.place.frame == 0)
    }

    /// A channel is gone behind the last step that looks at it, and there until then.
    @Test(arguments: [1, 8]) func memoryIsFreedBehindTheLastUse(_ workers: Int) throws {
        let seen = Mutex<Set<String>>([])
        func look(_ name: String, _ role: Uses.Role = .init()) -> Mock {
            .frame(name, role) { frame, _ in
                let there = [
                    ("recorded", frame.recordedDepth != nil), ("confidence", frame.confidence != nil),
                    ("depth", frame.depth != nil),
                    ("points", frame.points != nil), ("picture", frame.picture != nil),
                ].filter(\.1).map(\.0)
                seen.withLock { _ = $0.insert("\(name): \(there.joined(separator: " "))") }
            }
        }
        let read = Self.reader(30) { capture in
            capture.channels.insert(.color)
            capture.source = MockSource(
                streams: [.recordedDepth: 30, .recordedConfidence: 30],
                prepare: { frame, channels in
                    if channels.contains(.color) { frame.picture = .file("a.jpg") }
                })
        }
        _ = try MockRun(
            [
                read, look("a"), .decompress, look("b"), look("c", .init(needs: [.confidence])), look("d"), .unproject,
                look("e"),
                look("f", .init(needs: [.color])), look("g"), .sum, look("h"),
            ], workers: workers)
        #expect(
            seen.withLock { $0.sorted() } == [
                "a: recorded picture", "b: confidence depth picture", "c: confidence depth picture", "d: depth picture",
                "e: points picture", "f: points picture", "g: points", "h: ",
            ])
    }

    @Test func contextsSayWhatIsThereAndWhatIsWanted() throws {
        let seen = Mutex<[String: [Set<Channel>]]>([:])
        func note(_ mock: Mock) -> Mock {
            var copy = mock
            let process = mock.process
            copy.process = { (frame, context) throws(Problem) in
                seen.withLock { $0[context.label] = [context.available, context.wanted, context.reads] }
                try process?(&frame, context)
            }
            return copy
        }
        _ = try MockRun([Self.reader(3), note(.decompress), note(.unproject), Self.ply])
        let all = seen.withLock { $0 }
        #expect(
            all["decompress"] == [
                [.frames, .recordedDepth, .recordedConfidence], [.depth, .points],
                [.recordedDepth, .recordedConfidence],
            ])
        #expect(
            all["unproject"]?[0] == [.frames, .recordedDepth, .recordedConfidence, .depth, .confidence, .previousDepth])
        #expect(all["unproject"]?[1] == [.points])
    }

    @Test func aFinishSeesWhatAFoldAboveItMade() throws {
        let count = Mock.finish("count", .init(needs: [.cloud])) { capture, context in
            context.record("points", .of(capture.cloud?.count ?? -1))
            context.record("cloud", .bool(context.available.contains(.cloud)))
        }
        let run = try MockRun([Self.reader(3), .decompress, .unproject, .sum, count])
        #expect(run.counts("count") == ["points": .of(3), "cloud": .bool(true)])
    }

    @Test func theEndOfAFoldSeesWhatOneAboveItMade() throws {
        let writer = Mock.fold("writer", .init(anyOf: [[.cloud, .points]])).ending { _, capture, context in
            context.record("points", .of(capture.cloud?.count ?? -1))
        }
        let source = MockSource()
        let read = Self.reader(3) { capture in
            var filled = source
            filled.streams = [.recordedDepth: 3]
            capture.source = filled
        }
        let run = try MockRun([read, .decompress, .unproject, .sum, writer])
        #expect(run.counts("writer") == ["points": .of(3)])
        #expect(source.log.all.count { $0.hasPrefix("tracks") } == 1)
    }

    @Test func problemsOfAFinishNameTheStage() throws {
        let ends = Mock.finish("ends") { (_, _) throws(Problem) in throw Problem(.environment, "no room") }
        let failure = try #require(problem { _ = try MockRun([Self.reader(3), ends, ends]) })
        #expect(failure.message() == "error: no room\n  --> stage ends[1]")
    }

    // MARK: - Inputs

    @Test func onlyFilesThatAreUsedAreDigested() throws {
        let read = Self.reader(2) { capture in
            capture.files = [
                InputFile(path: "b.jsonl", byteCount: 1),
                InputFile(path: "depth", byteCount: 1, channels: [.recordedDepth]),
                InputFile(path: "color", byteCount: 1, channels: [.color]), InputFile(path: "a.json", byteCount: 1),
            ]
            var source = MockSource()
            source.files = ["b.jsonl": [1], "depth": [2], "a.json": [3]]
            source.streams = [.recordedDepth: 2]
            capture.source = source
        }
        let run = try MockRun([read, .decompress, .unproject, Self.ply])
        #expect(run.receipt.inputs.map(\.path) == ["a.json", "b.jsonl", "depth"])
    }

    /// Of a run whose receipt nobody keeps no file is read for its digest.
    @Test func aRunCanDoWithoutDigests() throws {
        let read = Self.reader(2) { $0.files = [InputFile(path: "a.json", byteCount: 1)] }
        let folder = try TemporaryFolder()
        let output = try OutputFolder(root: folder.path, id: "scan")
        var runner = Runner(
            pipeline: try Pipeline.of([read, .decompress, .unproject, Self.ply]), workers: 1, tool: "test")
        runner.takesDigests = false
        let receipt = try runner.run(CaptureInput(id: "scan", path: "nowhere"), into: output)
        #expect(receipt.inputs.isEmpty && !receipt.files.isEmpty)
    }

    @Test func aFileThatCannotBeReadFailsTheCapture() throws {
        let read = Self.reader(2) { $0.files = [InputFile(path: "a.json", byteCount: 1)] }
        #expect(problem { _ = try MockRun([read, .decompress, .unproject, Self.ply]) }?.place.file == "a.json")
    }
}
