/// Where a capture comes from, and where the pipeline's own files are.
public struct CaptureInput: Sendable, Hashable, Codable {
    /// The name under which its result is published: its folder's, or its file's without the extension.
    public var id: String
    /// A folder, an archive, or a file, as the user gave it.
    public var path: String
    /// The folder in which the pipeline file stands: relative paths in options start there.
    public var pipelineFolder: String
    /// The folder in which a run found it; nil where nobody has noted that.
    public var source: SourceFolder?

    public init(id: String, path: String, pipelineFolder: String = ".", source: SourceFolder? = nil) {
        self.id = id
        self.path = path
        self.pipelineFolder = pipelineFolder
        self.source = source
    }

    /// Whether there is something at its path, links followed.
    package var isThere: Bool { FileSystem.leads(path) || FileSystem.isMended(path) }
}
