import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct InspectPicturesTests {
    private static let samples = SharedData.checkout.appendingPathComponent("samples")

    /// Every committed capture: of an archive and of a single file, the folder that holds it.
    private static let captures: [String] = (try? CaptureSearch.captures(at: samples.path).map(\.path)) ?? []

    private static func names(in folder: TemporaryFolder) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    /// What a folder or a file holds, to see that nothing was changed in it.
    private static func digest(_ path: String) throws -> String {
        try runCommand(["sh", "-c", "find \"$0\" -printf '%P %y %s %T@\\n' | sort | sha256sum", path]).output
    }

    @Test func allSamplesAreInspected() {
        #expect(Self.captures.count >= 13)
    }

    @Test(arguments: captures) func everySampleHasPicturesOfWhatItHas(_ capture: String) throws {
        let folder = try TemporaryFolder()
        let before = try Self.digest(Self.samples.path)
        let result = try Scanmill.run(["inspect", capture, "--pictures", folder.path, "--json"])
        #expect(result.status == 0, "\(result.errors)")
        let report = try JSONValue.parse(Array(result.output.utf8), file: "stdout")
        let written = (report["written"]?.array ?? []).compactMap { $0["file"]?.string }
        #expect(try Self.names(in: folder) == written.sorted())
        let id = try #require(report["capture"]?.string)
        let missing = Set((report["missing"]?.object?.members ?? []).map(\.key))
        let expected: [(file: String, isThere: Bool)] = [
            ("thumb.jpg", !missing.contains("pictures")), ("contact.jpg", !missing.contains("pictures")),
            ("contact_depth.jpg", !missing.contains("depth")),
            ("contact_confidence.jpg", !missing.contains("confidence")),
            ("cloud.png", missing.isDisjoint(with: ["depth", "poses"])),
            ("cameras_above.png", !missing.contains("poses")),
        ]
        #expect(written.sorted() == expected.filter(\.isThere).map { "\(id)_\($0.file)" }.sorted())
        // Whatever is not there has its reason.
        let reasons = (report["not-written"]?.array ?? []).compactMap { $0["reason"]?.string }
        #expect(reasons.count == expected.dropFirst().count { !$0.isThere } && reasons.allSatisfy { !$0.isEmpty })
        for file in written {
            let bytes = try folder.bytes(file)
            let picture = file.hasSuffix(".png") ? try PNG.decodeRGB(bytes) : try JPEG.decodeRGB(bytes)
            #expect(Set(stride(from: 0, to: picture.pixels.count, by: 97).map { picture.pixels[$0] }).count > 8)
        }
        #expect(try Self.digest(Self.samples.path) == before)
    }

    /// What is not the run's own would go when the next run replaces the result.
    @Test func nothingGoesIntoAResult() throws {
        let sample = try InspectSample()
        try sample.folder.write("{\n  \"tool\": \"scanmill 1\"\n}\n", to: "out/mini/receipt.json")
        let before = try Self.digest(sample.folder.path)
        for command in [["inspect", "mini", "--pictures", "out/mini/pictures"], ["docs", "out/mini/docs"]] {
            let result = try Scanmill.run(command, in: sample.folder.path)
            #expect(result.status == 2, "\(result.output)")
            #expect(
                result.errors.contains("would be written into the result ") && result.errors.contains("/out/mini\n"))
        }
        #expect(try Self.digest(sample.folder.path) == before)
    }

    @Test func thePicturesDoNotGoIntoTheCapture() throws {
        let sample = try InspectSample()
        let before = try Self.digest(sample.path)
        try FileManager.default.createSymbolicLink(
            atPath: sample.folder.url("link").path, withDestinationPath: sample.path)
        for target in ["mini", "mini/new/folder", "mini/color", "link", "link/x", "./mini/../mini/x", "other/../mini"] {
            try FileManager.default.createDirectory(
                atPath: sample.folder.url("other").path, withIntermediateDirectories: true)
            let result = try Scanmill.run(["inspect", "mini", "--pictures", target], in: sample.folder.path)
            #expect(result.status == 2, "\(target): \(result.output)")
            #expect(
                result.errors == """
                    error: the pictures would be written into the capture
                      --> \(target)
                       = what is inspected is never changed
                       = fix: name a folder outside of it

                    """)
        }
        #expect(try Self.digest(sample.path) == before)
        // A folder whose name begins like the capture's is another one.
        let beside = try Scanmill.run(["inspect", "mini", "--pictures", "mini-pictures"], in: sample.folder.path)
        #expect(beside.status == 0 && beside.output.contains("Written to mini-pictures"))
        #expect(try Self.digest(sample.path) == before)
    }

    @Test func theTextSaysWhatWasWrittenAndWhatWasNot() throws {
        let sample = try InspectSample()
        try sample.remove("mini.confidence.zlib")
        let result = try Scanmill.run(["inspect", "mini", "--pictures", "out"], in: sample.folder.path)
        #expect(
            result.output.contains(
                """
                Written to out
                  file                    shows
                  mini_contact.jpg        up to 120 frames with their numbers
                  mini_thumb.jpg          the sharpest of the frames below
                  mini_contact_depth.jpg  depth of up to 24 frames
                  mini_cloud.png          the cloud from four sides, with the box and the cameras
                  mini_cameras_above.png  the cameras' path from above, coloured by speed

                Not written
                  picture                        because
                  confidence of up to 24 frames  mini.confidence.zlib is missing, though the metadata lists a confidence stream
                """), "\(result.output)")
    }

    /// What lies in the folder is left alone, but for older pictures of the same names.
    @Test func aSecondRunReplacesThePictures() throws {
        let sample = try InspectSample()
        try sample.folder.write("old", to: "out/mini_thumb.jpg")
        try sample.folder.write("mine", to: "out/notes.txt")
        for _ in 0..<2 {
            let result = try Scanmill.run(["inspect", "mini", "--pictures", "out"], in: sample.folder.path)
            #expect(result.status == 0, "\(result.errors)")
        }
        #expect(try JPEG.decodeRGB(try sample.folder.bytes("out/mini_thumb.jpg")).width == 8)
        #expect(try sample.folder.bytes("out/notes.txt") == Array("mine".utf8))
        let names = try FileManager.default.contentsOfDirectory(atPath: sample.folder.url("out").path)
        #expect(names.count == 7 && !names.contains(".scanmill"))
    }

    @Test func damageToOneStreamDoesNotCostTheOthers() throws {
        let sample = try InspectSample()
        try sample.edit("mini.depth.zlib") { $0.prefix($0.count / 2) }
        try sample.write("not a picture", to: "color/000003.png")
        let result = try Scanmill.run(["inspect", "mini", "--pictures", "out", "--json"], in: sample.folder.path)
        #expect(result.status == 1)
        let report = try JSONValue.parse(Array(result.output.utf8), file: "stdout")
        let written = (report["written"]?.array ?? []).compactMap { $0["file"]?.string }
        #expect(written.contains("mini_contact.jpg") && written.contains("mini_contact_depth.jpg"), "\(result.output)")
    }

    @Test func aFolderThatCannotBeMadeIsAnError() throws {
        let sample = try InspectSample()
        try sample.folder.write("a file", to: "taken")
        let result = try Scanmill.run(["inspect", "mini", "--pictures", "taken/x"], in: sample.folder.path)
        #expect(result.status == 3)
        #expect(result.errors.hasPrefix("error: cannot make the folder"), "\(result.errors)")
    }
}
