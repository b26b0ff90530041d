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
        ("ply", "write-ply"), ("export-ply", "write-ply"), ("undistort.one-camera", "undistort"),
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

    /// Whose option it is, or a value of whose.
    @Test(arguments: [
        ("one-camera", "`one-camera` is an option of `undistort`"),
        ("One_Camera", "`One_Camera` is an option of `undistort`"),
        ("per-face", "`per-face` is an option of `select-keyframes`"),
        ("mask-as=alpha", "`mask-as` is an option of `write-colmap` and `write-transforms`"),
        ("alpha", "`alpha` is a value of `mask-as`, an option of `write-colmap` and `write-transforms`"),
    ])
    func aNameOfAnOption(_ word: String, _ owners: String) throws {
        let suggestion = try #require(StageLibrary.builtIn.suggestion(for: word))
        let parts = { (text: String) in Set(text.split { $0 == " " || $0 == "," }) }
        #expect(parts(suggestion) == parts(owners), "\(suggestion)")
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
