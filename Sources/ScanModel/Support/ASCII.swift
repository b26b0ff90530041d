extension UInt8 {
    /// Whether it is a digit, 0 to 9, in ASCII and so in UTF-8.
    package var isASCIIDigit: Bool { (0x30...0x39).contains(self) }

    /// Whether it is a letter, a to z or A to Z, in ASCII.
    package var isASCIILetter: Bool { (0x61...0x7a).contains(self | 0x20) }

    /// Whether it is white space to C's `isspace`: a space, a tab, a line break or a form feed.
    package var isASCIISpace: Bool { self == 0x20 || (0x09...0x0d).contains(self) }
}
