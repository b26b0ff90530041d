/// How depth becomes colours that a person can read: the same distance has the same colour in every picture.
///
/// Up to `near` is dark red; then yellow, green and blue; from `far` on is dark blue (Turbo reversed, so that near
/// things are warm, and without its darkest twentieth). 0, "no value", is black, which no distance gets.
public struct DepthColors: Hashable, Sendable {
    /// Metres.
    public var near: Double
    public var far: Double

    /// - Parameter far: greater than `near`.
    public init(near: Double, far: Double) {
        precondition(far > near)
        self.near = near
        self.far = far
    }

    public func color(of metres: Double) -> RGBColor {
        guard metres > 0 else { return .black }
        let share = min(max((metres - near) / (far - near), 0), 1)
        return ColorMap.turbo.color(at: 1 - 0.95 * share)
    }

    /// The colours with their metres, for the foot of a ``ContactSheet``: what is nearer or farther has those at the ends.
    public func legend(width: Int, isMetric: Bool) -> RGBImage {
        ContactSheet.legend(
            width: width, from: "≤ \(RGBImage.number(near))",
            to: "≥ \(RGBImage.number(far))\(isMetric ? " m" : ""), black: none"
        ) { color(of: max(near + $0 * (far - near), 1e-9)) }
    }

    /// A picture of the map's size.
    public func picture(of map: DepthMap) -> RGBImage {
        .filled(width: map.width, height: map.height) { color(of: Double(map.metres[$0])) }
    }
}

extension ConfidenceMap {
    /// Lowest confidence dark violet, highest yellow (Viridis over the recorder's range): on iOS low is dark violet,
    /// medium teal, high yellow.
    public var coloredPicture: RGBImage {
        let span = Double(max(1, range.upperBound - range.lowerBound))
        let colors = (0...255).map { ColorMap.viridis.color(at: Double($0 - range.lowerBound) / span) }
        return .filled(width: width, height: height) { colors[Int(values[$0])] }
    }

    /// The colours, for the foot of a ``ContactSheet``.
    public static func legend(width: Int) -> RGBImage {
        ContactSheet.legend(width: width, from: "low confidence", to: "high") { ColorMap.viridis.color(at: $0) }
    }
}
