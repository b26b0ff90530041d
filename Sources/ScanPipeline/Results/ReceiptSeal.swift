/// A receipt's own digest, which is at its end and is taken with zeros in its place.
enum ReceiptSeal {
    static let key = "seal"
    /// What is there while the digest is taken.
    static let blank = String(repeating: "0", count: length)

    private static let length = 64
    /// Without the key, in which a byte may have changed as well.
    private static let before = Array("\": \"".utf8)
    private static let behind = Array("\"\n}\n".utf8)

    private static let hexDigits = Set("0123456789abcdef".utf8)

    /// Puts the digest in the place of the zeros.
    static func close(_ text: inout [UInt8]) {
        guard let place = place(in: text) else { return }
        text.replaceSubrange(place, with: Digest.of(text).hex.utf8)
    }

    /// Whether no byte was changed; nil of a receipt without a seal, as earlier versions wrote them.
    static func isUnbroken(_ text: [UInt8]) -> Bool? {
        guard let place = place(in: text) else { return nil }
        var open = text
        open.replaceSubrange(place, with: blank.utf8)
        return Digest.of(open).hex.utf8.elementsEqual(text[place])
    }

    private static func place(in text: [UInt8]) -> Range<Int>? {
        let end = text.count - behind.count
        let start = end - length
        guard start >= before.count, text[end...].elementsEqual(behind),
            text[(start - before.count)..<start].elementsEqual(before),
            text[start..<end].allSatisfy({ hexDigits.contains($0) })
        else { return nil }
        return start..<end
    }
}
