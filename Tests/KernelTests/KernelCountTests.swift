import TestSupport
import Testing

/// How many instructions the hot loops take for one frame of 256×192 depth and 640×480 colour, counted by callgrind: the
/// same on every run, however busy the machine is. They are held against figures that were recorded when they were good,
/// and against the same loops in C (Tests/KernelTwins).
@Suite struct KernelCountTests {
    struct Expectation {
        /// Instructions of one call, as Swift 6.3 compiles it for x86-64.
        var recorded: Int
        /// How many times its twin's instructions it may take there.
        var limit = 1.1
    }

    static let expectations: [String: Expectation] = [
        "mask_range": Expectation(recorded: 191_441),
        "mask_confidence": Expectation(recorded: 202_844),
        "mask_jumps": Expectation(recorded: 227_410),
        "valid_count": Expectation(recorded: 67_609),
        "unproject": Expectation(recorded: 1_282_526),
        "unproject_colored": Expectation(recorded: 2_236_615, limit: 1.15),
        "cull_by_box": Expectation(recorded: 1_498_833),
        // The twin gets the depth map with its border.
        "normals": Expectation(recorded: 14_881_151, limit: 1.35),
        "voxels": Expectation(recorded: 6_928_619, limit: 1.2),
        "fuse": Expectation(recorded: 16_236_342, limit: 1.4),
        "halve": Expectation(recorded: 1_883_586),
        "halve_thrice": Expectation(recorded: 2_155_230),
    ]

    /// How far a count may be from the recorded one.
    static let tolerance = 0.05

    /// How many times the limits, which are x86-64's, a count may reach. What vectors save elsewhere is not known, but a
    /// loop that the compiler does not specialise takes ten times as much on any processor.
    #if arch(x86_64)
        private static let leeway = 1.0
    #else
        private static let leeway = 2.0
    #endif

    @Test(.disabled(if: Sanitizer.isOn, "a sanitizer adds instructions of its own"))
    func theHotLoopsAreAsShortAsTheyWere() throws {
        guard let run = try CountedRun() else { return }
        #expect(Set(run.results.keys) == Set(Self.expectations.keys))
        for (name, expected) in Self.expectations.sorted(by: { $0.key < $1.key }) {
            let (kernel, twin) = try #require(run.results[name])
            #expect(kernel == twin, "\(name) and its twin do not compute the same")
            let count = try #require(run.instructions["kernel_\(name)"])
            // Colours are gathered beside the positions, by two loops.
            let parts = name == "unproject_colored" ? ["unproject", name] : [name]
            let inC = try parts.reduce(0) { $0 + (try #require(run.instructions["twin_\($1)"])) }
            print("\(name): \(count) instructions, \(Double(count * 100 / inC) / 100) of its twin's in C")
            #expect(
                Double(count) <= Double(inC) * expected.limit * Self.leeway,
                "\(name) takes \(count) instructions, its twin in C \(inC)")
            #if swift(>=6.3) && !swift(>=6.4) && arch(x86_64)
                let change = Double(count) / Double(expected.recorded) - 1
                #expect(
                    abs(change) <= Self.tolerance,
                    "\(name) took \(expected.recorded) instructions and takes \(count) now: record it if that is meant")
            #endif
        }
    }
}

/// The kernels' program under callgrind.
private struct CountedRun {
    /// What each kernel and its twin gave.
    var results: [String: (kernel: String, twin: String)] = [:]
    /// Instructions, those of callees too, by the function's name.
    var instructions: [String: Int] = [:]

    /// Nil, and said aloud, where instructions cannot be counted.
    init?() throws {
        guard try Callgrind.isUsable() else { return nil }
        let (output, lines) = try Callgrind.count("kernel-counts", withCallees: true)
        for line in output.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            if words.count == 3 { results[words[0]] = (words[1], words[2]) }
        }
        for line in lines where line.name.hasPrefix("kernel_") || line.name.hasPrefix("twin_") {
            instructions[line.name] = max(instructions[line.name] ?? 0, line.instructions)
        }
    }
}
