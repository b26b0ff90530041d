import Foundation
import ScanModel
import ScanPipeline
import TestSupport
import Testing

/// The stages of a usual pipeline, without pixels: each does the least that its name promises.
extension Mock {
    /// Reads a capture of so many frames, changed by `change`.
    static func reader(_ count: Int, _ change: @escaping @Sendable (inout Capture) -> Void = { _ in }) -> Mock {
        .reader { () -> Capture in
            var capture = Capture.mock(count)
            change(&capture)
            return capture
        }
    }

    static let decompress = Mock.frame(
        "decompress",
        .init(
            needs: [.recordedDepth], makes: [.depth],
            derives: [(.confidence, from: .recordedConfidence), (.previousDepth, from: .recordedDepth)])
    ) { (frame, context) throws(Problem) in
        guard let recorded = frame.recordedDepth else { throw Problem(.input, "the frame has no recorded depth") }
        frame.depth = DepthMap(width: 1, height: 1, metres: [Float(recorded.bytes[0])])
        frame.confidence = frame.recordedConfidence
        frame.previousDepth = frame.recordedDepthBefore.map {
            DepthMap(width: 1, height: 1, metres: [Float($0.bytes[0])])
        }
        context.count("frames", 1)
    }

    /// Adds a thousand to the depth.
    static let mask = Mock.frame("mask", .init(changes: [.depth])) { frame, context in
        frame.depth = frame.depth.map { DepthMap(width: 1, height: 1, metres: [$0.metres[0] + 1000]) }
        context.count("masked", 1)
    }

    static let unproject = Mock.frame("unproject", .init(needs: [.depth], makes: [.points])) { frame, context in
        let depth = frame.depth?.metres[0] ?? -1
        frame.points = PointCloud(positions: [Float(frame.index), depth, 0])
        context.count("points", 1)
    }

    /// Gathers depths, and makes a cloud of them.
    static let sum = Mock.fold("sum", .init(needs: [.points], makes: [.cloud])) { frame, list, _ in
        list.append(Int(frame.points?.positions[1] ?? -1))
    }.ending { list, capture, context in
        capture.cloud = PointCloud(positions: list.flatMap { [0, 0, Float($0)] })
        context.record("depths", .of(list))
    }

    /// Writes `name`: a line for each frame, in order, with the depth that it sees.
    static func writer(_ name: String, to path: String, reading channels: [Channel] = [.points]) -> Mock {
        Mock.fold(name, .init(needs: channels), claims: [path]) { frame, list, _ in
            list.append(frame.index)
            list.append(Int(frame.points?.positions[1] ?? frame.depth?.metres[0] ?? -1))
        }.ending { (list, _, context) throws(Problem) in
            try context.output.write(Array(list.map(String.init).joined(separator: " ").utf8), to: path)
        }
    }

    static let ply = Mock.writer("write-ply", to: "scan.ply")

    /// A frame stage that finds some frames bad.
    static func bad(_ frames: Set<Int>, _ name: String = "picky", fault: Problem.Fault = .input) -> Mock {
        .frame(name) { (frame, _) throws(Problem) in
            if frames.contains(frame.index) {
                throw Problem(fault, "the pose is no rotation").at(file: "scan.jsonl", line: frame.index + 1)
            }
        }
    }

    /// A finish that keeps only every n-th frame.
    static func every(_ n: Int) -> Mock {
        .finish("every", .init(needs: [.frames], drops: true)) { capture, context in
            for frame in capture.keptFrames where frame.index % n != 0 {
                capture.drop(frame.index, stage: context.label, reason: "not one of every \(n)")
            }
        }
    }
}

/// Runs mocks over a capture into a fresh folder.
struct MockRun {
    var receipt: Receipt
    var output: OutputFolder
    var folder: TemporaryFolder
    var times: [StageTime]

    init(_ mocks: [Mock], workers: Int = 1, report: @escaping @Sendable (RunProgress) -> Void = { _ in }) throws {
        folder = try TemporaryFolder()
        output = try OutputFolder(root: folder.path + "/out", id: "scan")
        let runner = Runner(pipeline: try Pipeline.of(mocks), workers: workers, tool: "scanmill 0", report: report)
        let input = CaptureInput(id: "scan", path: "/somewhere/scan", pipelineFolder: folder.path)
        receipt = try runner.run(input, into: output)
        times = runner.clock.times
    }

    var json: String { String(decoding: receipt.bytes, as: UTF8.self) }

    /// The text of a file in the work folder.
    func text(_ path: String) throws -> String {
        String(
            decoding: try folder.bytes(String(output.workPath.dropFirst(folder.path.count + 1)) + "/" + path),
            as: UTF8.self)
    }

    /// What the receipt says about the frames; for each dropped one, its number, stage and reason.
    func account() throws -> (source: Int, kept: Int, by: [String: Int], dropped: [String]) {
        let json = try #require(try JSONSerialization.jsonObject(with: Data(receipt.bytes)) as? [String: Any])
        let frames = try #require(json["frames"] as? [String: Any])
        let dropped = try #require(frames["dropped"] as? [[String: Any]])
        return (
            try #require(frames["source"] as? Int), try #require(frames["kept"] as? Int),
            try #require(frames["dropped-by"] as? [String: Int]),
            dropped.map { "\($0["frame"] ?? "") \($0["stage"] ?? "") \($0["reason"] ?? "")" }
        )
    }

    func counts(_ label: String) -> JSONObject? { receipt.stages.first { $0.label == label }?.counts }
}
