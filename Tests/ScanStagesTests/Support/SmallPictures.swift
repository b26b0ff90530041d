import ScanFormats
import ScanModel

/// A PNG of one colour.
func pngOf(width: Int, height: Int, _ color: [UInt8] = [10, 20, 30]) throws(Problem) -> [UInt8] {
    try PNG.encodeRGB(
        RGBImage(width: width, height: height, pixels: Array((0..<width * height).map { _ in color }.joined())))
}
