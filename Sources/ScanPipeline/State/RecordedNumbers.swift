import ScanModel

/// Numbers of receipts and records, which may be damaged or somebody else's: bounded, so that what is made of them
/// cannot overflow, which ends the program.
extension JSONValue {
    /// A whole number between 0 and 2⁴⁰, as frames and pixels are counted: sums and small multiples of such stay within
    /// `Int`. Nil for anything else.
    package var asCount: Int? { integer.flatMap { (0...1 << 40).contains($0) ? Int($0) : nil } }

    /// A finite number whose magnitude is below 10¹⁵, so that it becomes an `Int` when it is rounded. Nil for anything
    /// else.
    package var boundedNumber: Double? { double.flatMap { $0.isFinite && abs($0) < 1e15 ? $0 : nil } }
}
