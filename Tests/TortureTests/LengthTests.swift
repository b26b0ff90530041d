import Foundation
import TestSupport
import Testing

extension Torture {
    /// R11: memory does not grow with a capture's length.
    @Suite struct LengthTests {
        /// Frames of the size that devices record, and one depth map in all of them: only its length makes it large.
        private static func write(_ frames: Int, in folder: TemporaryFolder) throws {
            var capture = MiniCapture()
            capture.id = "in\(frames)/long"
            capture.frameCount = frames
            capture.pictures = .none
            capture.hasConfidence = false
            capture.hasMotion = false
            capture.hasBox = false
            let path = try capture.write(in: folder)
            let script = """
                import re, struct, sys, zlib
                path, count = sys.argv[1], int(sys.argv[2])
                meta = open(path + ".json").read().replace('"resolution":[12,16]', '"resolution":[192,256]')
                open(path + ".json", "w").write(meta)
                # Walked again and again: a path that leads ever further would make the cloud grow.
                lines = open(path + ".jsonl").read().splitlines()
                place = [re.search('"transform".*?]', line)[0] for line in lines[:100]]
                with open(path + ".jsonl", "w") as out:
                    for n, line in enumerate(lines):
                        out.write(re.sub('"transform".*?]', lambda _: place[n % 100], line) + "\\n")
                values = (1 + (u % 64) / 64 + (v % 32) / 128 for v in range(192) for u in range(256))
                frame = b"".join(struct.pack("<e", value) for value in values)
                pack = zlib.compressobj(1, zlib.DEFLATED, -15)
                with open(path + ".depth.zlib", "wb") as out:
                    for _ in range(count): out.write(pack.compress(frame))
                    out.write(pack.flush())
                """
            let made = try runPython(script, ["\(path)/recorded", "\(frames)"])
            try made.require(0)
        }

        @Test func manyFramesTakeTheMemoryOfFew() throws {
            let folder = try TemporaryFolder()
            try folder.write(
                """
                name: length
                stages:
                  - read
                  - decompress
                  - mask-range: {near: 0.1, far: 5}
                  - unproject: {every: 4, color: false}
                  - voxel-downsample: {size: 0.5}
                  - write-ply

                """, to: "length.yaml")
            var peaks: [Int] = []
            let counts = [200, Torture.times(short: 1000, full: 20_000)]
            for frames in counts {
                try Self.write(frames, in: folder)
                let watch = try Watch.run(
                    ["run", "length.yaml", "in\(frames)", "-o", "out\(frames)", "--jobs", "2"], in: folder)
                #expect(watch.status == 0)
                peaks.append(watch.capturePeak)
                Torture.say("\(frames) frames of 256 × 192: \(Watch.megabytes(watch.capturePeak))")
            }
            // Only facts add up, about a kilobyte a frame; two megabytes more or less come and go.
            #expect(peaks[1] - peaks[0] < 2_000 * (counts[1] - counts[0]) + 2_000_000, "\(peaks)")
        }
    }
}
