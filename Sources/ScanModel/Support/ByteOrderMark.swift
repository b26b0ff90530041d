/// What Windows' editors put before a text. It is no part of the text, and counts in no column.
package enum ByteOrderMark {
    /// As UTF-8 has it.
    package static let bytes: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// As Windows' shell writes a text unless told otherwise.
    package static func beginsUTF16(_ bytes: some Sequence<UInt8>) -> Bool {
        bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
    }
}

extension String {
    package var withoutByteOrderMark: String {
        unicodeScalars.first == "\u{FEFF}" ? String(unicodeScalars.dropFirst()) : self
    }
}
