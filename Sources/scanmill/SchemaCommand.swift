import ArgumentParser
import ScanPipeline
import ScanStages

struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Prints the JSON Schema of pipeline files, with which editors complete and check them.",
        discussion: """
            Draft-07. Put it beside your pipelines (scanmill schema > pipeline.schema.json) and begin each with the line \
            `# yaml-language-server: $schema=pipeline.schema.json`, as the ready-made ones do.
            """)

    func run() { Console.out(PipelineSchema.schema(.builtIn)) }
}
