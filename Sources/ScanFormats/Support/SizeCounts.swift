import ScanModel

extension [PixelSize?] {
    /// How many there are of each size, most first.
    var counted: [(size: PixelSize, count: Int)] {
        Dictionary(compactMap(\.self).map { ($0, 1) }, uniquingKeysWith: +)
            .map { (size: $0.key, count: $0.value) }
            .sorted { ($1.count, $0.size.width, $0.size.height) < ($0.count, $1.size.width, $1.size.height) }
    }
}
