import ScanModel

/// What is warned of in captures of any format, once one is open.
extension Capture {
    /// Warns of what may be as it should and mostly is not, whatever the format: of the files, and of cameras that hardly
    /// can have taken these pictures.
    public mutating func noteDoubts(in tree: any CaptureTree) {
        noteDoubtsOfFiles(in: tree)
        let cameras = frames.filter { !$0.isDropped }.compactMap(\.intrinsics)
        let doubts = cameras.compactMap(\.doubt)
        if let doubt = doubts.first, doubts.count > cameras.count / 2 {
            warnings.append("\(doubt): the intrinsics may be for pictures of another size, or turned by a quarter")
        }
    }

    /// Warns of what is doubtful about the files alone: second copies among the frames', pictures that others turn, points
    /// far from the origin.
    mutating func noteDoubtsOfFiles(in tree: any CaptureTree) {
        noteCopies(in: tree)
        noteOrientation(in: tree)
        if let doubt = cloud?.coarseness { warnings.append(doubt) }
    }

    /// Warns of a second recording in the same folder, in another format than the one that was recognised: it is not read.
    public mutating func noteOtherRecordings(in tree: any CaptureTree) {
        for other in CaptureFormats.others(than: format, in: tree) {
            warnings.append(
                "there is a second capture in the folder: it was read as \(format), and as \(other.format) it was not, "
                    + "though \(other.reason); make a folder for each")
        }
    }
}
