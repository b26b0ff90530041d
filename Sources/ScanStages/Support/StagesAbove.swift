import ScanModel
import ScanPipeline

/// What a stage asks about those above it, by their types: one that is misspelt would never be found.
extension OptionReader {
    func isBelow(_ stage: any Stage.Type) -> Bool { isBelow(stage.card.name) }

    /// Whether a stage stands above, and none of another type, which undoes what it does, between it and this one.
    func isBelow(_ stage: any Stage.Type, notUndoneBy other: any Stage.Type) -> Bool {
        isBelow(stage.card.name, notUndoneBy: other.card.name)
    }

    /// An option's value in the nearest stage above of a type; nil where there is none.
    func value(of option: String, above stage: any Stage.Type) -> JSONValue? {
        value(of: option, above: stage.card.name)
    }

    /// Where the nearest `unproject` above takes a depth pixel's coordinates; nil without one. A stage below it that
    /// makes points from depth has to follow. Without one, `cull-by-box` uses the default of `unproject`, and masks,
    /// which lie over pictures, use the exact rule.
    var pixelCentreAbove: PixelCentre? {
        value(of: "pixel-centre", above: Unproject.self)?.string.flatMap(PixelCentre.init)
    }
}
