import Foundation
import ScanModel
import ScanPipeline
import TestSupport

/// An output folder below a fresh temporary one.
struct OutputFixture {
    let folder: TemporaryFolder
    let root: String

    init() throws {
        folder = try TemporaryFolder()
        root = folder.path + "/out"
    }

    /// Mounts a small filesystem over the output, for as long as `body` runs.
    /// - Parameter what: what is said to be skipped if mounting is not allowed.
    func onSmallDisk(_ options: String, else what: String, _ body: () throws -> Void) throws {
        _ = try FileSystem.makeFolders(root)
        let mounted = try runCommand(["mount", "-t", "tmpfs", "-o", options, "tmpfs", root])
        guard mounted.status == 0 else { return skip("\(what), because no tmpfs can be mounted here") }
        defer { _ = try? runCommand(["umount", "-l", root]) }
        try body()
    }

    func open(_ id: String = "scan") throws -> OutputFolder { try OutputFolder(root: root, id: id) }

    /// Every file below `path`, relative to it, sorted; folders without files end in a slash.
    func tree(_ path: String? = nil) -> [String] {
        let base = path ?? root
        return (FileManager.default.enumerator(atPath: base)?.allObjects as? [String] ?? []).compactMap { name in
            if !FileSystem.isFolderItself("\(base)/\(name)") { return name }
            let isEmpty = (try? FileManager.default.contentsOfDirectory(atPath: "\(base)/\(name)").isEmpty) ?? true
            return isEmpty ? name + "/" : nil
        }.sorted()
    }

    /// Just enough of a receipt to make a folder a result.
    static let receipt = #"{"tool": "scanmill 0.1.0"}"#

    func text(_ path: String) throws -> String { String(decoding: try folder.bytes("out/" + path), as: UTF8.self) }

    /// Writes a small result and publishes it.
    func publish(_ files: [String: String], id: String = "scan") throws {
        let output = try open(id)
        for (path, text) in files { try output.write(Array(text.utf8), to: path) }
        try output.publish(receipt: Array(Self.receipt.utf8))
    }
}

/// The SHA-256 of files by Python's hashlib, in the order given.
func pythonDigests(of paths: [String]) throws -> [String] {
    let script = "import hashlib, sys\nfor p in sys.argv[1:]: print(hashlib.sha256(open(p, 'rb').read()).hexdigest())"
    return try runPython(script, paths).output.split(separator: "\n").map(String.init)
}

/// Says aloud why a test is skipped.
func skip(_ reason: String) { print("SKIPPED: \(reason)") }

/// Bytes without a pattern.
func noise(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var random = SplitMix(seed: seed)
    return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
}
