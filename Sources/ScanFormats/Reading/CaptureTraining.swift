import ScanModel

/// What a training dataset has besides what a camera saw: masks, and lists of what each picture is for.
extension Capture {
    /// Lists the masks, one per frame.
    /// - Parameters:
    ///   - masks: by the frame's index; nil where there is no such file.
    ///   - named: what the dataset's description names, whether it exists or not.
    ///   - list: the description.
    mutating func takeMasks(
        _ masks: [FrameMasks.File?], named: [String?], listedIn list: String, to source: inout TreeSource
    ) {
        for (index, mask) in masks.enumerated() {
            if let mask { self.list(mask.path, in: source.tree, [.mask], of: index) }
        }
        let count = masks.count { $0 != nil }
        let listed = named.compactMap(\.self)
        if listed.isEmpty && count == 0 { return }
        if count == 0 { return losesPictures(.mask, listed, called: "mask ", listedIn: list, in: source.tree) }
        source.masks = FrameMasks(files: masks)
        channels.insert(.mask)
        noteGaps(.mask, in: masks.map { $0?.path }, named: named)
        regrets[.mask] =
            "the masks of \(count.counted("frame")) are not used: write-transforms and write-colmap keep them with "
            + "`masks: recorded`"
    }

    /// A dataset's list of pictures.
    struct SplitList {
        /// As messages call it.
        var name: String
        var split: DatasetSplit
        var pictures: [String]
    }

    /// Notes what each frame is for.
    /// - Parameters:
    ///   - lists: those that hold anything.
    ///   - pictures: the frames' pictures, named as in the lists.
    ///   - known: what is known of the frames without lists.
    mutating func takeSplits(_ lists: [SplitList], of pictures: [String], besides known: [DatasetSplit?]) {
        var splits = known
        let stems = pictures.map(\.pictureStem)
        for list in lists {
            let listed = Set(list.pictures.map(\.pictureStem))
            for index in splits.indices {
                splits[index] = (splits[index] ?? []).union(listed.contains(stems[index]) ? list.split : [])
            }
            let strangers = listed.subtracting(stems)
            guard let first = strangers.min() else { continue }
            warnings.append(
                "\(list.name) names \(strangers.count.counted("picture")) that no frame has, the first \(first.shortened)"
            )
        }
        if splits.allSatisfy({ $0 == nil }) { return }
        for index in splits.indices { frames[index].split = splits[index] }
        channels.insert(.split)
        regrets[.split] =
            "the dataset's lists of frames for training and for tests are not used: write-transforms and write-colmap "
            + "keep them with `test-every: 0`"
    }
}
