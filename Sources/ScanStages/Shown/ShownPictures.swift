import ScanFormats
import ScanModel
import ScanPipeline

/// Small pictures of frames for people to look at: shrunk, and turned so that up is up.
///
/// A picture that will not decode, or is too small, is no reason to lose a frame here, since it is only to be looked
/// at: it is passed over, counted and warned about.
struct ShownPictures: Sendable {
    /// At most so many pixels across, after turning; smaller pictures stay as they are.
    let width: Int
    /// Clockwise.
    let quarterTurns: Int
    /// Widths and heights are multiples of this.
    let multiple: Int

    /// - Parameter context: that of `begin`, which has the list of frames.
    init(width: Int, isUpright: Bool, multiple: Int = 1, _ context: StageContext) {
        self.width = width
        self.multiple = multiple
        let poses = context.capture.keptFrames.compactMap(\.pose)
        quarterTurns = isUpright ? context.capture.worldUp.map { QuarterTurn.upright(poses, up: $0) } ?? 0 : 0
    }

    static func upright(_ options: inout OptionReader) -> Bool {
        options.flag(
            "upright", "Turn pictures in steps of 90° so that up is up, where the capture says which way that is.",
            default: true)
    }

    static func quality(_ options: inout OptionReader) -> Int {
        options.integer("quality", "Quality of the JPEG.", default: 85, in: 1...100)
    }

    /// The frame's picture, small and upright; nil when it will not decode, or is smaller than ``multiple`` allows.
    func small(_ frame: inout Frame, _ context: StageContext) throws(Problem) -> RGBImage? {
        let recorded = frame.picture
        // The frame's turn may be far off, and most of its memory is what was decoded for this alone.
        defer {
            if !context.wanted.contains(.color) {
                frame.decodedPicture = nil
                if case .planes? = recorded { frame.picture = recorded }
            }
        }
        do throws(Problem) {
            let picture = try frame.loadRGB(context)
            let (old, new) = (picture.size, size(of: picture.size))
            guard new.width <= old.width, new.height <= old.height else {
                throw Problem(.input, "a picture of \(old) is too small")
            }
            return picture.downscaled(to: new).turned(quarterTurns: quarterTurns)
        } catch {
            guard error.fault == .input else { throw error }
            context.count("pictures-passed-over", 1)
            context.warn(
                "a picture was passed over: \(error.inFrame(frame.index).oneLine)", ofFrame: frame.index,
                other: "picture was passed over", others: "pictures were passed over")
            return nil
        }
    }

    /// The size that a picture gets before it is turned.
    private func size(of picture: PixelSize) -> PixelSize {
        let upright = QuarterTurn.size(picture, turns: quarterTurns)
        let small = upright.fitting(into: PixelSize(width, upright.height))
        func rounded(_ length: Int) -> Int { max(multiple, length / multiple * multiple) }
        return QuarterTurn.size(PixelSize(rounded(small.width), rounded(small.height)), turns: -quarterTurns)
    }

    /// The same for a depth or confidence map, which is shown as wide as pictures are, even if it has to be enlarged.
    func size(ofMap map: PixelSize) -> PixelSize {
        let upright = QuarterTurn.size(map, turns: quarterTurns)
        let height = max(1, (2 * upright.height * width + upright.width) / (2 * upright.width))
        return QuarterTurn.size(PixelSize(width, height), turns: -quarterTurns)
    }
}

/// Which frames are shown, as far as none is missing, and how. Made in `begin`, where the frames are known.
struct ShownFrames: Sendable {
    let pictures: ShownPictures
    /// Their numbers in the source.
    let frames: Set<Int>
}
