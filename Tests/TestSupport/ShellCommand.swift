import Foundation

/// What a command left behind.
public struct CommandResult: Sendable, CustomStringConvertible {
    public var status: Int32
    public var output: String
    public var errors: String
    public var outputBytes: [UInt8]

    public var description: String { "status \(status): \(output)\(errors)" }

    /// - Throws: what the command printed, if it ended with another status.
    @discardableResult
    public func require(_ status: Int32) throws -> CommandResult {
        if self.status != status { throw TestError(description) }
        return self
    }
}

/// Why a test cannot go on.
public struct TestError: Error, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}

/// Runs a program found on PATH and waits for it.
public func runCommand(
    _ arguments: [String], in folder: String? = nil, environment: [String: String] = [:]
) throws -> CommandResult {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let scratch = try TemporaryFolder()
    // Files, not pipes: a pipe that nobody reads blocks its writer.
    for name in ["out", "err"] { try scratch.write("", to: name) }
    let out = try FileHandle(forWritingTo: scratch.url("out"))
    let err = try FileHandle(forWritingTo: scratch.url("err"))
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = out
    process.standardError = err
    try process.run()
    process.waitUntilExit()
    try out.close()
    try err.close()
    let bytes = try scratch.bytes("out")
    return CommandResult(
        status: process.terminationStatus, output: String(decoding: bytes, as: UTF8.self),
        errors: String(decoding: try scratch.bytes("err"), as: UTF8.self), outputBytes: bytes)
}

/// Runs a Python script with the system's `python3`, whose zlib, struct and json are the references of many tests.
public func runPython(_ script: String, _ arguments: [String] = []) throws -> CommandResult {
    try runCommand(["python3", "-c", script] + arguments)
}
