import ScanModel

/// An element of `frames` in a `transforms.json`, before it has an index.
struct TransformsEntry {
    var path: String
    /// How messages call it: its picture, or where that is not named, its description and its place there.
    private(set) var name: String
    /// Set for bad frames too: messages about missing depth count them.
    var depth: String?
    /// Whether the depth is under instant-ngp's key.
    var isDepthOfNGP = false
    var mask: String?
    var split: DatasetSplit?
    var found: TransformsJSON.Found?
    var problem: Problem?
    /// Why the dataset's loader leaves the frame out; nil where it does not.
    var omission: String?

    /// - Parameter root: the top level of the file that lists the frame; its camera counts for frames without one.
    init(_ element: JSONField, _ root: JSONField) {
        path = element["file_path"].value?.string ?? element.path
        name = path.pathParts.isEmpty ? "\(element.file), \(element.path)" : path.shortened
        depth = try? TransformsJSON.Found.depth(element)
        isDepthOfNGP = depth != nil && element["depth_file_path"].isAbsent
        do throws(Problem) {
            mask = try TransformsJSON.Found.mask(element)
            let found = try TransformsJSON.Found(element, root)
            path = found.picture
            self.found = found
        } catch { problem = error.correcting(element.file) }
    }

    /// A frame of which only the picture is known.
    init(lost path: String, for split: DatasetSplit, because problem: Problem) {
        self.path = path
        name = path
        self.split = split
        self.problem = problem
        // The problem is the whole description's, so the summary has to name the frame that it cost.
        self.problem?.summary = "\(path) is lost: \(problem.summary)"
    }

    /// The same entry as a description one folder higher would have it.
    func movedUp(from way: String) -> TransformsEntry {
        func moved(_ path: String) -> String { path.movedUp(from: way) }
        var copy = self
        copy.path = moved(path)
        copy.name = moved(name)
        copy.depth = depth.map(moved)
        copy.mask = mask.map(moved)
        if let found { copy.found?.picture = moved(found.picture) }
        return copy
    }
}

extension String {
    /// A path as a description one folder higher would have it.
    func movedUp(from way: String) -> String { hasPrefix(way) ? String(dropFirst(way.count)) : self }
}
