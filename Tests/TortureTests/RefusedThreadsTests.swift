import TestSupport
import Testing

extension Torture {
    /// A container with few processes: what waits for a thread that never comes would hang the night, without a word.
    @Suite struct RefusedThreadsTests {
        @Test(.timeLimit(.minutes(20))) func aRunThatGetsTooFew() throws {
            let rig = try Rig(["a"])
            try rig.clear()
            let run = try rig.start(
                .new, [], environment: ["LD_PRELOAD": Torture.sabotageLibrary, "SABOTAGE": "few-threads"], name: "run")
            run.waitUntilExit()
            let errors = String(decoding: try rig.folder.bytes("run.err"), as: UTF8.self)
            #expect(run.terminationStatus == 3, "\(errors)")
            #expect(errors.contains("the system refuses the threads that a run needs"), "\(errors)")
            #expect(errors.contains("pids.max"), "\(errors)")
            #expect(rig.tree("a") == nil)
        }
    }
}
