import Foundation
import FuzzTargets
import TestSupport
import Testing

/// Replays what fuzzing starts from and what it found: `Fuzz/corpus/<target>/…`.
@Suite struct CorpusTests {
    static let corpus = SharedData.checkout.appendingPathComponent("Fuzz/corpus")

    private static func names(_ folder: String) -> [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: corpus.appendingPathComponent(folder).path)
        return (names ?? []).sorted()
    }

    private static let files = names("").flatMap { target in names(target).map { "\(target)/\($0)" } }

    @Test func everyTargetHasItsFolder() throws {
        let names = FuzzTarget.all.map(\.name)
        let odd = Set(names).symmetricDifference(Self.names("")).sorted()
        #expect(odd == [], "write the seeds into the corpus, as `SeedTests` says")
        #expect(names.filter { Self.names($0).isEmpty } == [])
    }

    /// In a process of its own for each file, because a broken promise ends it. All of them start at once, beside everything
    /// else.
    @Test(.timeLimit(.minutes(20)), arguments: files) func replay(_ file: String) async {
        await #expect(processExitsWith: .success) { [file] in
            let target = try #require(FuzzTarget.all.first { file.hasPrefix("\($0.name)/") })
            target.run([UInt8](try Data(contentsOf: Self.corpus.appendingPathComponent(file))))
        }
    }
}
