import Foundation
import TestSupport
import Testing

/// How many instructions a frame takes in whole pipelines, outside the hot loops too: what stages, formats and the runner
/// do for each frame, and the part of Swift's library in it. A generic function that another module does not specialise,
/// for one, costs ten times as much without changing any result.
@Suite struct PipelineCountTests {
    /// Of the pipelines of `make bench`, as Swift 6.3 compiles them for x86-64; what zlib, libjpeg and the like take is
    /// theirs, and differs between their versions. Where threads wait for each other on a busy machine, counts are up to
    /// 4 % higher: these are from the middle.
    static let recorded = ["voxels": 3_537_589, "depth-png": 1_343_342, "blur-pictures": 1_460_000]

    @Test(
        .disabled(if: Sanitizer.isOn, "a sanitizer adds instructions of its own"),
        arguments: recorded.keys.sorted())
    func aFrameCostsWhatItDid(_ pipeline: String) throws {
        guard try Callgrind.isUsable() else { return }
        let processor = try String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)
        guard ["avx2", "f16c"].allSatisfy(processor.contains) else {
            print("SKIPPED: instruction counts of pipelines, which are those of a processor with AVX2 and F16C")
            return
        }
        let folder = try TemporaryFolder()
        let file = "\(SharedData.checkout.path)/Tests/Benchmarks/pipelines/\(pipeline).yaml"
        // What is not done for each frame falls out of the difference.
        let counts = try [10, 30].map { frames in
            let capture = "\(folder.path)/capture\(frames)"
            _ = try Scanmill.run(["sample", capture, "--frames", String(frames)])
            let result = "\(folder.path)/out\(frames)"
            let (_, lines) = try Callgrind.count("pipeline-counts", [file, capture, result], withCallees: false)
            return lines.filter { $0.object.hasSuffix("/pipeline-counts") || $0.object.contains("/libswift") }
                .reduce(0) { $0 + $1.instructions }
        }
        let count = (counts[1] - counts[0]) / 20
        print("\(pipeline): \(count) instructions a frame")
        #if swift(>=6.3) && !swift(>=6.4) && arch(x86_64)
            let recorded = try #require(Self.recorded[pipeline])
            let change = Double(count) / Double(recorded) - 1
            #expect(
                abs(change) <= KernelCountTests.tolerance,
                "a frame took \(recorded) instructions and takes \(count) now: record it if that is meant")
        #endif
    }
}
