import Subprocess

/// The command that is run when a run has ended.
enum FinishHook {
    /// The same time that a capture has after a signal.
    private static let grace = Duration.seconds(5)

    static func run(_ command: String, status: Int32, output: String, stop: StopSignal) async {
        do {
            let ended = try await Follower.run(
                "/bin/sh", ["-c", command],
                environment: .inherit.updating(["SCANMILL_STATUS": "\(status)", "SCANMILL_OUT": output]),
                output: .currentStandardError, error: .currentStandardError, stop: stop, grace: grace)
            if !ended.terminationStatus.isSuccess {
                Console.error("warning: the --on-finish command ended with \(ended.terminationStatus.words)")
            }
        } catch {
            Console.error("warning: the --on-finish command could not be run: \(error)")
        }
    }
}
