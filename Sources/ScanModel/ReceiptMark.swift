/// What marks a folder as a result: a receipt that ScanMill wrote. Whoever looks for captures passes it over, and only it
/// may be replaced by a newer result.
package enum ReceiptMark {
    package static let fileName = "receipt.json"
    /// Bytes of a file that tell whose it is.
    package static let length = 256

    /// Whether a file that begins so is a receipt of ScanMill's and not, say, the bill for what was scanned.
    package static func isOurs(_ beginning: some Sequence<UInt8>) -> Bool {
        String(decoding: beginning.filter { $0 > 0x20 }, as: UTF8.self).contains("\"tool\":\"scanmill")
    }

    /// Whether a file that begins so holds nothing: what a disk that failed may leave of a receipt, and anybody of any file.
    package static func isBlank(_ beginning: some Sequence<UInt8>) -> Bool { beginning.allSatisfy { $0 <= 0x20 } }
}
