import Foundation

/// A fresh folder that is removed with the last reference to it.
public final class TemporaryFolder: Sendable {
    public let path: String

    /// - Parameter place: an existing folder to put it in; nil for the system's temporary folder.
    public init(in place: String? = nil) throws {
        let place = place.map { URL(fileURLWithPath: $0) } ?? FileManager.default.temporaryDirectory
        let url = place.appendingPathComponent("scanmill-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    public func url(_ name: String) -> URL { URL(fileURLWithPath: path).appendingPathComponent(name) }

    @discardableResult
    public func write(_ bytes: [UInt8], to name: String) throws -> String {
        let target = url(name)
        try FileManager.default.createDirectory(
            at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: target)
        return target.path
    }

    @discardableResult
    public func write(_ text: String, to name: String) throws -> String { try write(Array(text.utf8), to: name) }

    /// Writes a program that can be run at once. Another process writes it: a process that this one starts meanwhile
    /// would inherit the open file, and the system runs no file that is open for writing ("Text file busy").
    @discardableResult
    public func writeProgram(_ text: String, to name: String) throws -> String {
        let path = url(name).path
        try write(text, to: "\(name).text")
        try runCommand(["sh", "-c", "cp \"$1\" \"$2\" && chmod 755 \"$2\"", "sh", "\(path).text", path]).require(0)
        return path
    }

    /// Copies one of the captures in `samples/`, to be changed.
    /// - Parameter name: the copy's name; nil for the sample's own.
    @discardableResult
    public func copySample(_ sample: String, to name: String? = nil) throws -> String {
        let copy = url(name ?? sample)
        try FileManager.default.createDirectory(at: copy.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.copyItem(at: SharedData.checkout.appendingPathComponent("samples/\(sample)"), to: copy)
        return copy.path
    }

    public func bytes(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: url(name))) }
}
