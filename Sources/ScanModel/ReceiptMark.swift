/// What marks a folder as a result: a receipt that ScanMill wrote. Whoever looks for captures passes it over, and only it
/// may be replaced by a newer result.
package enum ReceiptMark {
    package static let fileName = "receipt.json"
    /// Bytes of a file that tell whose it is.
    package static let length = 256

    /// Whether a file that begins so is a receipt of ScanMill's and not, say, the bill for what was scanned. Of no bytes, or
    /// of zeros, is what a disk that failed may leave of one.
    package static func isOurs(_ beginning: some Sequence<UInt8>) -> Bool {
        let text = String(decoding: beginning.filter { $0 > 0x20 }, as: UTF8.self)
        return text.isEmpty || text.contains("\"tool\":\"scanmill")
    }
}
