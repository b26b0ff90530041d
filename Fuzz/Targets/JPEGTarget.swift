import ScanFormats
import ScanModel

extension FuzzTarget {
    /// A JPEG of few pixels: without the limit, a header could make every run slow.
    static let jpeg = FuzzTarget("jpeg") { bytes in
        let limits = PictureLimits(side: 256, pixels: 1 << 12)
        _ = JPEG.cutDefect(bytes, bytes, at: 0)
        do throws(Problem) {
            let header = try JPEG.header(bytes, limits: limits)
            let image = try JPEG.decodeRGB(bytes, limits: limits)
            expect(image.pixels.count == header.width * header.height * 3, "a picture has all its pixels")
            let luma = try JPEG.decodeLuma(bytes, limits: limits)
            expect(luma.pixels.count == header.width * header.height, "a picture has all its pixels")
        } catch { expect(error.fault == .input, "only the bytes are at fault") }
    }
}
