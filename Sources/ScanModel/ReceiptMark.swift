/// What marks a folder as a result: a receipt that ScanMill wrote. A search for captures skips such a folder, and only
/// such a folder may be replaced by a newer result.
package enum ReceiptMark {
    package static let fileName = "receipt.json"
    /// How many bytes of a file tell whose it is.
    package static let length = 256

    /// Whether a file that begins like this is a ScanMill receipt and not, say, the bill for what was scanned.
    package static func isOurs(_ beginning: some Sequence<UInt8>) -> Bool {
        String(decoding: beginning.filter { $0 > 0x20 }, as: UTF8.self).contains("\"tool\":\"scanmill")
    }

    /// Whether a file that begins like this is blank: a failed disk may leave that of a receipt, or of any other file.
    package static func isBlank(_ beginning: some Sequence<UInt8>) -> Bool { beginning.allSatisfy { $0 <= 0x20 } }
}
