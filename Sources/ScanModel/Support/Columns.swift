extension Character {
    /// The columns that a terminal gives to it: East Asian characters and emoji take two.
    package var columns: Int {
        if isASCII { return 1 }
        return unicodeScalars.contains { scalar in Self.wide.contains { $0.contains(scalar.value) } } ? 2 : 1
    }

    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115f, 0x2e80...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f, 0xff00...0xff60,
        0xffe0...0xffe6, 0x1f300...0x1faff, 0x20000...0x3fffd,
    ]
}

extension String {
    /// The columns that a terminal gives to it.
    package var columns: Int { reduce(0) { $0 + $1.columns } }
}
