import ScanModel

/// Depth as Gaussian Splatting's `train.py -d` reads it: pictures of inverse depth, which for its authors a network makes
/// from single photographs, and in `sparse/0/depth_params.json` what turns each picture's numbers into the world's unit:
/// 1/z = pixel / 65,536 · scale + offset. The trainer enlarges a picture to its photograph, without regard to edges.
///
/// Source: graphdeco-inria/gaussian-splatting, scene/dataset_readers.py, scene/cameras.py, utils/camera_utils.py.
public enum InverseDepth {
    /// One for all pictures, since the trainer passes over those whose scale is far from the median of all. Nothing nearer
    /// than 1/8 m can be said, and steps are 3 mm at 5 m.
    static let scale = 8.0

    /// 1/z in units of 1/8192 per metre, rounded to the nearest; 0, infinitely far, for pixels without depth. What is
    /// nearer than the format can say becomes the nearest that it can.
    public static func picture(_ map: DepthMap) -> Gray16Image {
        let unit = Float(65_536 / scale)
        return Gray16Image(
            width: map.width, height: map.height,
            pixels: map.metres.map { $0 > 0 ? UInt16(min((unit / $0).rounded(.toNearestOrEven), 65_535)) : 0 })
    }

    /// The text of `depth_params.json`.
    /// - Parameter pictures: each picture's name, without its ending, and whether its depth is to be learned.
    public static func parameters(of pictures: [(name: String, isUsed: Bool)]) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            for picture in pictures {
                // The trainer passes over what is below a fifth of the median of positive scales, or of 0 without any.
                let scale = picture.isUsed ? scale : -scale
                json.member(picture.name, .object(["scale": .number(scale), "offset": .number(0)]))
            }
        }
        return json.bytes + [UInt8(ascii: "\n")]
    }
}
