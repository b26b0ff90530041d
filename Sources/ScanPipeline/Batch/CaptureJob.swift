import ScanModel

/// What a child process is told: one capture, one pipeline, one output.
public struct CaptureJob: Sendable, Hashable, Codable {
    public var input: CaptureInput
    /// The pipeline's text and path, and the changes made on the command line.
    public var pipelineText: String
    public var pipelinePath: String
    public var settings: [String]
    /// OUT.
    public var output: String
    /// Threads that work on frames.
    public var workers: Int
    /// See ``RunResources/patience``.
    public var patience: Int
    /// Run even when the result that is there is up to date.
    public var isForced = false
    /// Replace a result of another capture with the same name.
    public var replaces = false

    public init(
        input: CaptureInput, pipelineText: String, pipelinePath: String, settings: [String], output: String,
        workers: Int, patience: Int = RunResources.usualPatience, isForced: Bool = false, replaces: Bool = false
    ) {
        self.input = input
        self.pipelineText = pipelineText
        self.pipelinePath = pipelinePath
        self.settings = settings
        self.output = output
        self.workers = workers
        self.patience = patience
        self.isForced = isForced
        self.replaces = replaces
    }
}
