extension UInt8 {
    /// Whether it is a digit, 0 to 9, in ASCII and so in UTF-8.
    package var isASCIIDigit: Bool { (0x30...0x39).contains(self) }

    /// Whether it is what C's `isspace` calls white space: a blank, a tab, the end of a line or of a page.
    package var isASCIISpace: Bool { self == 0x20 || (0x09...0x0d).contains(self) }
}
