import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct ExifOrientationTests {
    /// A JPEG's beginning with a TIFF block of two entries, by CIPA DC-008.
    private func head(_ orientation: UInt8, isBig: Bool, before: [UInt8] = []) -> [UInt8] {
        func number(_ value: UInt8, _ size: Int) -> [UInt8] {
            let zeros = [UInt8](repeating: 0, count: size - 1)
            return isBig ? zeros + [value] : [value] + zeros
        }
        let tag: [UInt8] = isBig ? [0x01, 0x12] : [0x12, 0x01]
        let other: [UInt8] = isBig ? [0x01, 0x0F] : [0x0F, 0x01]
        let directory =
            number(2, 2) + other + number(2, 2) + number(4, 4) + number(9, 4) + tag + number(3, 2) + number(1, 4)
            + number(orientation, 2) + [0, 0] + number(0, 4)
        let tiff = Array((isBig ? "MM" : "II").utf8) + number(42, 2) + number(8, 4) + directory
        let block = Array("Exif\0\0".utf8) + tiff
        return [0xFF, 0xD8] + before + [0xFF, 0xE1, 0, UInt8(block.count + 2)] + block + [0xFF, 0xDA]
    }

    @Test(arguments: [false, true]) func whatTheBlockSays(isBig: Bool) {
        let density: [UInt8] = [0xFF, 0xE0, 0, 4, 1, 2]
        for orientation: UInt8 in [1, 6, 8] {
            #expect(JPEG.exifOrientation(head(orientation, isBig: isBig)) == Int(orientation))
            // Bytes FF may fill up before a marker.
            for before in [density, [0xFF, 0xFF], density + [0xFF]] {
                #expect(JPEG.exifOrientation(head(orientation, isBig: isBig, before: before)) == Int(orientation))
            }
        }
        let whole = head(6, isBig: isBig)
        for count in whole.indices { _ = JPEG.exifOrientation(Array(whole.prefix(count))) }
    }

    @Test func picturesThatSayNothing() {
        #expect(JPEG.exifOrientation([]) == nil)
        #expect(JPEG.exifOrientation([0xFF, 0xD8, 0xFF, 0xDA]) == nil)
        #expect(JPEG.exifOrientation([0x89, 0x50, 0x4E, 0x47]) == nil)
        #expect(JPEG.exifOrientation([0xFF, 0xD8] + [UInt8](repeating: 0xFF, count: 64)) == nil)
    }

    /// Its pixels stay as they are stored, and whoever uses them elsewhere is told.
    @Test func aTurnedPictureIsSaid() throws {
        let capture = try WrittenCapture("turned")
        try capture.picture("color/0.jpg", isJPEG: true)
        let plain = try capture.folder.bytes("\(capture.name)/color/0.jpg")
        let block = head(6, isBig: true).dropFirst(2).dropLast(2)
        try capture.write([0xFF, 0xD8] + block + plain.dropFirst(2), to: "color/0.jpg")
        var opened = try capture.open(PictureFolderCapture.self)
        opened.noteDoubts(in: try CaptureFormats.tree(at: capture.path))
        #expect(opened.warnings.count == 1 && opened.warnings[0].hasPrefix("the pictures' EXIF orientation is 6"))
        // Not the first alone: somebody may have turned a few.
        for name in ["1", "2"] { try capture.write(plain, to: "color/\(name).jpg") }
        try capture.write(plain, to: "color/0.jpg")
        let other = head(8, isBig: false).dropFirst(2).dropLast(2)
        try capture.write([0xFF, 0xD8] + other + plain.dropFirst(2), to: "color/3.jpg")
        var mixed = try capture.open(PictureFolderCapture.self)
        mixed.noteDoubts(in: try CaptureFormats.tree(at: capture.path))
        #expect(mixed.warnings.count == 1)
        #expect(mixed.warnings.first?.hasPrefix("the EXIF orientation of 1 of 4 pictures is 8: ") == true)
        try capture.write([0xFF, 0xD8] + block + plain.dropFirst(2), to: "color/0.jpg")
        let mirrored = head(2, isBig: true).dropFirst(2).dropLast(2)
        try capture.write([0xFF, 0xD8] + mirrored + plain.dropFirst(2), to: "color/2.jpg")
        mixed = try capture.open(PictureFolderCapture.self)
        mixed.noteDoubts(in: try CaptureFormats.tree(at: capture.path))
        #expect(mixed.warnings.first?.hasPrefix("the EXIF orientation of 3 of 4 pictures is 2 or 6 or 8: ") == true)
        for name in ["1", "2", "3"] { try capture.remove("color/\(name).jpg") }
        let inspection = try CaptureInspection.inspect(capture.path)
        #expect(inspection.findings.contains { $0.problem.summary.hasPrefix("the pictures' EXIF orientation is 6") })
    }
}
