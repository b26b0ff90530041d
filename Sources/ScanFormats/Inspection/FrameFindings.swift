import ScanModel

extension CaptureInspection {
    /// Frames that a run would drop because not every stream has them: a finding for each reason. Bad frames are left
    /// to ``noteBadFrames(of:)``.
    /// - Parameter drops: in the order of their frames.
    mutating func noteShortfall(_ drops: [(frame: Int, drop: Drop)]) {
        let leftOut = drops.filter { !$0.drop.isBad }.map { ($0.frame, $0.drop.reason) }
        note(
            warnings: Self.folded(leftOut).map { reason, frames in
                Problem(
                    .input, "\(frames.count == 1 ? "a frame" : "\(frames.count) frames") would be dropped: \(reason)",
                    notes: [frames.frameRuns])
            })
    }

    /// A capture of which no frame would be left, although no other finding fails a run.
    mutating func noteNothingLeft(of capture: Capture) {
        guard errors.isEmpty, !capture.frames.isEmpty, capture.frames.allSatisfy(\.isDropped) else { return }
        note(errors: [
            Problem(
                .input, "no frame is left of \(capture.frames.count)",
                fix: "see above why they are dropped; if something is missing, copy it too")
        ])
    }

    /// Masks that cannot be read, or are not of their pictures' size: stages that keep them drop their frames.
    mutating func noteBadMasks(of capture: Capture) {
        let files = capture.files.filter { $0.channels.contains(.mask) }.map(\.path)
        let found = Parallel.map(files.count, workers: capture.resources.threads) { number -> (PixelSize?, Problem?) in
            do throws(Problem) { return (try PictureLook.size(of: capture.source.open(files[number])), nil) } catch {
                return (nil, error.at(file: files[number]))
            }
        }
        noteMasksOfOtherSize(of: capture, Dictionary(zip(files, found.map(\.0))) { first, _ in first })
        let problems = found.compactMap(\.1)
        // A mask that the machine cannot read may be sound. The others that it cannot read have the same cause.
        note(errors: Array(problems.filter { $0.fault == .environment }.prefix(1)))
        let bad = problems.filter { $0.fault != .environment }.map(\.oneLine)
        guard !bad.isEmpty else { return }
        note(warnings: [
            Problem(
                .input, bad.count == 1 ? "a mask cannot be read" : "\(bad.count) masks cannot be read",
                notes: Self.cut(bad),
                fix: "copy the masks again: stages that keep them drop the frames of these")
        ])
    }

    /// - Parameter sizes: of the masks, by path; nil for those that cannot be read.
    private mutating func noteMasksOfOtherSize(of capture: Capture, _ sizes: [String: PixelSize?]) {
        guard let masks = (capture.source as? TreeSource)?.masks?.files else { return }
        let bad = capture.keptFrames.compactMap { facts -> (index: Int, reason: String)? in
            // A stage compares with the picture's camera: frames may share a mask.
            guard masks.indices.contains(facts.index), let path = masks[facts.index]?.path,
                let mask = sizes[path] ?? nil, let picture = capture.recordedIntrinsics(of: facts.index)?.size,
                mask != picture
            else { return nil }
            return (facts.index, "the mask is \(mask), and the picture \(picture)")
        }
        guard !bad.isEmpty else { return }
        note(warnings: [
            Problem(
                .input,
                bad.count == 1
                    ? "a frame's mask is not of its picture's size"
                    : "the masks of \(bad.count) frames are not of their pictures' size",
                notes: Self.cut(Self.folded(bad).map { "\($0.frames.frameRuns): \($0.reason)" }),
                fix: "make them again: write-transforms and write-colmap with `masks: recorded` refuse these frames")
        ])
    }

