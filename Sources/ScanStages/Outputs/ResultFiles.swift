import ScanModel
import ScanPipeline

/// What stages write besides whole files of bytes.
extension OutputFolder {
    /// Writes a whole file of text, as UTF-8.
    func write(_ text: String, to path: String) throws(Problem) { try write(Array(text.utf8), to: path) }

    /// Writes a file that belongs to one frame: it is taken back when the frame turns out to be bad.
    func write(_ bytes: [UInt8], for frame: inout Frame, to path: String) throws(Problem) {
        try write(bytes, to: path)
        frame.files.append(path)
    }

    /// Copies a file of a capture.
    func copy(_ file: String, of capture: Capture, to path: String) throws(Problem) {
        if let location = capture.source.location(of: file) {
            try copy(location, name: file, to: path)
        } else {
            try copy(try capture.source.open(file), to: path)
        }
    }
}
