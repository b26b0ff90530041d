import ScanModel

extension RunRecord {
    /// What the run was told, for commands that people can repeat.
    public struct Command: Sendable, Hashable {
        /// The pipeline's file, the `--set` changes, and OUT, as they were given.
        public var pipeline: String
        public var settings: [String]
        /// The other words that decide what is run and how, such as `--format` and `--capture-memory`.
        public var further: [String]
        public var output: String
        /// What to run, as it was given, and the words that choose among what lies there; nothing where that is too much
        /// for a person to type.
        public var inputs: [String]
        public var choice: [String]
        /// The name and version of the tool.
        public let tool: String
        /// Where the paths start.
        public let folder: String

        public init(
            pipeline: String, settings: [String], further: [String] = [], output: String, inputs: [String] = [],
            choice: [String] = [], tool: String
        ) {
            self.pipeline = pipeline
            self.settings = settings
            self.further = further
            self.output = output
            self.inputs = inputs
            self.choice = choice
            self.tool = tool
            folder = FileSystem.absolute(".")
        }

        /// Of a run's plan.
        /// - Returns: nil where it is not kept.
        package init?(plan: JSONValue?) {
            guard let json = plan?["command"], let pipeline = json["pipeline"]?.string,
                let output = json["output"]?.string, let tool = json["tool"]?.string,
                let folder = json["folder"]?.string
            else { return nil }
            self.pipeline = pipeline
            settings = json["set"]?.array?.compactMap(\.string) ?? []
            further = json["further"]?.array?.compactMap(\.string) ?? []
            self.output = output
            inputs = json["inputs"]?.array?.compactMap(\.string) ?? []
            choice = json["choice"]?.array?.compactMap(\.string) ?? []
            self.tool = tool
            self.folder = folder
        }

        var json: JSONValue {
            .object([
                "pipeline": .string(pipeline), "set": .of(settings), "further": .of(further),
                "output": .string(output), "inputs": inputs.isEmpty ? nil : .of(inputs),
                "choice": choice.isEmpty ? nil : .of(choice), "tool": .string(tool), "folder": .string(folder),
            ])
        }

        /// Whether its OUT is this folder: either may have another name by now.
        package func leads(to output: String) -> Bool {
            let place = FileSystem.path(self.output, from: folder)
            return FileSystem.identity(of: place) == FileSystem.identity(of: output)
        }
    }
}
