/// What the tool's exit codes mean, for its callers and for the pages that list them.
enum ExitStatus {
    static let capturesFailed: Int32 = 1
    static let usage: Int32 = 2
    static let environment: Int32 = 3
    static let busy: Int32 = 75
    /// A signal's number is added to it.
    static let signals: Int32 = 128

    /// Each code with its meaning, in the order of the codes.
    static let meanings: [(code: String, meaning: String)] = [
        ("0", "all captures are done, or were left for another night as `--settle`, `--until` and `--min-free` say"),
        ("\(capturesFailed)", "some captures failed; each is named with its cause"),
        (
            "\(usage)",
            "usage, an invalid pipeline, or a search that found no capture; nothing was run, not even `--on-finish`"
        ),
        (
            "\(environment)",
            "the environment: disk, permission, a missing tool; a capture that was ended for its memory or `--patience`, or changed while it was read. It outranks 1"
        ),
        ("\(busy)", "another runner is working on what is left"),
        ("129, 130, 143", "stopped by SIGHUP, SIGINT, SIGTERM"),
    ]
}
