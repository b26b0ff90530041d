import Foundation
import ScanModel
import ScanPipeline
import ScanStages
import TestSupport
import Testing

/// The schema says of a pipeline what the tool says: judged by Python's jsonschema, which stands for an editor's.
@Suite struct SchemaCommandTests {
    @Test func itIsTheCommittedOne() throws {
        let committed = try Data(
            contentsOf: SharedData.checkout.appendingPathComponent("pipelines/pipeline.schema.json"))
        let result = try Scanmill.run(["schema"])
        #expect(result.status == 0)
        let isSame = result.outputBytes == [UInt8](committed)
        #expect(isSame, "run `make docs` and commit the schema")
    }

    /// Pipelines with one mistake each, of those that can be seen without running anything.
    static let broken = [
        "name: no-stages", "stages: []", "stages: read", "stages: [reed]", "stages: [{reed: {}}]", "stages: [read, 3]",
        "stages: [{read: {formt: auto}}]", "stages: [{read: {format: multscan}}]", "stages: [{read: fail}]",
        "stages: [{read: {bad-frame-limit: 1.5}}]", "stages: [{read: {bad-frame-limit: half}}]",
        "stages: [{read: {max-frames: 0}}]", "stages: [{read: {max-frames: 2.5}}]",
        "stages: [{read: {}, decompress: {}}]", "stages: [read]\nversion: 2", "stages: [read]\nname: [a]",
        "stages: [{synthesize: {pictures: 1}}]", "stages: [read, {downscale: {by: [0]}}]",
        "stages: [decompress]", "stages: [decompress, read]", "stages: [{decompress: {}}]",
    ]

    @Test(.disabled(if: Sanitizer.isOn, "Python is no part of what a sanitizer looks at"))
    func editorsAgreeWithTheTool() throws {
        let checkout = SharedData.checkout
        let folder = try TemporaryFolder()
        let ready = checkout.appendingPathComponent("pipelines")
        var sound = try FileManager.default.contentsOfDirectory(atPath: ready.path).filter { $0.hasSuffix(".yaml") }
            .map { ready.appendingPathComponent($0).path }
        #expect(sound.count >= 5)
        sound.append(checkout.appendingPathComponent("Tests/ForeignReaders/every-writer.yaml").path)
        for entry in StageLibrary.builtIn.entries {
            let reader = entry.uses.finish.makes.contains(.frames) ? "" : "  - read\n"
            sound.append(
                try folder.write("stages:\n\(reader)  \(entry.card.example)\n", to: "\(entry.card.name).yaml"))
        }
        let broken = try Self.broken.enumerated().map { try folder.write($0.element, to: "broken-\($0.offset).yaml") }

        let readers = checkout.appendingPathComponent("Tests/ForeignReaders/pipeline_schema.py").path
        let environment = checkout.appendingPathComponent(".build/foreign-schema").path
        let schema = try folder.write(try Scanmill.run(["schema"]).outputBytes, to: "pipeline.schema.json")
        let judged = try runCommand(["python3", "-B", readers, environment, schema] + sound + broken)
        if judged.status == 77 {
            print("SKIPPED: the schema in another program, because jsonschema \(judged.output)")
            return
        }
        #expect(judged.status == 0, "\(judged.errors)")
        var lines = judged.output.split(separator: "\n").map(String.init)
        #expect(lines.first?.hasPrefix("sound: ") == true)
        lines.removeFirst()
        try #require(lines.count == sound.count + broken.count)
        for (path, line) in zip(sound, lines) { #expect(line == "valid", "\(path)") }
        for (path, line) in zip(broken, lines.dropFirst(sound.count)) {
            let text = try String(contentsOfFile: path, encoding: .utf8)
            #expect(line.hasPrefix("broken: "), "\(text)")
            #expect(try Scanmill.run(["check", path]).status == 2, "\(text)")
        }
    }

    /// The line by which an editor finds the schema beside a pipeline.
    @Test func readyPipelinesNameTheirSchema() throws {
        let ready = SharedData.checkout.appendingPathComponent("pipelines")
        for name in try FileManager.default.contentsOfDirectory(atPath: ready.path) where name.hasSuffix(".yaml") {
            let text = try String(contentsOf: ready.appendingPathComponent(name), encoding: .utf8)
            let first = text.prefix { $0 != "\n" }
            #expect(first.hasPrefix("# yaml-language-server: $schema="), "\(name)")
            let schema = first.drop { $0 != "=" }.dropFirst()
            #expect(FileManager.default.fileExists(atPath: ready.appendingPathComponent(String(schema)).path))
        }
    }
}
