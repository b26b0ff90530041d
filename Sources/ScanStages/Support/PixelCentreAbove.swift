import ScanModel
import ScanPipeline

extension OptionReader {
    /// Where the nearest `unproject` above takes a depth pixel's coordinates; nil without one. Whoever makes points of depth
    /// below it has to follow.
    var pixelCentreAbove: PixelCentre? {
        value(of: "pixel-centre", above: "unproject")?.string.flatMap(PixelCentre.init)
    }
}
