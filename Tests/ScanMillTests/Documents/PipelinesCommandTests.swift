import Foundation
import ScanModel
import TestSupport
import Testing

@Suite struct PipelinesCommandTests {
    private static let folder = SharedData.checkout.appendingPathComponent("pipelines")

    @Test func allAreListedWithWhatTheyAreFor() throws {
        let result = try Scanmill.run(["pipelines"])
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        let names = files.filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }.sorted()
        let lines = result.output.split(separator: "\n").map(String.init)
        #expect(result.status == 0 && lines.count == names.count + 1)
        for (name, line) in zip(names, lines) {
            let text = try String(contentsOf: Self.folder.appendingPathComponent("\(name).yaml"), encoding: .utf8)
            let description = try #require(text.split(separator: "\n").first { $0.hasPrefix("description: ") })
            #expect(line.hasPrefix("\(name)  ") && line.hasSuffix(description.dropFirst(13)), "\(line)")
        }
        #expect(lines.last == "they are in \(Self.folder.path)")
    }

    @Test func oneIsPrintedAsItIs() throws {
        for name in ["room-mesh", "room-mesh.yaml"] {
            let bytes = try Data(contentsOf: Self.folder.appendingPathComponent("room-mesh.yaml"))
            #expect(try Scanmill.run(["pipelines", name]).outputBytes == Array(bytes))
        }
        let slip = try Scanmill.run(["pipelines", "room_mesh"])
        #expect(slip.status == 2 && slip.errors.contains("fix: did you mean `room-mesh`?"), "\(slip.errors)")
    }

    private func json(_ arguments: String...) throws -> JSONValue {
        try JSONValue.parse(try Scanmill.run(["pipelines", "--json"] + arguments).outputBytes, file: "stdout")
    }

    @Test func theyAreThereForPrograms() throws {
        let all = try #require(try json().array)
        #expect(all.compactMap { $0["name"]?.string } == all.compactMap { $0["name"]?.string }.sorted())
        let one = try json("room-mesh")
        #expect(all.contains(one) && one["summary"]?.string?.contains("mesh") == true, "\(one)")
        #expect(one["path"]?.string == Self.folder.appendingPathComponent("room-mesh.yaml").path, "\(one)")
    }

    @Test func aRunTakesOneByItsName() throws {
        let quick = try QuickRun()
        // Also where the results are in a folder of that name.
        let arguments = ["decode-images", QuickRun.sample, "-o", "decode-images"]
        let plan = try Scanmill.run(["plan"] + arguments, in: quick.folder.path)
        #expect(plan.status == 0 && plan.output.contains("1 would run"), "\(plan)")
        for said in ["1 done", "1 up to date"] {
            let run = try Scanmill.run(["run"] + arguments, in: quick.folder.path)
            #expect(run.status == 0 && run.output.contains(said), "\(run)")
        }
        // With its ending it is a file, which is not there.
        let absent = try Scanmill.run(["check", "decode-images.yaml"], in: quick.folder.path)
        #expect(absent.status == 2 && absent.errors.contains("fix: did you mean `decode-images`?"), "\(absent)")
        // A folder of results is no pipeline, whatever it is called.
        let folder = try Scanmill.run(["check", "decode-image"], in: quick.folder.path)
        #expect(folder.status == 2 && folder.errors.contains("fix: did you mean `decode-images`?"), "\(folder)")
        try FileManager.default.createDirectory(at: quick.folder.url("my-own"), withIntermediateDirectories: false)
        let own = try Scanmill.run(["check", "my-won"], in: quick.folder.path)
        #expect(own.status == 2 && own.errors.contains("fix: check the path; "), "\(own)")
        // A file of that name comes first.
        try quick.folder.write(QuickRun.cloud, to: "room-mesh")
        let mesh = try Scanmill.run(["run", "room-mesh", QuickRun.sample, "-o", "own"], in: quick.folder.path)
        #expect(mesh.status == 0 && quick.names("own/desk").contains("desk.ply"), "\(mesh)")
        let swapped = try Scanmill.run(["run", QuickRun.sample, "room-cloud", "-o", "out"], in: quick.folder.path)
        #expect(swapped.errors.contains("name the pipeline first:  scanmill run room-cloud "), "\(swapped)")
    }
}
