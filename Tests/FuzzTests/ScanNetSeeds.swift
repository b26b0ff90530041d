import ScanFormats
import ScanModel

/// Small files of ScanNet's formats.
enum ScanNetSeeds {
    private static let depth = DepthMap(
        width: 6, height: 4, metres: (0..<24).map { $0 < 3 ? 0 : Float($0 % 7) * 0.25 + 0.5 })

    static func sens() throws -> [String: [UInt8]] {
        var header = SensHeader()
        header.sensorName = "made up"
        (header.colorSize, header.depthSize) = (PixelSize(4, 3), PixelSize(6, 4))
        header.colorIntrinsic = [4, 0, 1.5, 0, 0, 4, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1]
        header.depthIntrinsic = header.colorIntrinsic
        header.depthExtrinsic[3] = 0.25
        header.frameCount = 2
        let pixels = RGBImage(width: 4, height: 3, pixels: (0..<36).map { UInt8($0 * 7) })
        let units = try DepthCodec.encode(depth, as: .uint16(unitsPerMetre: 1000)).bytes
        func file(
            _ color: SensHeader.ColorCompression, _ picture: [UInt8], _ packing: SensHeader.DepthCompression,
            _ payload: [UInt8], version: UInt32 = 4
        ) -> [UInt8] {
            (header.colorCompression, header.depthCompression, header.version) = (color, packing, version)
            let poses: [[Float]] = [SensHeader.identity, Array(repeating: -.infinity, count: 16)]
            let frames = poses.flatMap {
                SensFrame.bytes(pose: $0, colorTime: 5, depthTime: 6, color: picture, depth: payload)
            }
            var motion = ScanNetMotion.Record(timestamp: 7000)
            motion.values = (0..<5).map { Vector3(Double($0), 0, 1) }
            return [1] + header.bytes + frames + (version < 4 ? [] : ScanNetMotion.sensBlock([motion]))
        }
        let png = try PNG.encodeRGB(pixels)
        let whole = file(.png, png, .zlib, try ZlibData.compress(units))
        return [
            "png-zlib": whole, "cut": whole.dropLast(250), "strict-cut": [0] + whole.dropFirst().dropLast(150),
            "raw": file(.raw, pixels.pixels, .raw, units),
            "version-3": file(.unknown, png, .occipital, ShiftCodec.encode(depth).bytes, version: 3),
            "version-2": [0] + file(.png, [], .raw, [], version: 2).dropFirst(),
        ]
    }

    static func shifts() throws -> [String: [UInt8]] {
        func seed(_ count: Int, _ bytes: [UInt8]) -> [UInt8] { [UInt8(count >> 8), UInt8(count & 255)] + bytes }
        return [
            "whole": seed(24, ShiftCodec.encode(depth).bytes), "short": seed(60, ShiftCodec.encode(depth).bytes),
            "run-overruns": seed(3, [0x70, 0x02, 0xBE]), "empty": seed(9, []),
            "zeros": seed(400, Array(repeating: 0, count: 100)),
            "ones": seed(300, Array(repeating: 0xFF, count: 75)),
        ]
    }
}
