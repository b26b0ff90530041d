import ScanModel

/// Whether a result is less, or less sure, than the capture's app recorded: what the end of its receipt says. All of a
/// receipt takes long to read, and there may be ten thousand.
struct ReceiptDoubts: Sendable, Hashable {
    private(set) var isSalvaged = false
    private(set) var isDoubtful = false

    /// Room for both marks and the seal behind them.
    private static let length = 160

    init(ofResultIn folder: String) {
        let path = ResultPlace(folder).receipt
        guard let file = try? RegularFile(path, name: path, fault: .environment) else { return }
        // Strings of JSON have no line breaks, so that no warning looks like a mark.
        let lines = file.end(Self.length).split(separator: UInt8(ascii: "\n"))
        isSalvaged = lines.contains { $0.elementsEqual("  \"\(Receipt.salvagedKey)\": true,".utf8) }
        isDoubtful = lines.contains { $0.elementsEqual("  \"\(Receipt.doubtfulKey)\": true,".utf8) }
    }
}
