import Foundation
import TestSupport
import Testing

extension Torture {
    /// R7: one bad capture does not stop the batch.
    @Suite struct BadCaptureTests {
        /// What is done to a good capture's file, and a part of what must be said of it.
        struct Damage: Sendable {
            var file: String
            var change: @Sendable ([UInt8]) -> [UInt8]?
            var cause: String
        }

        static let damages: [Damage] = [
            Damage(file: "recorded.json", change: { Array($0.prefix($0.count / 2)) }, cause: "recorded.json"),
            Damage(file: "recorded.jsonl", change: { Array("not JSON\n".utf8) + $0 }, cause: "recorded.jsonl"),
            Damage(file: "recorded.jsonl", change: { _ in [] }, cause: "recorded.jsonl"),
            Damage(
                file: "recorded.jsonl", change: { Array($0.prefix($0.count / 2)) }, cause: "recorded.jsonl"),
            Damage(
                file: "recorded.jsonl",
                change: {
                    Array(
                        String(decoding: $0, as: UTF8.self).replacing("\"transform\":[1,", with: "\"transform\":[0,")
                            .utf8)
                },
                cause: "the pose is singular"),
            Damage(
                file: "recorded.depth.zlib", change: { Array($0.prefix($0.count / 2)) }, cause: "depth stream truncated"
            ),
            Damage(file: "recorded.depth.zlib", change: { _ in [] }, cause: "depth"),
            Damage(file: "recorded.depth.zlib", change: { $0.map { _ in 0xFF } }, cause: "depth"),
            Damage(file: "recorded.depth.zlib", change: { _ in nil }, cause: "depth"),
            Damage(
                file: "color/000001.png", change: { $0.map { _ in 0x20 } }, cause: "000001.png"),
        ]

        @Test func tenOfAHundred() throws {
            let folder = try TemporaryFolder()
            try folder.write(Rig.pipeline, to: "torture.yaml")
            for number in 0..<100 {
                try MiniCapture(id: "in/c\(number)", frameCount: 3).write(in: folder)
                guard number % 10 == 4 else { continue }
                let damage = Self.damages[number / 10]
                let path = "in/c\(number)/\(damage.file)"
                if let bytes = damage.change(try folder.bytes(path)) {
                    try folder.write(bytes, to: path)
                } else {
                    try FileManager.default.removeItem(at: folder.url(path))
                }
            }
            let result = try Scanmill.run(["run", "torture.yaml", "in", "-o", "out"], in: folder.path)
            #expect(result.status == 1)
            #expect(result.output.contains("100 captures: 90 done, 10 failed; results are in out"), "\(result.output)")
            let names = ResultTree("\(folder.path)/out/c0")?.files.count
            for number in 0..<100 {
                let (id, tree) = ("c\(number)", ResultTree("\(folder.path)/out/c\(number)"))
                if number % 10 == 4 {
                    let damage = Self.damages[number / 10]
                    #expect(tree == nil)
                    #expect(result.output.contains("failed   \(id)  "))
                    // The messages of a capture go from its note to the next one's.
                    let text = result.errors.components(separatedBy: "error: ").first {
                        $0.contains("published for \(id)\n")
                    }
                    #expect(
                        text?.contains(damage.cause) == true,
                        "\(damage.file), \(damage.cause): \(text ?? "no message")")
                } else {
                    #expect(tree?.defects == [], "\(id)")
                    #expect(tree?.files.count == names, "\(id)")
                }
            }
        }
    }
}
