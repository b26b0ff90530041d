import ScanModel
import ScanPipeline

/// How depth is coloured: the options of all stages that show it.
extension DepthColors {
    /// Declares `near` and `far`.
    /// - Parameters:
    ///   - areUsed: whether the stage shows any depth.
    ///   - condition: when it does, for the warning if they are given in vain.
    init(_ options: inout OptionReader, areUsed: Bool, _ condition: String) {
        let near = options.number(
            "near", "The depth shown in dark red, as is anything nearer.", default: 0.2, in: 0...1000, unit: "m")
        let far = options.number(
            "far", "The depth shown in dark blue, as is anything farther.", default: 5, in: 0...1000, unit: "m")
        for name in ["near", "far"] { options.warn(name, unless: areUsed, condition) }
        options.require("near", below: "far")
        self.init(near: near, far: far > near ? far : near + 1)
    }
}