    /// Frames whose own data is bad: a run drops them, and fails when they are too many.
    mutating func noteBadFrames(of capture: Capture) {
        let excess = capture.excessOfBadFrames()
        // No run drops frames that only lack something.
        let bad = capture.badFrames(using: excess == nil ? [] : nil)
        guard !bad.isEmpty else { return }
        let list = Self.cut(Self.folded(bad).map { "\($0.frames.frameRuns): \($0.reason)" })
        if var excess {
            excess.notes = excess.notes.prefix(1) + list
            note(errors: [excess])
        } else {
            note(warnings: [
                Problem(
                    .input,
                    bad.count == 1 ? "a bad frame would be dropped" : "\(bad.count) bad frames would be dropped",
                    notes: list, fix: "copy the capture again if it was whole once; a run goes on without them")
            ])
        }
    }

    /// Groups frames by reason, in the order in which the reasons first occur. Reasons that differ only in their numbers,
    /// as those that name files do, count as one.
    static func folded(_ bad: [(index: Int, reason: String)]) -> [(reason: String, frames: [Int])] {
        var places: [String: Int] = [:]
        var groups: [(reason: String, hasOthers: Bool, frames: [Int])] = []
        for (index, reason) in bad {
            let kind = reason.withoutNumbers
            let place = places[kind] ?? groups.count
            if place == groups.count { groups.append((reason, false, [])) }
            places[kind] = place
            groups[place].frames.append(index)
            if groups[place].reason != reason { groups[place].hasOthers = true }
        }
        return groups.map { ("\($0.reason)\($0.hasOthers ? ", and the like" : "")", $0.frames) }
    }

    /// What can hardly be right, although nothing shows that it is wrong.
    func implausibilities() -> [Problem] {
        var problems: [Problem] = []
        if let depth { problems += Self.implausibilities(of: depth, isMetric: isMetric) }
        if let confidence, confidence.strayCount > 0 {
            problems.append(
                Problem(
                    .input,
                    "\(confidence.strayCount.counted("confidence value", "is", "are")) outside \(confidence.range.lowerBound) to \(confidence.range.upperBound)",
                    fix: recognition.format == MultiScanCapture.name
                        ? "correct the range of confidence in the capture's description"
                        : "the values were rescaled after the recording: copy confidence again as the app wrote it"))
        }
        if let box, box.isShownNowhere {
            problems.append(
                Problem(
                    .input, "no picture shows the middle of the box",
                    fix:
                        "see whether the box and the poses belong together: `filter-view` and `check-geometry` name poses "
                        + "that are not what the format says"))
        }
        if let video, !video.facts.complaints.isEmpty {
            problems.append(
                Problem(
                    .input, "ffprobe complains about the video",
                    notes: Array(video.facts.complaints.prefix(Self.listLimit)),
                    fix: "look at the video; if it does not play well, copy it again"
                ).at(file: video.file))
        }
        return problems
    }

    /// A median outside of 0.2 m to 10 m, mostly because the values' unit is not the stated one.
    private static func implausibilities(of depth: Depth, isMetric: Bool) -> [Problem] {
        guard depth.pixelCount > 0 else { return [] }
        guard let median = depth.median else {
            return [Problem(.input, "no pixel of the depth has a value", fix: "check that the depth sensor was on")]
        }
        var problems: [Problem] = []
        if isMetric, let (summary, cause) = GeometryCheck.doubt(ofMedian: median) {
            let remedy = cause.map { _ in
                "correct the depth's unit in the capture's description, if that is what is wrong; half floats are metres"
            }
            problems.append(Problem(.input, summary, notes: cause.map { [$0] } ?? [], fix: remedy))
        }
        if depth.repaired.doubtful * 100 > depth.pixelCount {
            let share = Double(depth.repaired.doubtful) / Double(depth.pixelCount) * 100
            problems.append(
                Problem(
                    .input,
                    "\(share.rounded(decimals: 3)) % of the depth pixels are no depths",
                    notes: ["the depth may be damaged: not every compression has a checksum that would show it"],
                    fix: "copy the file again"))
        }
        return problems
    }
}
