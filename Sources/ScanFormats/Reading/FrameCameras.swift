import ScanModel

/// What readers note about the frames' cameras.
extension CameraIntrinsics {
    /// What the width and the height of a camera's pictures can be; numbers beyond that are damaged.
    static let sides = 1...1 << 20

    /// The camera for pictures that were resized after recording; the same where their size is unknown.
    /// - Throws: when the pictures have another shape.
    func fitted(to size: PixelSize?) throws(Problem) -> CameraIntrinsics {
        guard let size, size != self.size else { return self }
        guard self.size.hasShape(of: size) else {
            throw Problem(
                .input, "the picture is \(size), and its intrinsics are for \(width)×\(height)",
                notes: size == PixelSize(height, width) ? ["it looks turned by 90°"] : [])
        }
        return resized(to: size)
    }
}

extension Capture {
    /// Gives every frame one camera, for pictures of the size that was found.
    mutating func giveAllFrames(_ camera: CameraIntrinsics) {
        for index in frames.indices { frames[index].intrinsics = camera }
        channels.insert(.intrinsics)
    }

    /// Gives a frame its camera, scaled to pictures that were resized after recording, of which
    /// ``noteScaledIntrinsics()`` warns.
    /// - Throws: when the pictures have another shape.
    mutating func setIntrinsics(_ camera: CameraIntrinsics, of index: Int, for size: PixelSize?) throws(Problem) {
        try setCamera(CalibratedCamera(camera), of: index, for: size)
    }

    /// How many frames back the same camera is looked for, so that its undistortion is computed only once.
    private static let mostCameras = 8

    /// The same with a lens that may distort, which ``deriveIntrinsicsChannel()`` reports when all frames have their
    /// cameras.
    /// - Throws: when the pictures have another shape, or the lens cannot be undone.
    mutating func setCamera(_ recorded: CalibratedCamera, of index: Int, for size: PixelSize?) throws(Problem) {
        let camera = recorded.intrinsics
        let fitted = try camera.fitted(to: size)
        if recorded.lens.isStraight {
            frames[index].intrinsics = fitted
        } else {
            let bent = CalibratedCamera(fitted, recorded.lens)
            // A rig's cameras take turns.
            let before = (max(0, index - Self.mostCameras)...index).reversed()
            let known = before.first { undistortions[$0]?.recorded == bent }.flatMap { undistortions[$0] }
            if let known { undistortions[index] = known } else { undistortions[index] = try Undistortion(of: bent) }
        }
        scaledFrom[index] = camera.size == fitted.size ? nil : camera.size
    }

    /// Says that frames have intrinsics, or where a lens distorts, that ``Channel/lens`` has to be undone first: a
    /// pinhole's numbers would be wrong for every use.
    mutating func deriveIntrinsicsChannel() {
        guard let first = keptFrames.compactMap({ undistortions[$0.index] }).first else {
            undistortions = [:]
            channels.insert(.intrinsics)
            return
        }
        channels.insert(.lens)
        loses(
            .intrinsics, "the lens distorts (\(first.recorded.lens))",
            fix: "undistort the pictures with the stage  undistort  above those that need intrinsics")
        // A straight lens among distorting ones: its frames must not have what the capture lacks.
        for index in frames.indices {
            guard let straight = frames[index].intrinsics else { continue }
            frames[index].intrinsics = nil
            undistortions[index] = Undistortion(straight: straight)
        }
    }

    /// The size of the kept frames' pictures, according to their cameras, where all that have a camera agree.
    mutating func deriveColorSize() {
        let sizes = Set(keptFrames.compactMap { recordedIntrinsics(of: $0.index)?.size })
        colorSize = sizes.count == 1 ? sizes.first : nil
    }
}
