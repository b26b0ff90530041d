internal import CScanMill

/// Calls a function of CScanMill that returns 0, or anything else after leaving one line of text.
/// - Returns: that line, or nil for 0.
func messageOf(_ function: (UnsafeMutablePointer<CChar>) -> Int32) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(SM_MESSAGE)) { text in
        guard let start = text.baseAddress else { return "no memory" }
        start.pointee = 0
        return function(start) == 0 ? nil : String(cString: start)
    }
}
