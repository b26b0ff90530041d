import ScanFormats
import ScanModel
import TestSupport
import Testing

/// `write-colmap: {inverse-depth: true}`, by the arithmetic of the trainer that it is for.
@Suite struct InverseDepthTests {
    /// What `train.py -d inverse-depths` makes of a model: by picture in the model's order, whether it learns the depth,
    /// and 1/z of each pixel.
    private func learned(_ run: StageRun) throws -> [(isLearned: Bool, inverse: [Double])] {
        let pictures = try PythonReaders.run(
            """
            folder = sys.argv[1] + '/colmap'
            parameters = json.load(open(folder + '/sparse/0/depth_params.json'))
            images = read_colmap_binary(folder + '/sparse/0')['images']
            stems = [i['name'][:-len(i['name'].split('.')[-1]) - 1] for i in images]
            assert list(parameters) == stems, (list(parameters), stems)
            scales = sorted(p['scale'] for p in parameters.values() if p['scale'] > 0)
            median = scales[len(scales) // 2] if scales else 0
            def learned(stem):
                picture, p = read_png(folder + '/inverse-depths/' + stem + '.png'), parameters[stem]
                assert (picture['bits'], picture['channels']) == (16, 1)
                values = [x / 2 ** 16 for row in picture['rows'] for x in row]
                if p['scale'] > 0: values = [x * p['scale'] + p['offset'] for x in values]
                return [[int(not (p['scale'] < 0.2 * median or p['scale'] > 5 * median))], values]
            print(json.dumps([learned(stem) for stem in stems]))
            """, [run.path])
        return try #require(pictures.array).map { picture in
            let parts = try #require(picture.array)
            return (parts[0].doubles == [1], try #require(parts[1].doubles))
        }
    }

    @Test func theTrainerGetsInverseMetres() throws {
        var capture = try MemoryCapture.posed(2)
        let metres: [Float] = [0.05, 0.125, 0.25, 0.7, 1, 1.5, 2.1, 3, 4.9, 7, 20, 60]
        capture.items[1].depth?.metres = metres
        let run = try StageRun("- write-colmap: {inverse-depth: true}", on: capture)
        let pictures = try learned(run)
        #expect(pictures.map(\.isLearned) == [true, true])
        for (inverse, z) in zip(pictures[1].inverse, metres) {
            // The nearest that can be said is 12.5 cm; steps are 1/8192 per metre.
            #expect(abs(inverse - 1 / max(Double(z), 0.125)) <= 1.0001 / 8192, "\(z) m")
        }
        #expect(!run.files.contains { $0.hasPrefix("colmap/depths/") })
        #expect(run.warnings == [])
    }

    @Test func holesAreFilledAndPicturesThatAreMostlyHolesPassedOver() throws {
        var capture = try MemoryCapture.posed(3)
        capture.items[0].depth?.metres = [1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 0]
        capture.items[1].depth?.metres = [1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0]
        capture.items[2].depth = nil
        let run = try StageRun("- write-colmap: {inverse-depth: true}", on: capture)
        let pictures = try learned(run)
        #expect(pictures.map(\.isLearned) == [true, false, false])
        #expect(pictures[0].inverse == Array(repeating: 1, count: 12))
        #expect(run.count("write-colmap", "inverse-depths-unused") == 2)
        #expect(run.warnings == [])
    }

    /// Without any positive scale the trainer's median is 0, and a scale of 0 would count as reliable.
    @Test func aModelWithoutDepthLearnsNoneAndWarns() throws {
        var capture = try MemoryCapture.posed(2)
        for index in 0..<2 { capture.items[index].depth?.metres = Array(repeating: 0, count: 12) }
        let run = try StageRun("- write-colmap: {inverse-depth: true}", on: capture)
        #expect(try learned(run).map(\.isLearned) == [false, false])
        #expect(run.warnings.contains { $0.contains("passes over all of the depth") }, "\(run.warnings)")
    }

    @Test func whereAPictureIsCutOutThereIsNothingAtAnyDepth() throws {
        var capture = try MemoryCapture.posed(1)
        // The left half of 8 × 6 pixels, and so of 4 × 3 depth pixels.
        capture.items[0].mask = LumaImage(
            width: 8, height: 6, pixels: (0..<48).map { $0 % 8 < 4 ? 255 : 0 })
        capture.items[0].depth?.metres = Array(repeating: 2, count: 12)
        let stage = "- write-colmap: {inverse-depth: true"
        let cut = try learned(StageRun(stage + ", mask-as: alpha}", on: capture))
        #expect(cut[0].inverse == (0..<12).map { $0 % 4 < 2 ? 0.5 : 0 })
        // Masks that are files are none of this trainer's.
        let whole = try learned(StageRun(stage + "}", on: capture))
        #expect(whole[0].inverse == Array(repeating: 0.5, count: 12))
    }

    @Test func aCaptureWithoutDepthIsToldWhatToDo() throws {
        var capture = try MemoryCapture.posed(1)
        capture.items[0].depth = nil
        let one = problem { _ = try StageRun("- write-colmap: {inverse-depth: true}", on: capture) }
        #expect(one?.fix == "do without `inverse-depth: true` with  --set write-colmap.inverse-depth=false")
        let both = problem { _ = try StageRun("- write-colmap: {depth: true, inverse-depth: true}", on: capture) }
        #expect(both?.fix?.contains("--set write-colmap.depth=false --set write-colmap.inverse-depth=false") == true)
    }
}
