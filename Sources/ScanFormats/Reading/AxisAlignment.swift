import ScanModel

extension Capture {
    /// Notes ScanNet's `axisAlignment`, which turns the world upright and is not applied: poses stay as recorded.
    mutating func noteAxisAlignment(in tree: any CaptureTree) {
        for entry in tree.entries(in: "") where entry.name.hasSuffix(".txt") {
            // In some layouts each frame's pose lies here too, in a file that holds nothing else.
            if entry.name.hasSuffix(".pose.txt") { continue }
            guard let count = entry.byteCount, count <= Int64(NumberText.sizeLimit),
                let bytes = try? tree.bytes(of: entry.name, limit: NumberText.sizeLimit)
            else { continue }
            do throws(Problem) {
                guard let matrix = try ScanNetText(bytes, file: entry.name).numbers("axisAlignment", count: 16) else {
                    continue
                }
                findings["axis-alignment"] = .of(matrix)
            } catch {
                warnings.append("the world's alignment cannot be read, and is not in the receipt: \(error.oneLine)")
            }
            // In some layouts the file has been listed for its other content.
            if !files.contains(where: { $0.path == entry.name }) { list(entry.name, in: tree, []) }
            if findings["axis-alignment"] != nil { return }
        }
    }
}
