import Foundation
import FuzzTargets
import Testing

@Suite struct SeedTests {
    /// `SCANMILL_WRITE_SEEDS=1 swift test -c release --filter SeedTests` writes those that are not there into the corpus.
    @Test func seedsAreFedToTheirTargets() throws {
        let seeds = try Seeds.all()
        let odd = Set(seeds.keys).symmetricDifference(FuzzTarget.all.map(\.name)).sorted()
        #expect(odd == [], "each target has seeds in `Seeds.all`, under its name")
        let isWriting = ProcessInfo.processInfo.environment["SCANMILL_WRITE_SEEDS"] != nil
        var missing: [String] = []
        for target in FuzzTarget.all {
            for (name, bytes) in seeds[target.name] ?? [:] {
                #expect(bytes.count <= 2048, "\(target.name)/\(name): runs would be slow")
                target.run(bytes)
                let file = CorpusTests.corpus.appendingPathComponent("\(target.name)/\(name)")
                if FileManager.default.fileExists(atPath: file.path) { continue }
                if !isWriting {
                    missing.append("\(target.name)/\(name)")
                    continue
                }
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(bytes).write(to: file)
            }
        }
        #expect(missing.sorted() == [], "write them into the corpus as said above")
    }
}
