import TestSupport
import Testing

extension Torture {
    /// A container with few processes: what waits for a thread that never comes would hang the night, without a word.
    @Suite struct RefusedThreadsTests {
        private static let refusal = "the system refuses the threads that a run needs"

        private func environment(_ words: String) -> [String: String] {
            ["LD_PRELOAD": Torture.sabotageLibrary, "SABOTAGE": words]
        }

        /// Without a single one, nothing that is awaited even begins. A capture that gets too few would stand still until
        /// its patience is at an end.
        @Test(.timeLimit(.minutes(20)), arguments: ["few-threads", "no-threads", "capture-threads"])
        func aRunThatGetsTooFew(_ words: String) throws {
            let rig = try Rig(["a"])
            try rig.clear()
            let run = try rig.start(.new, [], environment: environment(words), name: "run")
            run.waitUntilExit()
            let errors = String(decoding: try rig.folder.bytes("run.err"), as: UTF8.self)
            #expect(run.terminationStatus == 3, "\(errors)")
            #expect(errors.contains(Self.refusal), "\(errors)")
            #expect(errors.contains("pids.max"), "\(errors)")
            #expect(rig.tree("a") == nil)
        }

        @Test func aReportThatGetsNone() throws {
            let report = try Scanmill.run(["report", "out"], environment: environment("no-threads"))
            #expect(report.status == 3 && report.errors.contains(Self.refusal), "\(report)")
        }
    }
}
