import ScanModel

/// Where the pictures of a COLMAP model lie. Names may include folders that do not exist, so the first picture found
/// decides how to read them.
struct COLMAPPictures {
    let folder: String
    /// Whether they lie there without the folders that their names have.
    private let areBare: Bool

    /// Folders in which pictures may lie, the likeliest first; then those that count only where none lies in these:
    /// programs for Gaussian splatting have theirs in `input/`, and smaller copies in `images_2/` and so on.
    private static let folders = [
        ["images", "", "rgb", "color"], ["input", "image", "images_2", "images_4", "images_8"],
    ]

    /// - Parameter home: the folder with the model's own pictures, as ``COLMAPModelFiles/home``.
    /// - Returns: nil where none of the pictures is found.
    init?(of images: [COLMAPModel.Image], in tree: any CaptureTree, home: String) {
        // Each folder is listed once: looking for many thousands of missing pictures one by one would take hours on a
        // network share.
        var lists: [String: Set<Substring>] = [:]
        func mayLie(_ path: String, in folder: String) -> Bool {
            guard let plain = try? path.path(in: folder).plainPath() else { return false }
            let parts = plain.pathParts
            let place = parts.dropLast().joined(separator: "/")
            let list =
                lists[place]
                ?? Set(
                    tree.entries(in: tree.spelling(of: place) ?? place).flatMap {
                        [$0.name[...], $0.name.pictureStem[...]]
                    })
            lists[place] = list
            return list.contains(parts[parts.count - 1])
        }
        func find(in folders: [String]) -> (String, Bool)? {
            for image in images {
                for folder in folders {
                    for areBare in [false, true] {
                        let name = Self.name(of: image, isBare: areBare)
                        if mayLie(name, in: folder), (try? tree.picture(name, in: folder)) != nil {
                            return (folder, areBare)
                        }
                    }
                }
            }
            return nil
        }
        let groups = home.isEmpty ? Self.folders : [["\(home)/images"]]
        guard let found = groups.firstNonNil(find) else { return nil }
        (folder, areBare) = found
    }

    /// What the picture of an image is called in ``folder``, with or without its extension.
    func name(of image: COLMAPModel.Image) -> String { Self.name(of: image, isBare: areBare) }

    /// The names that a mask may be called after: the image's own, and its picture's where that differs.
    func maskedNames(of image: COLMAPModel.Image) -> [String] { [image.name] + (areBare ? [name(of: image)] : []) }

    private static func name(of image: COLMAPModel.Image, isBare: Bool) -> String {
        isBare ? image.name.lastPart : image.name
    }
}
