internal import CScanMill
import ScanModel

// The colours of a video are those that ffmpeg gives on x86, bit for bit: they use the integer arithmetic of
// libswscale's yuv2rgb there for 4:2:0, which approximates the standards. With every product shifted right by 16 bits,
// and the factors of `YUVEncoding.factors`,
//
//     y = (8 Y − black) · luma        u = 8 U − 1024        v = 8 V − 1024
//     red = y + v · redV        green = y + (u · greenU + v · greenV)        blue = y + u · blueU
//
// clipped to 0...255; two by two pixels share one U and one V. Without x86's instructions, and on other processors,
// libswscale rounds differently; made here, colours and what is computed from them are the same on all machines.
//
// Range and matrix are those that the video declares at its beginning; ffmpeg converts frames of another size or format
// to match.

extension RGBImage {
    /// The colours of a video's picture.
    public init(_ picture: YUVImage) {
        let count = picture.width * picture.height * 3
        let pixels = [UInt8](unsafeUninitializedCapacity: count) { pixels, initialized in
            picture.withKernel { sm_yuv_rgb($0, pixels.baseAddress) }
            initialized = count
        }
        self.init(width: picture.width, height: picture.height, pixels: pixels)
    }
}

extension LumaImage {
    /// The luma plane of a video's picture, expanded to 0...255 where it runs from 16 to 235, as in
    /// ``VideoLayout/luma``.
    init(planeOf picture: YUVImage) {
        var luma = Array(picture.planes.prefix(picture.width * picture.height))
        if !picture.encoding.isFullRange { sm_expand_range(&luma, luma.count) }
        self.init(width: picture.width, height: picture.height, pixels: luma)
    }
}

extension YUVImage {
    func withKernel<Result>(_ body: (UnsafePointer<sm_yuv>) -> Result) -> Result {
        planes.withUnsafeBufferPointer { planes in
            var picture = sm_yuv(planes: planes.baseAddress, width: width, height: height, factors: encoding.factors)
            return body(&picture)
        }
    }
}

extension YUVEncoding {
    /// The encoding of a video's frames.
    /// - Returns: nil where ffmpeg has to make their colours: for more than 8 bits, for other chroma subsampling, and
    ///   for odd sizes, whose last row or column it treats differently.
    public init?(of facts: VideoFacts) {
        // Decoders call full range by the second name; where name and range disagree, the range may change on the way.
        guard facts.pixelFormat == (facts.isFullRange ? "yuvj420p" : "yuv420p"), facts.width.isMultiple(of: 2),
            facts.height.isMultiple(of: 2), let matrix = Matrix(named: facts.color.matrix)
        else { return nil }
        self.init(matrix: matrix, isFullRange: facts.isFullRange)
    }

    fileprivate var factors: sm_yuv_factors {
        let whole: Int32 = 1 << 16
        let luma = isFullRange ? whole : whole * 255 / 219
        let black: Int16 = isFullRange ? 0 : 8 * 16
        // Chroma has 224 steps where luma has 219.
        func chroma(_ part: Int32) -> Int16 { Self.rounded(isFullRange ? part * 224 / 255 : part) }
        let parts = matrix.parts
        return sm_yuv_factors(
            black: black, luma: Self.rounded(luma), red_v: chroma(parts.redV), green_u: chroma(-parts.greenU),
            green_v: chroma(-parts.greenV), blue_u: chroma(parts.blueU))
    }

    /// From 1/65536 to 1/8192, since what it multiplies is scaled by eight.
    private static func rounded(_ part: Int32) -> Int16 { Int16((part + 4) >> 3) }
}

extension YUVEncoding.Matrix {
    /// - Parameter name: what ffmpeg calls it. It takes BT.601 where a video declares nothing.
    init?(named name: String) {
        switch name {
        case "unknown", "bt470bg", "smpte170m": self = .bt601
        case "bt709": self = .bt709
        case "bt2020nc", "bt2020c": self = .bt2020
        case "fcc": self = .fcc
        case "smpte240m": self = .smpte240m
        default: return nil
        }
    }

    /// libswscale's: what chroma is worth in each colour where luma runs from 16 to 235, in 1/65536.
    fileprivate var parts: (redV: Int32, blueU: Int32, greenU: Int32, greenV: Int32) {
        switch self {
        case .bt601: (104_597, 132_201, 25_675, 53_279)
        case .bt709: (117_489, 138_438, 13_975, 34_925)
        case .bt2020: (110_013, 140_363, 12_277, 42_626)
        case .fcc: (104_448, 132_798, 24_759, 53_109)
        case .smpte240m: (117_579, 136_230, 16_907, 35_559)
        }
    }
}
