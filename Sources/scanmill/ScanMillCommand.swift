import ArgumentParser

@main
struct ScanMillCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scanmill",
        abstract:
            "Turns phone and tablet scans into point clouds, NeRF data and staging captures, a night's batch at a time.",
        discussion: """
            A pipeline is a list of stages in a YAML file. `scanmill stages` lists the stages; ready pipelines are in the \
            folder pipelines/.
            """,
        version: Tool.nameAndVersion,
        subcommands: [
            RunCommand.self, PlanCommand.self, StatusCommand.self, VerifyCommand.self, CollectCommand.self,
            CheckCommand.self,
            InspectCommand.self, StagesCommand.self, SampleCommand.self, DocsCommand.self, CaptureChildCommand.self,
        ])
}

enum Tool {
    static let version = "0.1.0"
    static let nameAndVersion = "scanmill \(version)"
}
