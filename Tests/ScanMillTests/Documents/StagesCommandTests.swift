import ScanModel
import ScanPipeline
import ScanStages
import TestSupport
import Testing

@Suite struct StagesCommandTests {
    @Test func everyStageIsListedWithItsSummary() throws {
        let result = try Scanmill.run(["stages"])
        let lines = result.output.split(separator: "\n")
        #expect(lines.count == StageLibrary.builtIn.entries.count)
        for (line, entry) in zip(lines, StageLibrary.builtIn.entries) {
            #expect(line.hasPrefix(entry.card.name + " ") && line.hasSuffix(entry.card.summary))
        }
    }

    @Test(arguments: StageLibrary.builtIn.names)
    func eachHasAPageWithAllItsOptions(_ name: String) throws {
        let entry = try #require(StageLibrary.builtIn[name])
        let text = try Scanmill.run(["stages", name]).output
        for option in entry.options { #expect(text.contains("  \(option.name): ")) }
        #expect(text.contains(entry.card.example))
        let json = try JSONValue.parse(Array(try Scanmill.run(["stages", name, "--json"]).output.utf8), file: "stdout")
        #expect(json["options"]?.array?.count == entry.options.count)
    }

    /// People who do not know a stage's name know what it is about.
    @Test(arguments: [
        ("write-nerf", "write-transforms"), ("write-nerfstudio", "write-transforms"),
        ("voxel-grid", "voxel-downsample"),
        ("voxel-downsampel", "voxel-downsample"), ("find-plane", "find-floor"), ("undistortion", "undistort"),
    ])
    func aNameOfThatKind(_ word: String, _ stage: String) {
        #expect(StageLibrary.builtIn.suggestion(for: word) == "did you mean `\(stage)`?")
    }

    @Test func namesOfThatKind() {
        #expect(
            StageLibrary.builtIn.suggestion(for: "blur")
                == "did you mean `measure-blur` or `filter-blur` or `predict-blur`?")
        #expect(StageLibrary.builtIn.suggestion(for: "poisson") == nil)
    }

    /// What a card shows as its example must be right.
    @Test(arguments: StageLibrary.builtIn.names)
    func eachExampleIsUnderstood(_ name: String) throws {
        let entry = try #require(StageLibrary.builtIn[name])
        let (file, problems) = PipelineFile.parse("stages:\n  \(entry.card.example)\n", path: "example")
        #expect(problems.isEmpty)
        #expect(file.entries.map(\.stage) == [name])
        do {
            _ = try Pipeline.build(file, library: .builtIn)
        } catch {
            // A stage alone may lack what comes before it; its own options must be right.
            for problem in error.problems {
                #expect(problem.place.stage == nil, "\(problem.compilerStyle)")
                #expect(!problem.summary.contains("has no option"), "\(problem.compilerStyle)")
            }
        }
    }

    @Test func aSlipIsForgiven() throws {
        let result = try Scanmill.run(["stages", "voxel-downsampel"])
        #expect(result.status == 2)
        #expect(result.errors.contains("did you mean `voxel-downsample`?"))
    }
}
