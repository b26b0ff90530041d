import ScanFormats
import ScanModel

extension FuzzTarget {
    /// A depth frame in Occipital's codec. The first two bytes say how many pixels it is to have.
    static let shiftCodec = FuzzTarget("shift-codec") { bytes in
        guard bytes.count >= 2 else { return }
        let count = Int(bytes[0]) << 8 | Int(bytes[1])
        do throws(Problem) {
            let pixels = try ShiftCodec.decode(Array(bytes.dropFirst(2)), count: count)
            expect(pixels.count == count, "a frame has its pixels")
            expect(pixels.allSatisfy { $0 <= 9424 }, "no depth beyond the sensor's reach")
            let map = DepthMap(width: count, height: 1, metres: pixels.map { Float($0) / 1000 })
            let (packed, beyond) = ShiftCodec.encode(map)
            expect(beyond == 0 && packed.count <= 2 * count + 1, "what was decoded can be encoded")
            expect(try ShiftCodec.decode(packed, count: count) == pixels, "and comes back")
        } catch { expect(error.fault == .input, "only the bytes are at fault") }
    }
}
