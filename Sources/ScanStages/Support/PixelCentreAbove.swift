import ScanModel
import ScanPipeline

extension OptionReader {
    /// Where the nearest `unproject` above takes a depth pixel's coordinates; nil without one. Whoever makes points of depth
    /// below it has to follow. Without one `cull-by-box` takes what `unproject` would by itself, and masks, which lie over
    /// pictures, the exact rule.
    var pixelCentreAbove: PixelCentre? {
        value(of: "pixel-centre", above: "unproject")?.string.flatMap(PixelCentre.init)
    }
}
