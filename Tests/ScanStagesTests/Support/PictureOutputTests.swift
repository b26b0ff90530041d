import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct PictureOutputTests {
    private func files(_ options: String, _ name: String, _ bytes: [UInt8]) throws -> [String: [UInt8]] {
        var capture = try MemoryCapture.posed(1)
        capture.items[0].file = name
        capture.files = [name: bytes]
        let run = try StageRun("- write-colmap: \(options)", on: capture)
        let images = run.files.filter { $0.hasPrefix("colmap/images/") }
        return Dictionary(uniqueKeysWithValues: try images.map { (String($0.dropFirst(14)), try run.bytes($0)) })
    }

    @Test func aCopyKeepsItsBytesAndItsExtensionInLowerCase() throws {
        let bytes = try pngOf(width: 8, height: 6)
        #expect(try files("{}", "color/IMG 7.PNG", bytes) == ["000000.png": bytes])
        let jpeg = try JPEG.encode(try PNG.decodeRGB(bytes))
        #expect(try files("{}", "a.b/c.JPEG", jpeg) == ["000000.jpeg": jpeg])
        #expect(try files("{}", "a.b/noextension", jpeg) == ["000000.jpg": jpeg])
    }

    /// What one writer has encoded, the next one reuses if it needs the same encoding.
    @Test func aPictureIsEncodedOnceForAllWriters() throws {
        var capture = try MemoryCapture.posed(1)
        let bytes = try pngOf(width: 8, height: 6)
        capture.items[0].file = "a.png"
        capture.files = ["a.png": bytes]
        let image = try PNG.decodeRGB(bytes)
        let run = try StageRun(
            """
            - write-frames: {color: jpeg, depth: none}
            - write-colmap: {color: jpeg}
            - write-transforms: {color: jpeg, quality: 40}
            """, on: capture)
        let best = try JPEG.encode(image, quality: 95, subsampling: .s444)
        #expect(try run.bytes("outputs/color/0.jpg") == best)
        #expect(try run.bytes("colmap/images/000000.jpg") == best)
        #expect(try run.bytes("nerf/images/000000.jpg") == JPEG.encode(image, quality: 40, subsampling: .s444))
    }

    @Test func anotherPictureIsEncodedAnew() {
        var frame = Frame(FrameFacts(index: 0))
        frame.picture = .file("a.png")
        frame.encodedPictures[.png] = [1]
        frame.picture = .pixels(RGBImage(width: 1, height: 1, pixels: [1, 2, 3]))
        #expect(frame.encodedPictures.isEmpty)
    }

    /// Many readers go by the file name.
    @Test func aCopyIsNamedAfterWhatItIs() throws {
        let png = try pngOf(width: 8, height: 6)
        let jpeg = try JPEG.encode(try PNG.decodeRGB(png))
        #expect(try files("{}", "a.jpg", png) == ["000000.png": png])
        #expect(try files("{}", "a.png", jpeg) == ["000000.jpg": jpeg])
    }

    /// Loaders in Python take grey values and palette indices as they are. An output that is no dataset still gets a
    /// plain copy.
    @Test func datasetsHoldColoursWhereAPNGHasNone() throws {
        var capture = try MemoryCapture.posed(1)
        let gray = try PNG.encodeGray16(Gray16Image(width: 8, height: 6, pixels: (0..<48).map { UInt16($0) * 1300 }))
        capture.items[0].file = "a.png"
        capture.files = ["a.png": gray]
        let run = try StageRun("- write-colmap\n- write-transforms\n- write-frames: {depth: none}", on: capture)
        for path in ["colmap/images/000000.png", "nerf/images/000000.png"] {
            let header = try PNG.header(try run.bytes(path))
            #expect(header == PictureHeader(width: 8, height: 6, channels: 3, bitDepth: 8))
            #expect(try PNG.decodeRGB(run.bytes(path)) == PNG.decodeRGB(gray))
        }
        #expect(try run.bytes("outputs/color/0.png") == gray)
        #expect(run.count("write-colmap", "pictures-made-rgb") == 1)
        #expect(run.count("write-transforms", "pictures-made-rgb") == 1)
    }

    /// What was lossless stays so. The kind is told by what a file holds, not by its name.
    @Test(arguments: ["turn: {quarter-turns: 1}", "resize: {longest: 4}"])
    func aChangedPictureKeepsItsKindOfFile(_ stage: String) throws {
        var capture = try Self.withoutDepth()
        capture.files["color/1.png"] = try JPEG.encode(try PNG.decodeRGB(try pngOf(width: 8, height: 6)))
        let run = try StageRun(
            """
            - \(stage)
            - downscale: {factors: [2]}
            - write-colmap
            - write-frames: {depth: none}
            - write-scannet: {depth: false}
            - write-tum
            - write-transforms: {color: jpeg}
            """, on: capture, probing: [.color])
        #expect(run.drops == [])
        guard case .pixels(let lossless)? = run.frames[0].picture, case .pixels(let other)? = run.frames[1].picture
        else {
            Issue.record("the pictures were not changed")
            return
        }
        for file in ["colmap/images/000000.png", "outputs/color/0.png", "scannet/color/0.png"] {
            #expect(try PNG.decodeRGB(try run.bytes(file)) == lossless, "\(file)")
        }
        let jpeg = try JPEG.encode(other, quality: 95, subsampling: .s444)
        for file in ["colmap/images/000001.jpg", "outputs/color/1.jpg", "scannet/color/1.jpg"] {
            #expect(try run.bytes(file) == jpeg, "\(file)")
        }
        #expect(PNG.isPNG(try run.bytes("colmap/images_2/000000.png")))
        #expect(!PNG.isPNG(try run.bytes("colmap/images_2/000001.jpg")))
        let sequence = run.files.filter { $0.hasPrefix("tum/rgb/") }
        #expect(sequence.count == 2 && sequence.filter { $0.hasSuffix(".png") }.count == 1, "\(sequence)")
        // Asked for, it is a JPEG.
        #expect(!PNG.isPNG(try run.bytes("nerf/images/000000.jpg")))
    }

    @Test func changedPicturesOfAStagingCaptureStayPNGs() throws {
        let run = try StageRun("- turn: {quarter-turns: 1}\n- write-staging", on: try Self.withoutDepth())
        let back = try MultiScanCapture.open(try CaptureFormats.tree(at: run.path), rules: ReadRules())
        #expect(back.frames.map(\.pictureFile) == ["color/000000.png", "color/000001.png"])
        #expect(PNG.isPNG(try run.bytes("color/000001.png")))
    }

    private static func withoutDepth() throws -> MemoryCapture {
        var capture = try MemoryCapture.posed(2)
        for n in 0..<2 { capture.items[n].depth = nil }
        return capture
    }

    /// Polycam's and 3D Scanner App's pictures are JPEGs, whatever they were.
    @Test(arguments: [("polycam", "keyframes/images/0.jpg"), ("3d-scanner-app", "3d-scanner-app/frame_00000.jpg")])
    func aChangedPNGIsAJPEGWhereAFormatWantsOne(_ format: String, _ file: String) throws {
        let run = try StageRun(
            "- turn: {quarter-turns: 1}\n- write-capture: {format: \(format)}", on: try Self.withoutDepth())
        #expect(run.drops == [])
        #expect(try JPEG.header(try run.bytes(file)).width == 6)
    }

    /// Polycam's pictures are JPEGs.
    @Test func aPNGThatIsCalledJPGIsEncoded() throws {
        var capture = try MemoryCapture.posed(1)
        let png = try pngOf(width: 8, height: 6)
        capture.items[0].file = "a.jpg"
        capture.files = ["a.jpg": png]
        let run = try StageRun("- write-capture: {format: polycam}", on: capture)
        let picture = try #require(run.files.first { $0.hasPrefix("keyframes/images/") })
        #expect(try JPEG.header(try run.bytes(picture)).width == 8)
    }

    @Test func encodedPicturesHaveTheirOwnExtension() throws {
        let bytes = try pngOf(width: 8, height: 6)
        let picture = try PNG.decodeRGB(bytes)
        let jpeg = try files("{color: jpeg, quality: 70}", "a.png", bytes)
        #expect(jpeg == ["000000.jpg": try JPEG.encode(picture, quality: 70, subsampling: .s444)])
        let png = try files("{color: png}", "a.jpg", jpeg["000000.jpg"] ?? [])
        #expect(png.keys.sorted() == ["000000.png"])
        #expect(try PNG.decodeRGB(png["000000.png"] ?? []) == JPEG.decodeRGB(jpeg["000000.jpg"] ?? []))
        #expect(
            StageRun.mistakes(in: "- write-colmap: {quality: 0}").first
                == "`quality` is 0, which is not between 1 and 100")
    }

    @Test func filesOnDiskAreCopiedToo() throws {
        let folder = try TemporaryFolder()
        let files = try MultiScanSample().files()
        let run = try StageRun("- read\n- write-colmap", reading: try folder.write(files, under: "scan"))
        for frame in 0..<4 {
            #expect(try run.bytes("colmap/images/00000\(frame).png") == files[MultiScanSample.pictureName(frame)])
        }
    }
}
