internal import CScanMill
import Glibc
import ScanModel

/// Calls a function of CScanMill that returns 0, or anything else after leaving one line of text.
/// - Returns: that line, or nil for 0.
func messageOf(_ function: (UnsafeMutablePointer<CChar>) -> Int32) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(SM_MESSAGE)) { text in
        guard let start = text.baseAddress else { return "no memory" }
        start.pointee = 0
        return function(start) == 0 ? nil : String(cString: start)
    }
}

/// Calls an encoder of CScanMill, and takes the file that it leaves in C's memory.
func encoded(
    _ format: String,
    _ encode: (
        UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, UnsafeMutablePointer<Int>, UnsafeMutablePointer<CChar>
    )
        -> Int32
) throws(Problem) -> [UInt8] {
    var file: UnsafeMutablePointer<UInt8>?
    var size = 0
    defer { free(file) }
    if let message = messageOf({ encode(&file, &size, $0) }) {
        throw Problem(.environment, "cannot make a \(format): \(message)")
    }
    return Array(UnsafeBufferPointer(start: file, count: size))
}
