import ScanModel
import ScanPipeline
import Testing

@Suite struct ResultKeyTests {
    private static func key(
        _ fixture: DiskFixture, _ text: String = "stages: [read, write]", id: String = "a", tool: String = "scanmill 0"
    ) throws -> ResultKey {
        let input = try fixture.capture(id)
        let output = try OutputFolder(root: fixture.path + "/other", id: id)
        return try Runner(pipeline: try fixture.pipeline(text), workers: 1, tool: tool).run(input, into: output).key
    }

    @Test func whatDecidesAResult() throws {
        let fixture = try DiskFixture()
        let key = try Self.key(fixture)
        #expect(try Self.key(fixture) == key)
        #expect(try Self.key(fixture, tool: "scanmill 9") == key)
        #expect(try Self.key(fixture, "# the same\nname: p\nstages:\n  - read\n  - write: {level: 1}\n") == key)
        #expect(try Self.key(fixture, "stages: [read, write: {level: 2}]") != key)
        #expect(try Self.key(fixture, id: "b") != key)
        fixture.versions.withLock { $0.tool = "2" }
        #expect(try Self.key(fixture) != key)
    }

    /// A picture that no stage uses decides for which size cameras are: its bytes are no part of the key, and the
    /// cameras are.
    @Test(arguments: 0..<7) func aCameraThatChanges(_ number: Int) throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        var camera = ["500", "501", "320", "240", "640", "480", "corner"]
        func writePicture(_ ending: String, minutesAgo: Double) throws {
            let text = camera.joined(separator: " ") + ending
            try fixture.write(text, to: "in/a/picture.jpg", minutesAgo: minutesAgo)
        }
        try writePicture("", minutesAgo: 50)
        guard case .done = try fixture.run(input) else { Issue.record("not made"); return }
        try writePicture(" ", minutesAgo: 40)
        #expect(try fixture.run(input) == .upToDate)
        camera[number] = number == 6 ? "centre" : camera[number] + "0"
        try writePicture("", minutesAgo: 30)
        guard case .done = try fixture.run(input) else { Issue.record("not made again"); return }
    }

    /// What a reader makes of files whose bytes are no part of the key is one.
    @Test func whatIsReadOfFramesDecidesToo() throws {
        let camera = CameraIntrinsics(fx: 5, fy: 5, cx: 2, cy: 2, width: 4, height: 4, pixelOrigin: .corner)
        let changes: [@Sendable (inout FrameFacts) -> Void] = [
            { _ in }, { $0.timestamp = 5 }, { $0.timestamp = 6 }, { $0.exposure = 5 }, { $0.exposure = 6 },
            { $0.pose = .identity }, { $0.intrinsics = camera }, { $0.drop = Drop(stage: "read", reason: "no pose") },
        ]
        let keys = try changes.map { change in
            let read = Mock.reader(2) { change(&$0.frames[1]) }
            return try MockRun([read, .decompress, .unproject, .ply]).receipt.key
        }
        #expect(Set(keys).count == changes.count)
    }

    @Test func digestsOfPipelines() throws {
        let fixture = try DiskFixture()
        let digest = try fixture.pipeline().digest
        #expect(try fixture.pipeline("stages: [read, {write: {}}]").digest == digest)
        #expect(try fixture.pipeline("stages: [read, {write: {level: 3}}]").digest != digest)
        fixture.versions.withLock { $0.stage = 2 }
        #expect(try fixture.pipeline().digest != digest)
    }
}
