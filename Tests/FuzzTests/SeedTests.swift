import Foundation
import FuzzTargets
import Testing

@Suite struct SeedTests {
    /// `SCANMILL_WRITE_SEEDS=1 swift test -c release --filter SeedTests` writes them into the corpus.
    @Test func seedsAreFedToTheirTargets() throws {
        let seeds = try Seeds.all()
        #expect(seeds.keys.sorted() == FuzzTarget.all.map(\.name).sorted())
        let isWriting = ProcessInfo.processInfo.environment["SCANMILL_WRITE_SEEDS"] != nil
        for target in FuzzTarget.all {
            for (name, bytes) in seeds[target.name] ?? [:] {
                #expect(bytes.count <= 2048, "\(target.name)/\(name): runs would be slow")
                target.run(bytes)
                if isWriting {
                    let file = CorpusTests.corpus.appendingPathComponent("\(target.name)/\(name)")
                    try FileManager.default.createDirectory(
                        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                    try Data(bytes).write(to: file)
                }
            }
        }
    }
}
