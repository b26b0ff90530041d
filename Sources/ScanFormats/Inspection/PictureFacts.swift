import ScanModel

extension CaptureInspection {
    /// Picture files, looked at from outside: headers and ends, not pixels.
    public struct Pictures: Hashable, Sendable {
        public struct Size: Hashable, Sendable {
            public var size: PixelSize
            public var count: Int
        }

        /// A folder in which pictures lie.
        public struct Folder: Hashable, Sendable {
            /// Relative to the capture; empty for its top.
            public var path: String
            public var count: Int
            public var byteCount: Int64
            /// That of most of its pictures.
            public var size: PixelSize?

            /// `images/`; `./` for the capture's top.
            public var name: String { path.isEmpty ? "./" : "\(path)/" }
        }

        public var count: Int
        public var byteCount: Int64
        /// The folders they lie in, sorted.
        public var folders: [Folder]
        /// How many there are of each size, most first.
        public var sizes: [Size]
        /// Pictures that are cut off, damaged or of a kind that cannot be decoded.
        public var damagedCount: Int

        /// - Returns: nil when the capture's pictures are not files.
        init?(_ capture: Capture) {
            let files = capture.frames.compactMap(\.pictureFile)
            guard !files.isEmpty else { return nil }
            count = files.count
            let found = Parallel.map(files.count, workers: capture.resources.threads) { number in
                try? PictureLook.size(of: capture.source.open(files[number]))
            }
            damagedCount = found.count { $0 == nil }
            sizes = found.counted.map { Size(size: $0.size, count: $0.count) }
            let byteCounts = Dictionary(capture.files.map { ($0.path, $0.byteCount) }) { first, _ in first }
            let byFolder = Dictionary(grouping: files.indices) { files[$0].folderPath }
            folders = byFolder.sorted { $0.key < $1.key }.map { path, numbers in
                // Pictures within another file are not files of the capture, but have a byte range of that file.
                let bytes = numbers.map { number -> Int64 in
                    let file = files[number]
                    return byteCounts[file] ?? capture.source.location(of: file)?.range.map { Int64($0.count) } ?? 0
                }
                let size = numbers.map { found[$0] }.counted.first?.size
                return Folder(path: path, count: numbers.count, byteCount: bytes.reduce(0, +), size: size)
            }
            byteCount = folders.reduce(0) { $0 + $1.byteCount }
        }
    }

    /// Drops the frames of a `.sens` file whose pictures are not whole, as a run does when it comes to them: opening the
    /// file looks at no picture. The readers of picture files look at each.
    mutating func checkPictures(of capture: inout Capture) {
        guard let source = capture.source as? SensSource, capture.channels.contains(.color) else { return }
        let found = Parallel.map(capture.frames.count, workers: capture.resources.threads) { index -> Problem? in
            do throws(Problem) {
                try source.checkPicture(of: index)
                return nil
            } catch { return error }
        }
        for (index, problem) in found.enumerated() {
            guard let problem else { continue }
            do throws(Problem) { try capture.drop(index, for: problem) } catch {
                // The other pictures that the machine cannot read have the same cause.
                return note(errors: [error])
            }
        }
    }

    /// The video, by what it says about itself; it is not decoded.
    public struct Video: Hashable, Sendable {
        public var file: String
        public var facts: VideoFacts
        /// Frames that are shown at another time than their camera says, by more than half a frame; nil where that
        /// cannot be compared.
        public var offTimeCount: Int?

        /// Seconds from the first frame to the end of the last.
        public var duration: Double? {
            guard let last = facts.times?.last else { return nil }
            return Double(last) / 1e9 + (facts.averageRate.map { 1 / $0 } ?? 0)
        }

        /// - Returns: nil when the capture has no video, or ffprobe is not there to look at it.
        init?(_ capture: Capture) {
            guard let video = (capture.source as? TreeSource)?.video else { return nil }
            file = video.file
            facts = video.facts
            if let times = facts.times, capture.frames.prefix(times.count).contains(where: { $0.timestamp != nil }) {
                let isCompared = capture.video?.comparesTimes == true
                offTimeCount = isCompared ? capture.findings["frames-off-time"]?.array?.count ?? 0 : nil
            }
        }
    }
}
