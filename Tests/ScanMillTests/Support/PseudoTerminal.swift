/// Terminals that Python makes.
enum PseudoTerminal {
    /// Python that runs the command it is given on a terminal, and has what came there in `text`.
    /// - Parameters:
    ///   - rows: of the terminal, and `columns` likewise.
    ///   - stdout: `end` for the terminal, or where it goes instead; `stderr` likewise.
    static func script(
        rows: Int, columns: Int, stdout: String = "subprocess.DEVNULL", stderr: String = "subprocess.DEVNULL"
    ) -> String {
        """
        import fcntl, os, pty, re, struct, subprocess, sys, termios, unicodedata
        terminal, end = pty.openpty()
        fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack('HHHH', \(rows), \(columns), 0, 0))
        run = subprocess.Popen(sys.argv[1:], stdin=end, stdout=\(stdout), stderr=\(stderr))
        os.close(end)
        text = b''
        try:
            while part := os.read(terminal, 65536): text += part
        except OSError: pass
        run.wait()
        text = text.decode()

        """
    }
}
