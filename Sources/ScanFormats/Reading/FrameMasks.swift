import ScanModel

/// Masks as one picture file per frame: which parts of the frame's picture are to be used.
struct FrameMasks: Sendable {
    struct File: Hashable, Sendable {
        var path: String
        /// Whether what is not 0 is to be ignored, as in instant-ngp; otherwise what is 0 is.
        var saysIgnore = false
    }

    /// By the frame's index; nil where a frame has none.
    var files: [File?]

    /// What instant-ngp calls the mask of a picture: `images/dynamic_mask_7.png` of `images/7.jpg`.
    static func nameBeside(_ picture: String) -> String {
        var parts = picture.pictureStem.pathParts.map(String.init)
        if let name = parts.popLast() { parts.append("dynamic_mask_\(name).png") }
        return parts.joined(separator: "/")
    }

    /// A frame's mask of 255 and 0; nil where it has none.
    /// - Throws: when the file is damaged.
    func mask(of index: Int, in tree: any CaptureTree, _ limits: PictureLimits) throws(Problem) -> LumaImage? {
        guard files.indices.contains(index), let file = files[index] else { return nil }
        do throws(Problem) {
            let bytes = try tree.bytes(of: file.path, limit: PictureLimits.fileBytes)
            let mask =
                PNG.isPNG(bytes)
                ? try PNG.decodeMask(bytes, limits: limits) : Self.marks(try JPEG.decodeLuma(bytes, limits: limits))
            return file.saysIgnore ? mask.inverted : mask
        } catch { throw error.at(file: file.path) }
    }

    /// 255 for every number but 0, as in nerfstudio and instant-ngp.
    private static func marks(_ image: LumaImage) -> LumaImage {
        LumaImage(width: image.width, height: image.height, pixels: image.pixels.map { $0 == 0 ? 0 : 255 })
    }
}
