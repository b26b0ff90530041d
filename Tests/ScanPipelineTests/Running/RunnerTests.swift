import Foundation
import ScanModel
import ScanPipeline
import Synchronization
import TestSupport
import Testing

@Suite struct RunnerTests {
    // MARK: - One pass

    @Test(arguments: [1, 2, 8]) func aUsualRun(_ workers: Int) throws {
        let run = try MockRun([.reader(5), .decompress, .mask, .unproject, .ply], workers: workers)
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
            let source = Mock.reader(120) { capture in
                capture.files = [InputFile(path: "scan.jsonl", byteCount: 3)]
                var source = MockSource()
                source.files = ["scan.jsonl": [1, 2, 3]]
                source.streams = [.recordedDepth: 123, .recordedConfidence: 118]
                capture.source = source
                capture.warnings = ["the clock jumped"]
            }
            let run = try MockRun(
                [
                    source, sharp, .bad([30, 77]), .decompress, .mask, .unproject, chatty, .sum, .every(2),
                    .unproject, .ply,
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

    /// A reader says why a capture brought no cloud along; that is not why one that was made is empty.
    @Test func whatAStageMakesIsNotAbsentAsBefore() throws {
        func look(_ name: String) -> Mock {
            .finish(name, .init(wants: [.cloud])) { capture, context in
                context.record("reason", .string(capture.absences[.cloud]?.reason ?? "none"))
            }
        }
        let empty = Mock.finish("empty", .init(changes: [.cloud])) { capture, _ in
            capture.channels.insert(.cloud)
            capture.absences[.cloud] = "emptied"
        }
        let merge = Mock.fold("merge", .init(needs: [.cloud], makes: [.cloud]))
        let anew = Mock.finish("anew", .init(makes: [.cloud]))
        let vain = Mock.finish("vain", .init(mayMake: [.cloud])) { capture, _ in
            capture.absences[.cloud] = "nothing found"
        }
        let source = Mock.reader(2) { $0.absences[.cloud] = "not recorded" }
        let run = try MockRun([
            source, look("read-look"), .decompress, .unproject, .sum, look("sum-look"), empty, merge,
            look("merge-look"), anew, look("anew-look"), vain, look("vain-look"),
        ])
        let reasons = ["read", "sum", "merge", "anew", "vain"].map { run.counts("\($0)-look")?["reason"]?.string }
        // What is made of a cloud that was emptied is empty for the same reason.
        #expect(reasons == ["not recorded", "none", "emptied", "none", "nothing found"])
    }

    @Test func theReceiptNamesNoMachine() throws {
        let run = try MockRun([.reader(3), .decompress, .unproject, .ply])
        for word in [run.folder.path, "/somewhere", ".scanmill"] { #expect(!run.json.contains(word), "\(word)") }
    }

    @Test func progressIsTold() throws {
        let told = Mutex<[RunProgress]>([])
        _ = try MockRun([.reader(3), .decompress, .unproject, .sum, .every(2), .unproject, .ply]) { progress in
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

    @Test func whatACaptureLacksIsSaidBeforeItsFirstFrame() throws {
        let source = MockSource()
        let read = Mock.reader(3) { capture in
            capture.channels = []
            capture.source = source
        }
        let failure = try #require(problem { _ = try MockRun([read, .decompress, .unproject, .ply]) })
        #expect(failure.summary == "decompress needs recorded-depth, and this capture has none")
        #expect(source.log.all.isEmpty)
    }

    // MARK: - Choices among neighbours

    /// With a video, frames are chosen on the way; without one at the end of a pass. Nobody can tell by the result.
    @Test(arguments: [1, 2, 8]) func aChoiceOnTheWayGivesTheSame(_ workers: Int) throws {
        func run(hasVideo: Bool) throws -> (json: String, ply: String, passes: Int) {
            let passes = Guarded<Set<Int>>([])
            let read = Mock.reader(60) { capture in
                var source = MockSource()
                source.streams = [.recordedDepth: 60, .recordedConfidence: 58]
                capture.source = source
                capture.colorSize = PixelSize(64, 48)
                if hasVideo { capture.video = RecordedVideo("scan.mp4") }
            }
            let score = Mock.frame("score", .init(makes: [.sharpness])) { frame, context in
                frame.sharpness = Double(frame.index * 7 % 5)
                context.count("scored", 1)
            }.finishing(.init(needs: [.sharpness])) { capture, context in
                context.record("left", .of(capture.keptFrames.map(\.index)))
            }.choosing(among: 4) { frames in
                let best = frames.map { $0.sharpness ?? 0 }.max() ?? 0
                return frames.filter { $0.sharpness != best }.map { ($0.index, "below \(best)") }
            }
            let mocks = [read, .every(2), .bad([6, 20]), score, .decompress, .mask, .unproject, .sum, .ply]
            let run = try MockRun(mocks, workers: workers) { progress in
                passes.withLock { _ = $0.insert(progress.pass) }
            }
            return (run.json, try run.text("scan.ply"), passes.withLock(\.count))
        }
        let (onTheWay, atTheEnd) = (try run(hasVideo: true), try run(hasVideo: false))
        #expect(onTheWay.ply == atTheEnd.ply)
        #expect(onTheWay.json == atTheEnd.json)
        #expect(onTheWay.json.contains("below 4.0"))
        #expect(onTheWay.passes + 1 == atTheEnd.passes)
    }

    /// Frames that wait hold what stages have made of them, too.
    @Test(arguments: [(64, 1), (4000, 2)]) func largeFramesDoNotWait(_ side: Int, _ passes: Int) throws {
        let seen = Guarded<Set<Int>>([])
        let read = Mock.reader(20) { capture in
            capture.video = RecordedVideo("scan.mp4")
            capture.colorSize = PixelSize(64, 48)
            capture.depthSize = PixelSize(side, side)
        }
        let score = Mock.frame("score", .init(makes: [.sharpness])).choosing(among: 4)
        let run = try MockRun([read, .decompress, .unproject, score, .ply], workers: 2) { progress in
            seen.withLock { _ = $0.insert(progress.pass) }
        }
        let written = try run.text("scan.ply")
        #expect(written == "3 3 7 7 11 11 15 15 19 19")
        #expect(seen.withLock(\.count) == passes)
    }

    /// Where each frame is compared with itself alone, none goes.
    @Test(arguments: [(1, false), (2, true)]) func framesThatAreLeftOutAreTold(_ most: Int, _ leavesOut: Bool) throws {
        let seen = Guarded<Set<Bool>>([])
        let read = Mock.reader(4) { capture in
            capture.video = RecordedVideo("scan.mp4")
            capture.colorSize = PixelSize(64, 48)
            capture.depthSize = PixelSize(64, 48)
        }
        let look = Mock.frame("look") { _, context in
            let isTold = context.leavesFramesOut
            seen.withLock { _ = $0.insert(isTold) }
        }
        let score = Mock.frame("score", .init(makes: [.sharpness])).choosing(among: most)
        _ = try MockRun([read, .decompress, .unproject, score, look, .ply])
        #expect(seen.withLock { $0 } == [leavesOut])
    }

    /// What a stage would look at if it is there stays for it, and no longer.
    @Test func whatIsReusedStaysUntilThen() throws {
        let seen = Guarded<[String: Bool]>([:])
        func look(_ name: String, reusing channels: Set<Channel>) -> Mock {
            var mock = Mock.frame(name) { frame, _ in
                let hasPoints = frame.points != nil
                seen.withLock { $0[name] = hasPoints }
            }
            mock.uses.reuses = channels
            mock.uses.isMeasurement = true
            return mock
        }
        _ = try MockRun([
            .reader(3), .decompress, .unproject, .sum, look("first", reusing: []), look("second", reusing: [.points]),
            look("third", reusing: []), .writer("write-depth", to: "depth.txt", reading: [.depth]),
        ])
        #expect(seen.withLock { $0 } == ["first": true, "second": true, "third": false])
        _ = try MockRun([.reader(3), .decompress, look("none", reusing: [.points]), .unproject, .sum, .ply])
        #expect(seen.withLock { $0["none"] } == false)
    }

    // MARK: - Several passes

    @Test(arguments: [1, 8]) func aLaterPassSeesMaskedDepthAndCountsNothingTwice(_ workers: Int) throws {
        let depths = Mock.writer("write-depth", to: "depth.txt", reading: [.depth])
        let run = try MockRun(
            [.reader(6), .decompress, .mask, .unproject, .sum, .every(2), depths], workers: workers)
        #expect(try run.text("depth.txt") == "0 1000 2 1002 4 1004")
        #expect(run.counts("decompress") == ["frames": .of(6)])
        #expect(run.counts("mask") == ["masked": .of(6)])
        #expect(run.counts("unproject") == ["points": .of(6)])
        #expect(run.counts("sum")?["depths"] == .of([1000, 1001, 1002, 1003, 1004, 1005]))
    }

    @Test func aReplayDoesNotWarnAgain() throws {
        let warns = Mock.frame("warns", .init(changes: [.depth])) { frame, context in context.warn("odd depth") }
        let depths = Mock.writer("write-depth", to: "depth.txt", reading: [.depth])
        let run = try MockRun([.reader(6), .decompress, warns, .every(2), depths])
        #expect(run.receipt.warnings == ["warns: odd depth"])
    }

    /// What was warned of before is said with the cause.
    @Test(arguments: [1, 8]) func aFailureRecallsTheWarningsBeforeIt(_ workers: Int) throws {
        func failure(_ warnings: [String], fault: Problem.Fault = .input) throws -> Problem {
            let source = Mock.reader(6) { capture in capture.warnings = warnings }
            let warns = Mock.frame("warns", .init(changes: [.depth])) { _, context in context.warn("odd depth") }
            let breaks = Mock.finish("breaks", .init(needs: [.frames])) { (_, _) throws(Problem) in
                throw Problem(fault, "it is broken")
            }
            let found = problem { _ = try MockRun([source, .decompress, warns, .every(2), breaks], workers: workers) }
            return try #require(found)
        }
        #expect(try failure([]).notes == ["warned before: warns: odd depth"])
        #expect(try failure(["a"]).notes == ["warned before: a", "warned before: warns: odd depth"])
        let five = ["a", "b", "c", "d", "e"]
        let recalled = five.map { "warned before: \($0)" }
        #expect(try failure(five).notes == recalled + ["warned before: 1 more"])
        #expect(try failure(five + ["f"]).notes == recalled + ["warned before: 2 more"])
        // The machine's fault has nothing to do with the capture.
        #expect(try failure(["a"], fault: .environment).notes.isEmpty)
    }

    /// Masks and boxes that fit a sound capture leave nothing of one whose poses are wrong. A damaged file is damaged.
    @Test(arguments: [nil, "box.json"]) func aCaptureThatIsSpoiltIsMendedFirst(_ file: String?) throws {
        func fix(_ own: String?, isSpoilt: Bool) throws -> String? {
            let check = Mock.finish("check") { _, context in
                if isSpoilt { context.warnSpoiling("the poses are wrong") } else { context.warn("they may be") }
            }
            let breaks = Mock.finish("breaks", .init(needs: [.frames], makes: [.cloud])) { (_, _) throws(Problem) in
                let problem = Problem(.input, "nothing is left", fix: own)
                throw file.map { problem.at(file: $0) } ?? problem
            }
            return try #require(problem { _ = try MockRun([.reader(6), check, breaks]) }).fix
        }
        let first = "first fix what `check` warns about (the report shows it)"
        let both = "\(first); if it fails all the same, loosen it"
        #expect(try fix("loosen it", isSpoilt: true) == (file == nil ? both : "loosen it"))
        #expect(try fix(nil, isSpoilt: true) == (file == nil ? first : nil))
        #expect(try fix("loosen it", isSpoilt: false) == "loosen it")
    }

    /// In the pass that fails too, once its frames are through: stages have come to their ends in the pipeline's order.
    @Test(arguments: [1, 8]) func aFailureRecallsTheWarningsOfItsOwnPass(_ workers: Int) throws {
        func stage(_ name: String) -> Mock {
            .frame(name, .init(changes: [.depth])) { _, context in context.warn("depth is odd") }
                .finishing { _, context in context.warn("no depth is left") }
        }
        let breaks = Mock.finish("breaks", .init(needs: [.frames])) { (_, context) throws(Problem) in
            context.warn("the unit is unknown")
            context.warn("it is broken, so nothing is left")
            throw Problem(.input, "it is broken")
        }
        let found = problem {
            _ = try MockRun([.reader(6), .decompress, stage("first"), breaks, stage("second")], workers: workers)
        }
        let said = [
            "first: depth is odd", "first: no depth is left", "breaks: the unit is unknown", "second: depth is odd",
        ]
        #expect(try #require(found).notes == said.map { "warned before: \($0)" })
    }

    /// How far the frames had come depends on the workers.
    @Test func aFrameThatFailsRecallsNothingOfItsPass() throws {
        let warns = Mock.frame("warns", .init(changes: [.depth])) { _, context in context.warn("odd depth") }
        let breaks = Mock.fold("breaks") { (_, _, _) throws(Problem) in throw Problem(.input, "it is broken") }
        let found = problem { _ = try MockRun([.reader(6), .decompress, warns, breaks]) }
        #expect(try #require(found).notes == [])
    }

    @Test func aLaterPassStopsBehindTheLastKeptFrame() throws {
        let source = MockSource()
        let head = Mock.finish("head", .init(needs: [.frames], drops: true)) { capture, context in
            for frame in capture.keptFrames.dropFirst(3) {
                capture.drop(frame.index, stage: context.label, reason: "behind")
            }
        }
        let read = Mock.reader(50) { capture in
            var filled = source
            filled.streams = [.recordedDepth: 50]
            capture.source = filled
        }
        _ = try MockRun([read, .decompress, .unproject, .sum, head, .unproject, .ply])
        #expect(source.log.count("recorded-depth 49") == 1)
        #expect(source.log.count("recorded-depth 3") == 1)
        #expect(source.log.count("recorded-depth 2") == 2)
        #expect(source.log.count("recorded-depth end") == 1)
    }

    /// Dropped frames are walked over, since a stream has no index.
    @Test func streamsAdvanceOverDroppedFrames() throws {
        let source = MockSource()
        let read = Mock.reader(5) { capture in
            var filled = source
            filled.streams = [.recordedDepth: 5]
            capture.source = filled
            capture.drop(1, stage: "read", reason: "no pose")
        }
        let run = try MockRun([read, .decompress, .unproject, .ply])
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
        let read = Mock.reader(4) { $0.drop(1, stage: "read", reason: "no pose") }
        let run = try MockRun([read, .decompress, .mask, jumps, .unproject, .ply], workers: 8)
        #expect(run.receipt.warnings == ["jumps: 0 after nothing", "jumps: 2 after 1", "jumps: 3 after 2"])
    }

    @Test func whatARunMayTakeIsTheCaptures() throws {
        let seen = Mutex([RunResources]())
        let looks = Mock.frame("looks") { frame, context in seen.withLock { $0.append(context.capture.resources) } }
        let folder = try TemporaryFolder()
        let output = try OutputFolder(root: folder.path + "/out", id: "scan")
        var runner = Runner(pipeline: try Pipeline.of([.reader(1), looks]), workers: 3, tool: "scanmill 0")
        runner.patience = 7
        _ = try runner.run(CaptureInput(id: "scan", path: "/somewhere/scan"), into: output)
        #expect(seen.withLock(\.self) == [RunResources(threads: 3, patience: 7)])
    }

    /// A stream that says at its end that other threads would have made something else of it.
    private final class ChanceTrack: FrameTrack {
        let name = "video"
        let isChance: Bool

        init(isChance: Bool) { self.isChance = isChance }

        func advance(_ frame: inout Frame, isWanted: Bool) {}
        func finish() -> TrackEnd { TrackEnd(warnings: ["guessed"], isChance: isChance) }
    }

    private struct ChanceSource: CaptureSource {
        func tracks(for channels: Set<Channel>, of capture: Capture) -> [any FrameTrack] {
            [ChanceTrack(isChance: capture.resources.videoThreads != 1)]
        }
        func prepare(_ frame: inout Frame, for channels: Set<Channel>) {}
        func location(of file: String) -> FileLocation? { nil }
        func open(_ file: String) throws(Problem) -> any ByteSource { throw Problem(.input, "no such file") }
    }

    /// What was guessed of damaged pictures depends on the threads, so all is done once more with one.
    @Test(arguments: [1, 3]) func whatIsGuessedIsAlwaysTheSame(_ workers: Int) throws {
        let read = Mock.reader(4) { capture in
            capture.source = ChanceSource()
            capture.channels = [.frames, .color]
        }
        let threads = Mutex([Int]())
        let write = Mock.frame("write", .init(wants: [.color])) { (frame, context) throws(Problem) in
            let count = context.capture.resources.videoThreads
            threads.withLock { $0.append(count) }
            try context.output.write([UInt8(count)], to: "\(count)-\(frame.index).txt")
        }
        let folder = try TemporaryFolder()
        let output = try OutputFolder(root: folder.path + "/out", id: "scan")
        let runner = Runner(pipeline: try Pipeline.of([read, write]), workers: workers, tool: "scanmill 0")
        let receipt = try runner.run(CaptureInput(id: "scan", path: "/somewhere/scan"), into: output)
        #expect(threads.withLock { Set($0) } == Set([workers, 1]))
        // Nothing of the first attempt is left.
        #expect(receipt.files.map(\.path) == (0..<4).map { "1-\($0).txt" })
        #expect(receipt.warnings == ["guessed"])
        try output.publish(receipt: receipt.bytes)
        #expect(FileSystem.names(in: folder.path + "/out/scan").count == 5)
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
        _ = try MockRun([.reader(40), .decompress, stage, .unproject, .ply], workers: workers)
        #expect(calls.withLock { $0 } == 1)
    }

    @Test func onceFailsForAll() throws {
        let stage = Mock.frame("stage") { (frame, context) throws(Problem) in
            _ = try context.once { () throws(Problem) -> Int in throw Problem(.usage, "no such box") }
        }
        let failure = try #require(problem { _ = try MockRun([.reader(40), stage], workers: 8) })
        #expect(failure.summary == "no such box")
        #expect(failure.place.frame == 0)
    }

    /// The same capture fails again until one of the two changes; that something stands in its result's place is another
    /// matter.
    @Test func whatAStageIsAskedForInVainIsOfCaptureAndPipeline() throws {
        let odd = Problem(.usage, "an odd size")
        let stages: [Mock] = [
            Mock.frame("stage") { (_, _) throws(Problem) in throw odd },
            Mock.fold("stage") { (_, _, _) throws(Problem) in throw odd },
            Mock.fold("stage").ending { (_, _, _) throws(Problem) in throw odd },
            Mock.finish("stage") { (_, _) throws(Problem) in throw odd },
        ]
        for stage in stages {
            let failure = try #require(problem { _ = try MockRun([.reader(3), stage]) })
            #expect(failure.fault == .input && failure.isOfPipeline && failure.place.stage == "stage")
        }
        let folder = try TemporaryFolder()
        let runner = Runner(pipeline: try Pipeline.of([.reader(3)]), workers: 1, tool: "scanmill 0")
        let output = try OutputFolder(root: folder.path, id: "scan")
        let input = CaptureInput(id: "scan", path: "scan")
        let obstacle = problem { _ = try runner.run(input, into: output) { (_) throws(Problem) in throw odd } }
        #expect(obstacle == odd)
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
        let read = Mock.reader(30) { capture in
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
        _ = try MockRun([.reader(3), note(.decompress), note(.unproject), .ply])
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
        let run = try MockRun([.reader(3), .decompress, .unproject, .sum, count])
        #expect(run.counts("count") == ["points": .of(3), "cloud": .bool(true)])
    }

    @Test func theEndOfAFoldSeesWhatOneAboveItMade() throws {
        let writer = Mock.fold("writer", .init(anyOf: [[.cloud, .points]])).ending { _, capture, context in
            context.record("points", .of(capture.cloud?.count ?? -1))
        }
        let source = MockSource()
        let read = Mock.reader(3) { capture in
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
        let failure = try #require(problem { _ = try MockRun([.reader(3), ends, ends]) })
        #expect(failure.message() == "error: no room\n  --> stage ends[1]")
    }

    // MARK: - Inputs

    @Test func onlyFilesThatAreUsedAreDigested() throws {
        let read = Mock.reader(2) { capture in
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
        let run = try MockRun([read, .decompress, .unproject, .ply])
        #expect(run.receipt.inputs.map(\.path) == ["a.json", "b.jsonl", "depth"])
    }

    /// Of a run whose receipt nobody keeps no file is read for its digest.
    @Test func aRunCanDoWithoutDigests() throws {
        let read = Mock.reader(2) { $0.files = [InputFile(path: "a.json", byteCount: 1)] }
        let folder = try TemporaryFolder()
        let output = try OutputFolder(root: folder.path, id: "scan")
        var runner = Runner(
            pipeline: try Pipeline.of([read, .decompress, .unproject, .ply]), workers: 1, tool: "test")
        runner.takesDigests = false
        let receipt = try runner.run(CaptureInput(id: "scan", path: "nowhere"), into: output)
        #expect(receipt.inputs.isEmpty && !receipt.files.isEmpty)
    }

    @Test func aFileThatCannotBeReadFailsTheCapture() throws {
        let read = Mock.reader(2) { $0.files = [InputFile(path: "a.json", byteCount: 1)] }
        #expect(problem { _ = try MockRun([read, .decompress, .unproject, .ply]) }?.place.file == "a.json")
    }

    /// Each of a million pictures may earn a warning.
    @Test func warningsHaveAnEnd() throws {
        let read = Mock.reader(2) { capture in capture.warnings = (0..<1500).map { "picture \($0) has no number" } }
        let run = try MockRun([read, .decompress, .unproject, .ply])
        #expect(run.receipt.warnings.count == 1001)
        #expect(run.receipt.warnings.last == "and 500 more warnings")
    }
}
