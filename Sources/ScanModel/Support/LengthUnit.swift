/// Units of length that clouds are written in. Inside ScanMill everything is in metres.
public enum LengthUnit: String, CaseIterable, Hashable, Sendable {
    case metre = "m"
    case centimetre = "cm"
    case millimetre = "mm"
    /// International feet and inches, which are exact.
    case foot = "ft"
    case inch = "in"

    public var metres: Double {
        switch self {
        case .metre: 1
        case .centimetre: 0.01
        case .millimetre: 0.001
        case .foot: 0.3048
        case .inch: 0.0254
        }
    }
}

extension PointCloud {
    /// The cloud in another unit: each coordinate is divided or multiplied in double precision, and rounded once.
    public func converted(from old: LengthUnit, to new: LengthUnit) -> PointCloud {
        if old == new { return self }
        var cloud = self
        cloud.positions = positions.map { Float(Double($0) * old.metres / new.metres) }
        return cloud
    }
}
