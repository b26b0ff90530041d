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
