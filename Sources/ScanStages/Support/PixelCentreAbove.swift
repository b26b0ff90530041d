import ScanModel
import ScanPipeline

extension OptionReader {
    /// Where the nearest `unproject` above takes a depth pixel's coordinates; nil without one. A stage below it that
    /// makes points from depth has to follow. Without one, `cull-by-box` uses the default of `unproject`, and masks,
    /// which lie over pictures, use the exact rule.
    var pixelCentreAbove: PixelCentre? {
        value(of: "pixel-centre", above: "unproject")?.string.flatMap(PixelCentre.init)
    }
}
