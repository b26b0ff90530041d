import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct WritePlyTests {
    private func points(_ run: StageRun, _ file: String = "memory.ply") throws -> (names: [String], points: [[Double]])
    {
        let ply = try PythonReaders.run("print(json.dumps(read_ply(sys.argv[1])))", ["\(run.path)/\(file)"])
        return (ply["properties"]?.array?.compactMap(\.string) ?? [], ply["points"]?.array?.compactMap(\.doubles) ?? [])
    }

    @Test func everyFramesPointsInTheOrderOfTheFrames() throws {
        let capture = MemoryCapture([
            .init(points: [1, 2, 3, 0.1, -0.5, 1e-7], colors: [1, 2, 3, 255, 0, 128]), .init(points: [], colors: []),
            .init(points: [7, 8, 9], colors: [4, 5, 6]),
        ])
        for workers in [1, 3] {
            let run = try StageRun("- write-ply", on: capture, workers: workers)
            let (names, points) = try points(run)
            #expect(names == ["x", "y", "z", "red", "green", "blue"])
            #expect(
                points == [
                    [1, 2, 3, 1, 2, 3], [Double(Float(0.1)), -0.5, Double(Float(1e-7)), 255, 0, 128],
                    [7, 8, 9, 4, 5, 6],
                ])
            #expect(run.count("write-ply", "points") == 3)
            #expect(run.files == ["memory.ply"])
        }
    }

    @Test func pointsWithoutColourHaveNoColours() throws {
        let (names, points) = try points(try StageRun("- write-ply", on: MemoryCapture([.init(points: [1, 2, 3])])))
        #expect(names == ["x", "y", "z"])
        #expect(points == [[1, 2, 3]])
    }

    @Test func belowVoxelDownsampleTheCloudIsWritten() throws {
        let capture = MemoryCapture([.init(points: [0.25, 0, 0, 0.75, 0, 0], colors: [0, 0, 0, 2, 4, 6])])
        let run = try StageRun("- voxel-downsample: {size: 1}\n- write-ply", on: capture)
        #expect(try points(run).points == [[0.5, 0, 0, 1, 2, 3]])
        #expect(run.count("write-ply", "points") == 1)
        // Above it, the frames' own.
        let above = try StageRun("- write-ply\n- voxel-downsample: {size: 1}", on: capture)
        #expect(try points(above).points.count == 2)
    }

    /// Points of frames that all are gone are no cloud that the capture did not bring along.
    @Test func noPointsAreSaidWhateverTheReaderSays() throws {
        var capture = MemoryCapture([.init(depth: [1, 1])])
        capture.absences[.cloud] = "points3D.txt holds no points"
        let run = try StageRun("- mask-range: {near: 2}\n- unproject\n- write-ply", on: capture)
        #expect(
            run.warnings.contains("write-ply: the cloud holds no points: the stages above left none"), "\(run.warnings)"
        )
    }

    /// Python reads what the option says; ScanMill reads metres again.
    @Test(arguments: [("m", 1.0), ("cm", 100.0), ("mm", 1000.0), ("ft", 1 / 0.3048), ("in", 1 / 0.0254)])
    func unitsOfOtherPrograms(_ unit: String, perMetre: Double) throws {
        let capture = MemoryCapture([.init(points: [1, -2.5, 0.001]), .init(points: [7, 8, 9])])
        for stages in ["", "- voxel-downsample: {size: 0.0001}\n"] {
            let run = try StageRun(stages + "- write-ply: {unit: \(unit)}", on: capture)
            let written = try points(run).points.flatMap { $0 }
            let wanted = [1, -2.5, 0.001, 7, 8, 9].map { $0 * perMetre }
            #expect(zip(written, wanted).allSatisfy { abs($0 - $1) < 2e-7 * abs($1) }, "\(written)")
            var reader = try PLYReader(MemorySource(try run.bytes("memory.ply"), name: "memory.ply"))
            let metres = try reader.next()?.positions ?? []
            #expect(zip(metres, [1, -2.5, 0.001, 7, 8, 9]).allSatisfy { abs($0 - $1) < 3e-7 * abs($1) }, "\(metres)")
        }
    }

    @Test func theAxisThatPointsUp() throws {
        var capture = MemoryCapture([.init(points: [1, 2, 3])])
        let recorded = try StageRun("- write-ply: {up: y}", on: capture)
        #expect(try points(recorded).points == [[1, 2, 3]])
        #expect(recorded.counts("write-ply")["applied-transform"] == nil)
        let turned = try StageRun("- write-ply: {up: z}", on: capture)
        #expect(try points(turned).points == [[1, -3, 2]])
        #expect(turned.counts("write-ply")["applied-transform"] != nil)
        capture.worldUp = nil
        let problem = problem { _ = try StageRun("- write-ply: {up: z}", on: capture) }
        #expect(problem?.summary == "the capture does not say which way is up")
        #expect(problem?.fix?.hasSuffix("--set write-ply.up=recorded") == true)
    }

    @Test func noPointsAtAllAreStillAFile() throws {
        let run = try StageRun("- write-ply", on: MemoryCapture([.init(points: [])]))
        #expect(try points(run).points.isEmpty)
        #expect(run.count("write-ply", "points") == 0)
    }

    @Test func thePathIsAnOption() throws {
        let capture = MemoryCapture([.init(points: [1, 2, 3])])
        let run = try StageRun("- write-ply: {file: \"clouds/{id}-all.ply\"}\n- write-ply", on: capture)
        #expect(run.files == ["clouds/memory-all.ply", "memory.ply"])
        #expect(try run.bytes("clouds/memory-all.ply") == run.bytes("memory.ply"))
    }

    @Test func aPathThatCannotBeIsAMistakeOfThePipeline() {
        let table: [(String, [String])] = [
            ("a.obj", ["`file` does not end in .ply"]),
            ("../a.ply", ["`file` is no plain path in the result's folder"]),
            ("/a.ply", ["`file` is no plain path in the result's folder"]),
            ("a//b.ply", ["`file` is no plain path in the result's folder"]),
            ("./a.ply", ["`file` is no plain path in the result's folder"]), ("a/..b/c.ply", []),
            ("{ID}.ply", ["`file` has braces that stand for nothing"]),
            ("a\\0b.ply", ["`file` holds a character that no file's name should: number 0"]),
            ("a\\nb.ply", ["`file` holds a character that no file's name should: number A"]),
            (
                "\(String(repeating: "ä", count: 130)).ply",
                ["`file` holds a name of 264 bytes, and file systems take 255 at most"]
            ),
            ("\(String(repeating: "a", count: 251)).ply", []),
        ]
        for (path, mistakes) in table {
            let found = StageRun.mistakes(in: "- write-ply: {file: \"\(path)\"}")
            #expect(found == mistakes, "\(path)")
        }
        #expect(
            StageRun.mistakes(in: "- write-ply\n- write-ply") == [
                "`write-ply[2]` and `write-ply[1]` both write {id}.ply"
            ])
    }

    /// Names that are the same only once the capture's id is known.
    @Test func twoFilesOfOneNameAreRefusedBeforeTheFirstFrame() throws {
        let capture = MemoryCapture([MemoryCapture.Item(points: [1, 2, 3])])
        let stages = "- voxel-downsample\n- write-ply: {file: memory.ply}\n- write-ply"
        #expect(StageRun.mistakes(in: stages) == [])
        let problem = problem { _ = try StageRun(stages, on: capture) }
        #expect(problem?.summary == "`write-ply[2]` and `write-ply[1]` both write memory.ply")
        #expect(problem?.place.file == nil && problem?.isOfPipeline == true)
        #expect(
            StageRun.mistakes(in: "- voxel-downsample\n- write-ply: {file: receipt.json/a.ply}").first
                == "`write-ply` would write receipt.json/a.ply, and receipt.json is the result's own")
    }
}
