import ScanFormats
import ScanModel

extension FuzzTarget {
    /// Depth of few pixels as OpenEXR.
    static let exr = FuzzTarget("exr") { bytes in
        let limits = PictureLimits(side: 256, pixels: 1 << 12)
        do throws(Problem) {
            let depth = try OpenEXR.decodeDepth(bytes, limits: limits)
            expect(depth.bytes.count == 4 * depth.width * depth.height, "depth has all its pixels")
            expect(try OpenEXR.size(bytes, limits: limits) == depth.size, "the header's size is that of the pixels")
        } catch { expect(error.fault == .input, "only the bytes are at fault") }
    }
}
