import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct DownscaleTests {
    /// Exactly the mean over the area, also where the size is no multiple of the factor.
    @Test(arguments: [(12, 8, 2), (12, 8, 4), (13, 9, 2), (7, 5, 3), (5, 3, 8)])
    func eachPixelIsTheMeanOverItsArea(_ width: Int, _ height: Int, _ factor: Int) {
        var random = SplitMix(seed: 7)
        let image = RGBImage(
            width: width, height: height,
            pixels: (0..<width * height * 3).map { _ in UInt8(truncatingIfNeeded: random.next()) })
        let small = image.downscaled(by: factor)
        #expect(small.width == max(1, width / factor) && small.height == max(1, height / factor))
        for y in 0..<small.height {
            for x in 0..<small.width {
                for channel in 0..<3 {
                    // The same by brute force: every old pixel cut into small.width × small.height parts.
                    var sum = 0
                    for v in y * height..<(y + 1) * height {
                        for u in x * width..<(x + 1) * width {
                            sum += Int(image.pixels[((v / small.height) * width + u / small.width) * 3 + channel])
                        }
                    }
                    let mean = (sum + width * height / 2) / (width * height)
                    #expect(Int(small.pixels[(y * small.width + x) * 3 + channel]) == mean)
                }
            }
        }
    }

    @Test func datasetsGetSmallerCopies() throws {
        let run = try StageRun(
            "- synthesize: {frames: 2, picture-width: 34, picture-height: 24, depth-width: 16, depth-height: 12}\n"
                + "- decompress\n- downscale: {factors: [2, 4]}\n- write-transforms: {depth: true, masks: silhouette, color: png}\n"
                + "- write-colmap", reading: "nowhere/a", workers: 2)
        for (file, size) in [
            ("nerf/images/000001.png", (34, 24)), ("nerf/images_2/000001.png", (17, 12)),
            ("nerf/images_4/000001.png", (8, 6)), ("nerf/masks_4/000001.png", (8, 6)),
            // Depth that is no larger than the picture loses nothing.
            ("nerf/depths_2/000001.png", (16, 12)), ("nerf/depths_4/000001.png", (8, 6)),
        ] {
            let header = try PNG.header(try run.bytes(file))
            #expect((header.width, header.height) == size, "\(file)")
        }
        #expect(try run.bytes("nerf/depths_2/000001.png") == run.bytes("nerf/depths/000001.png"))
        #expect(run.files.contains("colmap/images_4/000001.jpg"))
        let json = { (file: String) in try JSONValue.parse(try run.bytes(file), file: file)["frames"]?.array?.first }
        let (full, small) = (try json("nerf/transforms.json"), try json("nerf/transforms_4.json"))
        #expect(small?["file_path"]?.string == "images_4/000000.png")
        #expect(small?["mask_path"]?.string == "masks_4/000000.png")
        #expect(small?["w"]?.integer == 8 && small?["h"]?.integer == 6)
        // 34 pixels became 8: the scale is 8 / 34, not 1 / 4.
        let (fx, sx) = (try #require(full?["fl_x"]?.double), try #require(small?["fl_x"]?.double))
        #expect(abs(sx - fx * 8 / 34) < 1e-12)
        #expect(small?["transform_matrix"] == full?["transform_matrix"])
    }

    @Test func aSecondDownscaleAddsItsFactors() throws {
        let run = try StageRun(
            "- synthesize: {frames: 1, picture-width: 34, picture-height: 24, depth-width: 16, depth-height: 12}\n"
                + "- downscale: {factors: [2]}\n- downscale: {factors: [4, 2]}\n- write-colmap", reading: "nowhere/a")
        let folders = Set(run.files.filter { $0.hasSuffix(".jpg") }.map { $0.split(separator: "/")[1] })
        #expect(folders == ["images", "images_2", "images_4"])
    }

    /// instant-ngp takes every JSON file of a folder for a part of one dataset.
    @Test func instantNGPFindsOneDatasetInAFolder() throws {
        let run = try StageRun(
            "- synthesize: {frames: 2, picture-width: 32, picture-height: 24, depth-width: 16, depth-height: 12}\n"
                + "- decompress\n- downscale: {factors: [2]}\n- write-transforms: {dialect: instant-ngp, depth: true}",
            reading: "nowhere/a")
        let files = run.files.filter { $0.hasSuffix(".json") && $0.hasPrefix("ngp/") }
        #expect(files == ["ngp/downscaled_2/transforms.json", "ngp/transforms.json"])
        let frames = try JSONValue.parse(try run.bytes(files[0]), file: "json")["frames"]?.array ?? []
        #expect(frames.count == 2)
        for frame in frames {
            for key in ["file_path", "depth_path"] {
                let path = try #require(frame[key]?.string)
                #expect(path.hasPrefix("../") && run.files.contains("ngp/\(path.dropFirst(3))"), "\(path)")
            }
        }
    }

    @Test func aMaskKeepsItsTwoValues() {
        let mask = LumaImage(width: 4, height: 2, pixels: [0, 0, 255, 255, 0, 255, 255, 255])
        #expect(mask.nearest(to: PixelSize(2, 1)).pixels == [255, 255])
        #expect(Set(mask.nearest(to: PixelSize(3, 2)).pixels) == [0, 255])
    }

    @Test func mistakesInTheFactors() {
        #expect(StageRun.mistakes(in: "- downscale: {factors: [2, 2]}").contains("`factors` holds a number twice"))
        #expect(StageRun.mistakes(in: "- downscale: {factors: [1]}").contains { $0.contains("holds 1") })
        #expect(StageRun.mistakes(in: "- downscale: {factors: []}").contains("`factors` is empty"))
    }
}
