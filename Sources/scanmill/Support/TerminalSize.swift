import Glibc

/// How large a terminal is.
struct TerminalSize {
    var columns: Int
    var rows: Int
}

extension TerminalSize {
    /// Nil where the file is no terminal, or does not tell.
    init?(of descriptor: Int32) {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return nil }
        (columns, rows) = (Int(size.ws_col), Int(size.ws_row))
    }
}
