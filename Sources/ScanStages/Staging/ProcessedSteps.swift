/// `processed.txt`: which of its steps MultiScan's server finds done, one `step=true` or `step=false` per line.
///
/// Source: multiscan, server/scan_processor.py (`validate_process` writes the file, `process_preliminary` and
/// `process_extra` skip what it calls true) and server/index.py, which lists only scans that have one.
package struct ProcessedSteps {
    var id: String
    /// Frames of the capture, which the server counts from 0.
    var frameCount: Int
    /// The output's files.
    var files: Set<String>
    /// Whether any ``depthPicture(of:)`` shows another frame than its camera line.
    var hasOthersPictures: Bool

    package init(id: String, frameCount: Int, files: Set<String>, hasOthersPictures: Bool = false) {
        self.id = id
        self.frameCount = frameCount
        self.files = files
        self.hasOthersPictures = hasOthersPictures
    }

    /// Where the server looks for the depth picture of a camera line, which it counts from 0.
    static func depthPicture(of line: Int) -> String { "outputs/depth/\(line).png" }

    package var text: String {
        let steps = [
            ("convert", isConverted), ("recons", false), ("texturing", false), ("segmentation", false),
            ("render", false),
            ("thumbnail", files.isSuperset(of: ["\(id)_thumb.jpg", "\(id)_preview.mp4"])), ("alignpairs", false),
            ("allValid", false),
        ]
        return steps.map { "\($0)=\($1)\n" }.joined()
    }

    /// Whether there are colour pictures, and exactly one depth picture for each camera line, under the line's number.
    private var isConverted: Bool {
        !hasOthersPictures && files.contains { $0.hasPrefix("outputs/color/") }
            && files.count { $0.hasPrefix("outputs/depth/") } == frameCount
            && (0..<frameCount).allSatisfy { files.contains(Self.depthPicture(of: $0)) }
    }
}
