import ScanModel

// Where captures lie in an archive.
extension ZipArchive {
    /// The captures in the archive, as they would be found in the unpacked folder.
    var captures: [ZipArchive] {
        // The one folder that holds everything may be the capture's own, such as Polycam's `keyframes/`. What only looks
        // like remains by that name is judged by what it holds.
        let whole = above.first { tree in CaptureFormats.all.contains { $0.recognise(tree) != nil } }
        return whole.map { [$0] + $0.recordingsBesidePictures(depth: 0) } ?? captures(depth: 0)
    }

    /// The one of ``captures``; nil where there is none.
    /// - Throws: when there are several.
    func onlyCapture() throws(Problem) -> ZipArchive? {
        let captures = captures
        if captures.count < 2 { return captures.first }
        let names = captures.map { $0.top.isEmpty ? "pictures at its top" : $0.top.distinctly }
        throw Problem(
            .input, "the archive holds \(captures.count) captures", notes: ["they are \(names.listed(most: 8))"],
            fix: "unpack it into a folder, and keep the archive elsewhere")
    }

    /// - Parameter depth: how many folders below the first one that is searched the top lies.
    private func captures(depth: Int) -> [ZipArchive] {
        if CaptureFormats.recognise(self) != nil { return [self] + recordingsBesidePictures(depth: depth) }
        if depth == CaptureSearch.depthLimit { return [] }
        return entries(in: "").flatMap { entry -> [ZipArchive] in
            guard entry.kind == .folder else { return [] }
            let inner = below(entry.name)
            return CaptureSearch.isResult(inner) ? [] : inner.captures(depth: depth + 1)
        }
    }

    /// The recordings in the folders of what is guessed from its pictures to be a capture.
    private func recordingsBesidePictures(depth: Int) -> [ZipArchive] {
        guard depth < CaptureSearch.depthLimit, PictureFolder.find(in: self) != nil,
            let own = CaptureFormats.recognise(self), own.format == PictureFolderCapture.name
        else { return [] }
        let folders = entries(in: "").filter { $0.kind == .folder && CaptureSearch.mayHoldCapture($0, besides: own) }
        return folders.flatMap { below($0.name).captures(depth: depth + 1) }.filter(CaptureSearch.isRecording)
    }
}
