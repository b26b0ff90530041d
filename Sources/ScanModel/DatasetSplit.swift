/// What a dataset uses a frame for. A frame on none of its lists is used for nothing.
public struct DatasetSplit: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let training = DatasetSplit(rawValue: 1)
    public static let validation = DatasetSplit(rawValue: 2)
    public static let test = DatasetSplit(rawValue: 4)

    /// Held back from training, to judge its result.
    public static let heldOut: DatasetSplit = [.validation, .test]

    /// Whether it is held back from training, for validation or for tests.
    public var isHeldOut: Bool { !isDisjoint(with: .heldOut) }

    /// The pictures for one of the three. nerfstudio's loaders want a list for validation and one for tests: if there
    /// is only one of them, it also serves as the other.
    public static func names(for split: DatasetSplit, of pictures: [(name: String, split: DatasetSplit)]) -> [String] {
        func names(_ split: DatasetSplit) -> [String] {
            pictures.filter { !$0.split.isDisjoint(with: split) }.map(\.name)
        }
        let own = names(split)
        return own.isEmpty && split != .training ? names(.heldOut) : own
    }
}
