/// What Windows' editors put before a text. It is no part of the text, and counts in no column.
package enum ByteOrderMark {
    /// As UTF-8 has it.
    package static let bytes: [UInt8] = [0xEF, 0xBB, 0xBF]
}

extension String {
    package var withoutByteOrderMark: String {
        unicodeScalars.first == "\u{FEFF}" ? String(unicodeScalars.dropFirst()) : self
    }
}
