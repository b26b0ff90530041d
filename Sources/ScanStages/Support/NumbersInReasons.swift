import ScanModel

/// Numbers in the reasons for which frames are dropped.
extension Double {
    /// With two decimals, or as many as show that it is more than a limit.
    func text(over limit: Double) -> String { text(showing: { $0 > limit }) }

    /// With two decimals, or as many as show that it is less than a limit.
    func text(under limit: Double) -> String { text(showing: { $0 < limit }) }

    private func text(showing isShown: (Double) -> Bool) -> String {
        let decimals = (2...6).first { isShown(rounded(decimals: $0)) }
        return decimals.map { shortText(decimals: $0) } ?? description
    }
}
