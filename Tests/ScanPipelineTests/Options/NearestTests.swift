import ScanPipeline
import TestSupport
import Testing

@Suite struct NearestTests {
    static let stages = [
        "read", "select-every", "select-frames", "filter-blur", "decompress", "mask-confidence", "mask-range",
        "mask-jumps",
        "unproject", "cull-by-box", "voxel-downsample", "write-ply", "write-transforms", "write-colmap",
    ]

    @Test(arguments: [
        ("reed", "read"), ("decompres", "decompress"), ("decompresss", "decompress"), ("unporject", "unproject"),
        ("mask_range", "mask-range"), ("Mask-Range", "mask-range"), ("maskrange", "mask-range"),
        ("mask-conf", "mask-confidence"),
        ("voxel", "voxel-downsample"), ("write-col", "write-colmap"), ("write-tr", "write-transforms"),
        ("filter-blurry", "filter-blur"), ("cull-by-boxes", "cull-by-box"), ("filter-blur-2", "filter-blur"),
    ]) func finds(_ word: String, _ stage: String) {
        #expect(Nearest.match(word, among: Self.stages) == stage)
        #expect(Nearest.suggestion(word, among: Self.stages) == "did you mean `\(stage)`?")
    }

    @Test(arguments: ["", "x", "zz", "poisson", "publish", "12345678"]) func leavesAlone(_ word: String) {
        #expect(Nearest.match(word, among: Self.stages) == nil)
    }

    @Test func numbersAreNoSlips() {
        #expect(Nearest.match("90", among: ["auto", "0", "1"]) == nil)
        #expect(Nearest.match("auto1", among: ["auto", "0", "1"]) == "auto")
    }

    @Test func capitalsAndUnderscoresAreNoDifference() {
        #expect(Nearest.match("ARKit", among: ["tum", "arkitscenes"]) == "arkitscenes")
        #expect(Nearest.match("Stray_Scanner", among: ["stray-scanner"]) == "stray-scanner")
        #expect(Nearest.match("desk", among: ["DESK"]) == "DESK")
    }

    @Test func theSameWords() {
        let options = ["min-points", "size", "mask-as"]
        #expect(Nearest.suggestion("voxel-size", among: options) == "did you mean `size`?")
        #expect(Nearest.suggestion("as-mask", among: options) == "did you mean `mask-as`?")
        #expect(Nearest.suggestion("points", among: options) == "did you mean `min-points`?")
        #expect(Nearest.suggestion("as", among: options) == nil)
    }

    @Test func noCandidates() {
        #expect(Nearest.match("read", among: []) == nil)
    }

    @Test func theFirstOfEquallyNear() {
        #expect(Nearest.match("cat", among: ["bat", "car"]) == "bat")
    }

    /// Names as long as a file are compared by their lengths alone.
    @Test func longWords() {
        let word = String(repeating: "mask-range", count: 200_000)
        #expect(Nearest.match(word, among: ["unproject", "read"]) == nil)
    }

    /// Against the recursive definition of optimal string alignment, written down in Python.
    @Test func distancesAreThoseOfTheDefinition() throws {
        var random = SplitMix(seed: 7)
        var words: [(String, String)] = [
            ("", ""), ("", "abc"), ("abc", ""), ("ab", "ba"), ("ca", "abc"), ("abcd", "badc"),
        ]
        for _ in 0..<60 {
            let pair = (0..<2).map { _ in
                String(
                    (0..<Int.random(in: 0...6, using: &random)).map { _ in "abc".randomElement(using: &random) ?? "a" })
            }
            words.append((pair[0], pair[1]))
        }
        let script = """
            import sys, functools
            def osa(a, b):
                @functools.cache
                def d(i, j):
                    if i == 0 or j == 0: return i + j
                    best = min(d(i-1, j) + 1, d(i, j-1) + 1, d(i-1, j-1) + (a[i-1] != b[j-1]))
                    if i > 1 and j > 1 and a[i-1] == b[j-2] and a[i-2] == b[j-1]: best = min(best, d(i-2, j-2) + 1)
                    return best
                return d(len(a), len(b))
            for pair in sys.argv[1:]:
                a, b = pair.split('|')
                print(osa(a, b))
            """
        let result = try runPython(script, words.map { "\($0.0)|\($0.1)" })
        let expected = result.output.split(separator: "\n").compactMap { Int($0) }
        try #require(expected.count == words.count)
        for (pair, distance) in zip(words, expected) {
            #expect(Nearest.distance(Array(pair.0.utf8), Array(pair.1.utf8)) == distance, "\(pair)")
        }
    }
}
