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

    /// The tool run by an unprivileged user: tests that run as root run it as nobody.
    /// - Parameters:
    ///   - folder: where it is run.
    ///   - what: what is tested; without such a user the test says that it skips this.
    ///   - isAnother: whether it must not be the user who runs the tests.
    /// - Returns: the words before its arguments; nil if there is no such user.
    public static func commandOfNobody(
        in folder: String, for what: String, isAnother: Bool = false
    ) throws -> [String]? {
        let nobody = geteuid() == 0 ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []
        let command = nobody + [path]
        if !(isAnother && nobody.isEmpty), try runCommand(command + ["--version"], in: folder).status == 0 {
            return command
        }
        print("SKIPPED: \(what), because the tool cannot be run as another user")
        return nil
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
