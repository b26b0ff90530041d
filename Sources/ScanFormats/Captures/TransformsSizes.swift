import ScanModel

// Which pictures the numbers of a lens are for, where the dataset does not say it.
extension TransformsReader {
    /// The entries with lenses for pictures of one size each: one field of view means one camera, and a picture of
    /// another shape was cropped or damaged. Where no shape is that of most pictures, each keeps a camera of its own.
    /// - Parameter looks: at the entries' pictures.
    mutating func assumingSizes(
        of entries: [TransformsEntry], _ looks: [Result<PictureLook?, Problem>]
    ) -> [TransformsEntry] {
        let sizes = zip(entries, looks).map { entry, look -> PixelSize? in
            guard entry.omission == nil, entry.found?.lens.lacksSize == true else { return nil }
            return try? look.get()?.result.get().size
        }
        let lenses = Dictionary(grouping: entries.indices.filter { sizes[$0] != nil }) {
            entries[$0].found?.lens.numbers ?? []
        }
        var result = entries
        for members in lenses.values.sorted(by: { $0[0] < $1[0] }) {
            let counted = members.map { sizes[$0] }.counted
            guard counted.count > 1, let usual = counted.first?.size else { continue }
            let alike = counted.filter { $0.size.hasShape(of: usual) }.reduce(0) { $0 + $1.count }
            if 2 * alike > members.count {
                for number in members {
                    // Angles are for any size of the shape.
                    let isFit =
                        sizes[number]?.hasShape(of: usual) == true && entries[number].found?.lens.isOfAngles == true
                    if !isFit { result[number].found?.lens.assume(usual) }
                }
            } else {
                let examples = counted.map(\.size.description).listed(most: 3)
                capture.warnings.append(
                    "\(file) gives one lens without w and h for pictures of several shapes, none of them that of most "
                        + "(\(examples)): each was given a camera for its own size")
            }
        }
        return result
    }
}
