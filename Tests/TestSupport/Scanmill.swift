import Foundation

/// The tool as people run it: the binary that was built together with the tests.
public enum Scanmill {
    /// It lies in the same folder as the program that runs the tests.
    public static let path = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("scanmill").path

    public static func run(
        _ arguments: [String], in folder: String? = nil, environment: [String: String] = [:]
    ) throws -> CommandResult {
        try runCommand([path] + arguments, in: folder, environment: environment)
    }
}

extension TemporaryFolder {
    /// Runs a pipeline of these stages in the folder, without arguments on what ``MiniCapture`` wrote there.
    public func run(
        _ stages: String, _ arguments: [String] = ["mini", "-o", "out"], environment: [String: String] = [:]
    ) throws -> CommandResult {
        try write("name: trouble\nstages: [\(stages)]\n", to: "trouble.yaml")
        return try Scanmill.run(["run", "trouble.yaml"] + arguments, in: path, environment: environment)
    }
}
