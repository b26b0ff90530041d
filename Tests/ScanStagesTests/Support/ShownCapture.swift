import ScanFormats
import ScanModel

extension MemoryCapture {
    /// Frames a tenth of a second apart, each with a picture of one colour, whose red tells the frame's number.
    /// - Parameter turns: how many quarter turns the camera was rotated to the left when it recorded.
    static func shown(_ count: Int, size: PixelSize = PixelSize(64, 48), turns: Int = 0) -> MemoryCapture {
        var capture = MemoryCapture(
            (0..<count).map { n in
                var item = Item(timestamp: 5_000_000_000 + Int64(n) * 100_000_000)
                item.pose = Pose.identity.turned(quarterTurns: -turns)
                item.pixels = RGBImage(width: size.width, height: size.height, color: shade(n))
                return item
            })
        capture.colorSize = size
        return capture
    }

    static func shade(_ frame: Int) -> RGBColor { RGBColor(UInt8(frame * 20 % 256), 128, 200) }

    /// The frame to which a colour belongs; an encoder may have changed the colour a little.
    static func frame(of color: RGBColor) -> Int { (Int(color.red) + 10) / 20 }
}

/// A picture whose top half is white and whose bottom half is black.
func halved(_ size: PixelSize) -> RGBImage {
    var picture = RGBImage(width: size.width, height: size.height, color: .black)
    picture.fill(x: 0, y: 0, width: size.width, height: size.height / 2, .white)
    return picture
}
