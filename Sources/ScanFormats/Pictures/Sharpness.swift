internal import CScanMill
import ScanModel

/// How sharp a picture is: the variance of its Laplacian (kernel 0 1 0 / 1 −4 1 / 0 1 0, border mirrored about the
/// outermost pixel). Higher is sharper; the scale depends on the scene and on the picture's size.
///
/// From colour this equals OpenCV's `Laplacian(cvtColor(picture, COLOR_BGR2GRAY), CV_64F).var()`, and the `sharpness` in
/// the `transforms.json` that instant-ngp publishes: the sums are whole numbers, the division is in double precision. A
/// picture less than two pixels wide or high has no Laplacian and scores 0.
public enum Sharpness {
    public static func score(_ picture: RGBImage) -> Double {
        score(picture.pixels, picture.width, picture.height, channels: 3)
    }

    public static func score(_ picture: LumaImage) -> Double {
        score(picture.pixels, picture.width, picture.height, channels: 1)
    }

    /// Exactly the score of the picture's colours, which are not stored.
    public static func score(_ picture: YUVImage) -> Double {
        guard picture.width > 0, picture.height > 0 else { return 0 }
        let sums = withUnsafeTemporaryAllocation(of: Int16.self, capacity: 3 * (picture.width + 2)) { room in
            picture.withKernel { sm_laplacian_sums_yuv($0, room.baseAddress) }
        }
        return score(sums, picture.width, picture.height)
    }

    private static func score(_ pixels: [UInt8], _ width: Int, _ height: Int, channels: Int32) -> Double {
        precondition(pixels.count == width * height * Int(channels))
        guard width >= 2, height >= 2 else { return 0 }
        let sums = withUnsafeTemporaryAllocation(of: Int16.self, capacity: 3 * (width + 2)) { room in
            sm_laplacian_sums(pixels, width, height, channels, room.baseAddress)
        }
        return score(sums, width, height)
    }

    fileprivate static func score(_ sums: sm_laplacian, _ width: Int, _ height: Int) -> Double {
        let count = Double(width) * Double(height)
        let mean = Double(sums.sum) / count
        return Double(sums.squares) / count - mean * mean
    }
}

extension JPEG {
    /// The score of a JPEG, exactly that of the decoded picture, computed while it is decoded: its pixels are processed
    /// row by row, while they are in the cache, and never stored as a whole.
    /// - Parameter ownLuma: whether to score the brightness plane in the file instead of its colours' grey.
    /// - Returns: the score, and the picture's size.
    /// - Throws: what decoding it throws.
    public static func sharpness(
        _ bytes: [UInt8], ownLuma: Bool = false, limits: PictureLimits = .standard
    ) throws(Problem) -> (score: Double, size: PixelSize) {
        let header = try colorHeader(bytes, limits)
        let size = header.size
        guard size.width >= 2, size.height >= 2 else {
            return (Sharpness.score(try decodeRGB(bytes, limits: limits)), size)
        }
        let channels = ownLuma ? 1 : 3
        let rowBytes = size.width * channels
        var sums = sm_laplacian()
        let message = withUnsafeTemporaryAllocation(of: Int16.self, capacity: 3 * (size.width + 2)) { room in
            // libjpeg-turbo writes a well-aligned row past the cache, but the row is needed there right away.
            withUnsafeTemporaryAllocation(byteCount: 8 + rowBytes, alignment: 32) { aligned in
                let row = aligned.baseAddress.map { $0 + 8 }
                var rows = sm_laplacian_begin(size.width, Int32(channels), room.baseAddress)
                let message = messageOf {
                    sm_jpeg_laplacian(bytes, bytes.count, Int32(channels), row, rowBytes, &rows, $0)
                }
                if message == nil { sums = sm_laplacian_end(&rows) }
                return message
            }
        }
        if let message { throw damaged(bytes, message) }
        return (Sharpness.score(sums, size.width, size.height), size)
    }
}

extension LumaImage {
    /// The grey of a colour picture, with OpenCV's weights: (9798 R + 19235 G + 3735 B + 16384) >> 15.
    public init(grayOf picture: RGBImage) {
        let count = picture.width * picture.height
        precondition(picture.pixels.count == count * 3)
        let gray = [UInt8](unsafeUninitializedCapacity: count) { gray, initialized in
            sm_gray(picture.pixels, count, gray.baseAddress)
            initialized = count
        }
        self.init(width: picture.width, height: picture.height, pixels: gray)
    }
}
