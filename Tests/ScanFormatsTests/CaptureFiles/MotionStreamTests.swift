import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct MotionStreamTests {
    private let samples: [MotionSample] = (0..<100).map { i in
        MotionSample(
            timestamp: 280_670_466_266_040 + Int64(i) * 16_666_667,
            value: Vector3(sin(Double(i)), -0.5 * Double(i), 1e-9 * Double(i)))
    }

    private func file(_ samples: [MotionSample], _ kind: MotionKind = .rotationRate) throws -> [UInt8] {
        try MotionFileSource(kind, count: samples.count, name: "a") { Array(samples[$0]) }.readAll(limit: .max)
    }

    /// The records alone, big-endian, as Java's DataOutputStream writes them.
    private func bigEndian(_ samples: [MotionSample]) -> [UInt8] {
        samples.flatMap { sample in
            ([UInt64(bitPattern: sample.timestamp)] + sample.value.components.map(\.bitPattern)).flatMap { word in
                withUnsafeBytes(of: word.bigEndian) { Array($0) }
            }
        }
    }

    private func read(
        _ bytes: [UInt8], kind: MotionKind? = nil, chunk: Int = 1 << 16
    ) throws(Problem) -> (samples: [MotionSample], facts: MotionFacts) {
        var samples: [MotionSample] = []
        let source = MemorySource(bytes, name: "a.rot", chunk: chunk)
        let facts = try MotionStream.read(source, kind: kind, chunk: chunk) { samples.append($0) }
        return (samples, facts)
    }

    @Test func moreSamplesThanAMemoryShouldHold() throws {
        let bytes = try file(samples)
        #expect(try MotionStream.samples(MemorySource(bytes, name: "a.rot"), limit: 100).samples.count == 100)
        let problem = problem { () throws(Problem) in
            _ = try MotionStream.samples(MemorySource(bytes, name: "a.rot"), limit: 99)
        }
        #expect(problem?.summary == "there are more than 99 motion samples" && problem?.place.file == "a.rot")
    }

    // MARK: Real files

    @Test(.enabled(if: SharedData.isThere), arguments: MotionKind.allCases)
    func agreesWithTheReference(kind: MotionKind) throws {
        // Foundation's JSON reader misses the last bit of some doubles, so ours reads the reference.
        let expected = try JSONValue.parse(try SharedData.bytes("office.expected.json"), file: "office.expected.json")
        let sensor = try #require(expected["motion"]?[kind.rawValue])
        let path = SharedData.path("office/office.\(kind.rawValue)")
        let (samples, facts) = try MotionStream.samples(
            try FileSource(path: path, name: "office.\(kind.rawValue)"), kind: kind)
        #expect(facts.kind == kind)
        #expect(facts.layout == .header)
        #expect(facts.sampleCount == 390 && sensor["samples"] == .integer(390))
        #expect(facts.declaredCount == 390)
        #expect(facts.warnings == [])
        let rate = try #require(facts.rate)
        #expect(abs(rate - 60) < 0.01)
        for (sample, key) in [(facts.first, "first"), (facts.last, "last")] {
            #expect(sample?.timestamp == sensor[key]?.array?.first?.integer)
            #expect(sample?.value.components == sensor[key]?.doubles?.suffix(3))
        }
        let mean = try #require(sensor["mean"]?.doubles)
        let sum = samples.reduce(Vector3.zero) { $0 + $1.value }
        for (a, b) in zip((sum / 390).components, mean) { #expect(abs(a - b) < 1e-12 * max(1, abs(b))) }
    }

    @Test(.enabled(if: SharedData.isThere), arguments: MotionKind.allCases)
    func writesTheAppsOwnBytes(kind: MotionKind) throws {
        let real = try SharedData.bytes("office/office.\(kind.rawValue)")
        let (samples, _) = try MotionStream.samples(MemorySource(real, name: "a"))
        #expect(try file(Array(samples), kind) == real)
    }

    // MARK: Layouts

    @Test(arguments: [1, 3, 31, 32, 33, 1000])
    func readsEveryLayout(chunk: Int) throws {
        let whole = try file(samples)
        let header = MotionStream.header(.rotationRate, count: 100)
        let table: [([UInt8], MotionLayout)] = [
            (whole, .header), (Array(whole[header.count...]), .headerMissing), (bigEndian(samples), .bigEndian),
        ]
        for (bytes, layout) in table {
            let (back, facts) = try read(bytes, chunk: chunk)
            #expect(back == samples)
            #expect(facts.layout == layout)
            #expect(facts.first == samples.first && facts.last == samples.last)
            #expect(facts.warnings == [])
        }
    }

    @Test func readsABigEndianHeader() throws {
        let header = """
            ply\r
            format binary_big_endian 1.0\r
            element grav 100\r
            comment imu sensor data with timestamp\r
            property uint64 timestamp\r
            property double x\r
            property double y\r
            property double z\r
            end_header\r

            """
        let (back, facts) = try read(Array(header.utf8) + bigEndian(samples), kind: .gravity)
        #expect(back == samples)
        #expect(facts.layout == .bigEndian)
        #expect(facts.kind == .gravity)
    }

    @Test func tellsTheByteOrderFromOneRecord() throws {
        let one = [samples[0]]
        #expect(try read(bigEndian(one)).facts.layout == .bigEndian)
        #expect(try read(Array(try file(one)[MotionStream.header(.rotationRate, count: 1).count...])).samples == one)
        // Fast sensors, repeated timestamps, a pause: what recorders do.
        for steps in [[0, 0, 1_000_000], [2_000_000, 2_000_000], [16_000_000, 5_000_000_000]] as [[Int64]] {
            var time: Int64 = 99_000_000_000
            var some = [MotionSample(timestamp: time, value: .zero)]
            for step in steps {
                time += step
                some.append(MotionSample(timestamp: time, value: Vector3(1, 2, 3)))
            }
            #expect(try read(bigEndian(some)).samples == some)
        }
        for bytes in [[UInt8](repeating: 0, count: 320), [UInt8](repeating: 0xFF, count: 320)] {
            let problem = #expect(throws: Problem.self) { try read(bytes) }
            #expect(
                problem?.summary == "the byte order of the motion samples cannot be told from their timestamps")
        }
    }

    // MARK: Damage

    @Test func countsFromTheBytesNotTheHeader() throws {
        let bytes = try file(samples)
        let cut = try read(Array(bytes.dropLast(40)))
        #expect(cut.samples == Array(samples.dropLast(2)))
        #expect(
            cut.facts.warnings == [
                "the header announces 100 samples, the file holds 98",
                "the last record has only 24 of 32 bytes",
            ])
        let header = MotionStream.header(.rotationRate, count: 3)
        let more = try read(header + bytes[MotionStream.header(.rotationRate, count: 100).count...])
        #expect(more.samples.count == 100)
        #expect(more.facts.warnings == ["the header announces 3 samples, the file holds 100"])
    }

    @Test func takesEmptyFiles() throws {
        for bytes in [[], [1, 2, 3], [UInt8](repeating: 7, count: 31)] as [[UInt8]] {
            let (samples, facts) = try read(bytes)
            #expect(samples == [])
            #expect(facts.partialByteCount == bytes.count)
            #expect(facts.rate == nil && facts.first == nil && facts.span == nil)
        }
        #expect(try read(try file([])).facts.sampleCount == 0)
    }

    @Test func reportsBadSamples() throws {
        var bad = samples
        bad[3].value.y = .nan
        bad[4].value.x = .infinity
        bad[50].timestamp = bad[49].timestamp
        bad[60].timestamp = 0
        let (_, facts) = try read(try file(bad))
        #expect(facts.warnings == ["2 samples are not finite", "2 samples are not later than the one before them"])
        var odd = samples
        odd[3].value.y = .nan
        odd[50].timestamp = odd[49].timestamp
        let one = try read(try file(odd)).facts.warnings
        #expect(one == ["1 sample is not finite", "1 sample is not later than the one before it"])
    }

    @Test func aDamagedTimeMovesNeitherEnd() throws {
        var damaged = samples
        damaged[0].timestamp = 1 << 62
        damaged[99].timestamp = 0
        let facts = try read(try file(damaged)).facts
        let sound = samples[1].timestamp...samples[98].timestamp
        #expect(facts.span == sound && facts.medianStep == 16_666_667)
        #expect(facts.warnings == ["2 samples are not later than the one before them"])
        let rate = try #require(facts.rate)
        #expect(abs(rate - 60) < 0.01)
        // Two at a time are as many as one by one.
        var pairs = samples
        for index in stride(from: 1, to: 100, by: 2) { pairs[index].timestamp = pairs[index - 1].timestamp }
        let mean = 33_333_334.0 * 49 / 99
        #expect(try read(try file(pairs)).facts.medianStep == mean)
        // Alone, or far apart, samples are in step with nothing.
        let one = try read(try file([samples[0]])).facts
        #expect(one.span == samples[0].timestamp...samples[0].timestamp && one.rate == nil)
        var late = samples[1]
        late.timestamp += 20_000_000_000
        let two = try read(try file([samples[0], late])).facts
        #expect(two.span == samples[0].timestamp...late.timestamp)
    }

    @Test func extremeTimestampsDoNotOverflow() throws {
        var extreme = samples
        extreme[0].timestamp = .min
        extreme[99].timestamp = .max
        let facts = try read(try file(extreme)).facts
        #expect(facts.medianStep == 16_666_667 && facts.backwardCount == 0)
        let sound = samples[1].timestamp...samples[98].timestamp
        #expect(facts.span == sound)
        // In the other order, the sniffing sees them.
        #expect(throws: Problem.self) { try read(bigEndian(extreme)) }
    }

    @Test func refusesOtherHeaders() throws {
        let good = String(decoding: MotionStream.header(.rotationRate, count: 0), as: UTF8.self)
        let table: [(String, String, MotionKind?)] = [
            (
                good.replacingOccurrences(of: "element rot", with: "element vertex"),
                "expected the samples of one motion sensor, found “vertex”", nil
            ),
            (
                good.replacingOccurrences(of: "double y", with: "float y"),
                "expected binary samples of an int64 and three doubles", nil
            ),
            (
                good.replacingOccurrences(of: "binary_little_endian", with: "ascii"),
                "expected binary samples of an int64 and three doubles", nil
            ),
            (good, "the file is called “.acce”, but its header says “rot”", .acceleration),
            (good.replacingOccurrences(of: "end_header\n", with: ""), "the PLY header has no “end_header”", nil),
        ]
        for (header, summary, kind) in table {
            let problem = #expect(throws: Problem.self) { try read(Array(header.utf8), kind: kind) }
            #expect(problem?.summary == summary)
            #expect(problem?.place.file == "a.rot")
        }
    }

    @Test func stopsWhenItsReaderDoes() throws {
        var seen = 0
        #expect(throws: Problem.self) {
            try MotionStream.read(MemorySource(try file(samples), name: "a")) { (_) throws(Problem) in
                seen += 1
                if seen == 5 { throw Problem(.environment, "disk full") }
            }
        }
        #expect(seen == 5)
    }

    @Test func randomDamageNeverCrashes() throws {
        let bytes = try file(Array(samples.prefix(8)))
        var random = SplitMix(seed: 9)
        for _ in 0..<5000 {
            var damaged = bytes
            for _ in 0...Int.random(in: 0..<4, using: &random) {
                damaged[Int.random(in: 0..<damaged.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            damaged.removeLast(Int.random(in: 0..<damaged.count, using: &random) / 4)
            do throws(Problem) { _ = try read(damaged, chunk: 50) } catch { #expect(error.fault == .input) }
        }
    }
}
