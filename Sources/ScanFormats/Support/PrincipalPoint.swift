import ScanModel

// Camera files rarely say which picture size their numbers are for. The principal point tells.
extension CameraIntrinsics {
    /// How far the principal point lies from the picture's middle, as a fraction of its width or height: the larger of
    /// the two. Cameras of phones and tablets stay within a fiftieth.
    var offCentre: Double {
        let k = counted(from: .corner)
        return max(abs(k.cx / Double(width) - 0.5), abs(k.cy / Double(height) - 0.5))
    }

    /// The same numbers for pictures of another size.
    fileprivate func unscaled(to size: PixelSize) -> CameraIntrinsics {
        var copy = self
        (copy.width, copy.height) = (size.width, size.height)
        return copy
    }

    /// Negative where the principal point lies nearer to the middle of this camera's size than to that of another one.
    fileprivate func preference(over size: PixelSize) -> Double { offCentre - unscaled(to: size).offCentre }
}

extension Capture {
    /// The camera for the pictures that are there, where no file says which size of pictures its numbers are for.
    ///
    /// Programs that make pictures smaller after recording leave the numbers as they were, or scale them too. So they are
    /// taken to be for the recorder's size or for the one that is there, whichever has the principal point nearer to its
    /// middle; if it is the recorder's, they are scaled, and a warning says so. For pictures of another shape than the
    /// recorder's, which were cropped or turned, nothing is guessed: the numbers stay as they are, and
    /// ``noteDoubts(in:)`` warns where that puts the principal point far from the middle.
    /// - Parameters:
    ///   - recorded: the numbers, as a camera of the recorder's size.
    ///   - pictures: what the warning calls them.
    mutating func guessedCamera(
        _ recorded: CameraIntrinsics, for size: PixelSize, of pictures: String
    ) -> CameraIntrinsics {
        recorded.preference(over: size) < 0
            ? scaledCamera(recorded, to: size, of: pictures) : recorded.unscaled(to: size)
    }

    /// The same for the frames' own cameras, all in one way: pictures may be so near to the recorder's size that
    /// principal points which move from frame to frame lie nearer to one middle here and to the other there. The kept
    /// frames' middle one decides.
    mutating func guessCameras(for size: PixelSize) {
        let preferences = keptFrames.compactMap { $0.intrinsics?.preference(over: size) }
        let areRecorders = (preferences.middle ?? 0) < 0
        for index in frames.indices {
            guard let recorded = frames[index].intrinsics else { continue }
            frames[index].intrinsics =
                areRecorders ? scaledCamera(recorded, to: size) : recorded.unscaled(to: size)
        }
    }

    /// A camera of the recorder's size for the pictures that are there; of another shape, its numbers stay as they are.
    mutating func scaledCamera(
        _ recorded: CameraIntrinsics, to size: PixelSize, of pictures: String = "pictures"
    ) -> CameraIntrinsics {
        guard recorded.size != size, size.hasShape(of: recorded.size) else { return recorded.unscaled(to: size) }
        noteScaledIntrinsics(of: pictures, from: recorded.size, to: size)
        return recorded.resized(to: size)
    }

    /// Warns of frames' own intrinsics that were scaled to pictures of another size, once all are read: of single
    /// frames among others by name.
    mutating func noteScaledIntrinsics() {
        if scaledFrom.isEmpty { return }
        let cameras = keptFrames.compactMap { facts in
            recordedIntrinsics(of: facts.index).map { (frame: facts.index, size: $0.size) }
        }
        var scaled: [Scaling: [Int]] = [:]
        for (frame, size) in cameras {
            if let recorded = scaledFrom[frame] { scaled[Scaling(from: recorded, to: size), default: []].append(frame) }
        }
        scaledFrom = [:]
        for (scaling, frames) in scaled.sorted(by: { $0.value[0] < $1.value[0] }) {
            let (recorded, size) = (scaling.from, scaling.to)
            guard frames.count < cameras.count else {
                noteScaledIntrinsics(from: recorded, to: size)
                continue
            }
            let whose = frames.count == 1 ? "its" : "their"
            warnings.append(
                "\(frames.count.counted(of: cameras.count, "picture", "is", "are")) \(size), and the intrinsics are for "
                    + "\(recorded): \(whose) intrinsics were scaled (\(frames.frameRuns))")
        }
    }

    /// Warns, once, of intrinsics that were scaled to pictures of another size.
    private mutating func noteScaledIntrinsics(
        of pictures: String = "pictures", from recorded: PixelSize, to size: PixelSize
    ) {
        let warning = "the \(pictures) are \(size), and the intrinsics for \(recorded); the intrinsics were scaled"
        if !warnings.contains(warning) { warnings.append(warning) }
    }
}

/// From the size that intrinsics were recorded for to that of the pictures.
private struct Scaling: Hashable {
    var from: PixelSize
    var to: PixelSize
}
