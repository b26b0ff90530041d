import ScanModel
import ScanPipeline
import TestSupport
import Testing

@Suite struct InputDigestsTests {
    @Test(arguments: [1, 2, 8]) func sortedByPath(_ workers: Int) throws {
        let names = ["b", "a/z", "a", "é", "Z", "a-b"]
        let source = MockSource(files: Dictionary(uniqueKeysWithValues: names.map { ($0, Array($0.utf8)) }))
        // The size that was listed does not count, what was read does.
        let inputs = try InputDigests.take(
            names.map { InputFile(path: $0, byteCount: 99) }, from: source, workers: workers
        ).inputs
        #expect(inputs.map(\.path) == ["Z", "a", "a-b", "a/z", "b", "é"])
        #expect(inputs.map(\.byteCount) == [1, 1, 3, 3, 1, 2])
        #expect(inputs.map(\.digest) == inputs.map { Digest.of(Array($0.path.utf8)) })
    }

    @Test(arguments: [1, 8]) func theFirstProblemInTheOrderGiven(_ workers: Int) throws {
        let source = MockSource(files: ["b": [1], "d": [2]])
        for _ in 0..<20 {
            let failure = problem {
                _ = try InputDigests.take(
                    ["b", "c", "a", "d"].map { InputFile(path: $0, byteCount: 1) }, from: source, workers: workers)
            }
            #expect(failure?.place.file == "c")
        }
    }

    /// Such as a picture whose checksum in its archive is wrong.
    @Test func damageThatCostsOneFrame() throws {
        let broken = MockSource(
            files: ["a": [1, 2, 3], "b": [4]], damaged: ["a": Problem(.input, "the checksum is wrong")])
        let taken = try InputDigests.take(
            [
                InputFile(path: "a", byteCount: 3, stake: .frame(7)),
                InputFile(path: "b", byteCount: 1, stake: .frame(8)),
            ], from: broken,
            workers: 1)
        #expect(taken.damagedFrames.keys.sorted() == [7])
        #expect(taken.damagedFrames[7]?.summary == "the checksum is wrong")
        // Of what can be read: what else is known of a mended file, its frame being kept, changes the result's key.
        #expect(taken.inputs.map(\.digest) == [Digest.of([1, 2, 3]), Digest.of([4])])
        // More than one frame hangs on a stream.
        let stream = problem {
            _ = try InputDigests.take([InputFile(path: "a", byteCount: 3)], from: broken, workers: 1)
        }
        #expect(stream?.summary == "the checksum is wrong")
        // A frame whose file the machine cannot read may be sound.
        let machine = MockSource(files: ["a": [1]], damaged: ["a": Problem(.environment, "the disk is broken")])
        let fault = problem {
            _ = try InputDigests.take([InputFile(path: "a", byteCount: 1, stake: .frame(7))], from: machine, workers: 1)
        }
        #expect(fault?.summary == "the disk is broken")
    }

    /// Else the next run would take the frame for a sound one, without a look at its file.
    @Test func aDamagedFileIsReadAgain() throws {
        let folder = try TemporaryFolder()
        try folder.write([1, 2, 3], to: "a")
        let broken = MockSource(
            files: ["a": [1, 2, 3]], damaged: ["a": Problem(.input, "the checksum is wrong")], folder: folder.path)
        let files = [InputFile(path: "a", byteCount: 3, stake: .frame(7))]
        let first = try InputDigests.take(files, from: broken, workers: 1)
        let second = try InputDigests.take(files, from: broken, workers: 1, known: first.known)
        #expect(first.damagedFrames.keys.sorted() == [7] && second.damagedFrames.keys.sorted() == [7])
        // The digest of a sound one is taken once.
        let sound = MockSource(files: ["a": [1, 2, 3]], folder: folder.path)
        let known = try InputDigests.take(files, from: sound, workers: 1).known
        #expect(try InputDigests.take(files, from: broken, workers: 1, known: known).damagedFrames.isEmpty)
    }

    @Test func noFiles() throws {
        #expect(try InputDigests.take([], from: MockSource(), workers: 4).inputs.isEmpty)
    }
}
