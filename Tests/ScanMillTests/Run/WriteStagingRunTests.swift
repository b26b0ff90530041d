import Foundation
import TestSupport
import Testing

/// `write-frames` and `write-staging` as people run them.
@Suite struct WriteStagingRunTests {
    private static let pipeline = """
        name: staging
        stages:
          - read
          - select-every: {step: 2}
          - decompress
          - mask-confidence: {at-least: 1}
          - write-frames: {color: jpeg}
          - write-staging: {rgb: mp4}
        """

    /// Every file below a folder with its content.
    private static func tree(_ folder: URL) throws -> [String: Data] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        return try names.reduce(into: [:]) { tree, name in
            let url = folder.appendingPathComponent(name)
            if try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true {
                tree[name] = try Data(contentsOf: url)
            }
        }
    }

    @Test func rerunsAreIdenticalForAnyNumberOfJobs() throws {
        let folder = try TemporaryFolder()
        for (id, pictures) in [("still", MiniCapture.Pictures.png), ("moving", .mp4)] {
            var mini = MiniCapture()
            (mini.id, mini.pictures, mini.frameCount) = ("captures/\(id)", pictures, 16)
            try mini.write(in: folder)
        }
        try folder.write(Self.pipeline, to: "staging.yaml")
        var trees: [[String: Data]] = []
        for jobs in [1, 2, 8] {
            let run = try Scanmill.run(
                ["run", "staging.yaml", "captures", "-o", "out-\(jobs)", "--jobs", "\(jobs)"], in: folder.path)
            #expect(run.status == 0, "\(run.errors)")
            trees.append(
                try ["still", "moving"].reduce(into: [:]) { all, id in
                    for (name, bytes) in try Self.tree(folder.url("out-\(jobs)/\(id)")) { all["\(id)/\(name)"] = bytes }
                })
        }
        #expect(trees[0].keys.contains("moving/moving.mp4"))
        #expect(trees[0].keys.contains("still/outputs/depth/7.png"))
        #expect(trees[0] == trees[1])
        #expect(trees[0] == trees[2])
    }

    @Test func anUntouchedVideoNeedsNoFFmpeg() throws {
        let folder = try TemporaryFolder()
        var mini = MiniCapture()
        mini.pictures = .mp4
        try mini.write(in: folder)
        let stages = "stages:\n  - read\n  - select-frames: {exclude: [20]}\n  - write-staging: {depth: source}\n"
        try folder.write("name: plain\n\(stages)", to: "plain.yaml")
        let arguments = ["run", "plain.yaml", "mini", "-o", "out"]
        let run = try Scanmill.run(arguments, in: folder.path, environment: ["PATH": folder.path])
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.errors.contains("recorded.mp4 was copied without a look at its frames: ffmpeg was not found"))
        #expect(try folder.bytes("out/mini/mini.mp4") == folder.bytes("mini/recorded.mp4"))

        let thinned = arguments + ["--set", "select-frames.exclude=[2]"]
        let failed = try Scanmill.run(thinned, in: folder.path, environment: ["PATH": folder.path])
        #expect(failed.status == 3)
        #expect(
            failed.errors.contains("error: ffmpeg was not found\n  --> mini, stage write-staging"), "\(failed.errors)")
        // The older result is still there.
        #expect(try folder.bytes("out/mini/mini.mp4") == folder.bytes("mini/recorded.mp4"))
    }

    @Test func aPipelineWithoutDecompressIsExplained() throws {
        let folder = try TemporaryFolder()
        try MiniCapture().write(in: folder)
        try folder.write("name: short\nstages:\n  - read\n  - write-staging\n", to: "short.yaml")
        let check = try Scanmill.run(["check", "short.yaml"], in: folder.path)
        #expect(check.status == 2)
        #expect(
            check.errors.contains(
                """
                short.yaml:4:5: error: `write-staging` needs depth, which no stage before it makes
                    - write-staging
                      ^
                  fix: put `decompress` above it, or set `depth: source`
                """), "\(check.errors)")
    }
}
