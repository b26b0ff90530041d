import Foundation
import TestSupport

/// A folder in which the tool runs a pipeline that is quick on the sample.
struct QuickRun {
    static let sample = SharedData.checkout.appendingPathComponent("samples/desk").path

    static let cloud = """
        name: quick
        stages:
          - read
          - select-every: {step: 20}
          - decompress
          - unproject: {every: 4, color: false}
          - voxel-downsample: {size: 0.05}
          - write-ply

        """

    let folder: TemporaryFolder
    var output: String { "\(folder.path)/out" }

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(Self.cloud, to: "quick.yaml")
    }

    /// `scanmill run quick.yaml …` in the folder.
    func run(_ arguments: [String]) throws -> CommandResult {
        try Scanmill.run(["run", "quick.yaml"] + arguments, in: folder.path)
    }

    /// Puts the sample among the inputs, `in/`, under a name.
    func copySample(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: "\(folder.path)/in", withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: Self.sample, toPath: "\(folder.path)/in/\(name)")
    }

    /// The names in one of its folders, sorted.
    func names(_ path: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/\(path)")) ?? []).sorted()
    }
}
