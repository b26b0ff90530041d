internal import CScanMill
import ScanModel

/// Depth as a Structure sensor records it: whole numbers called shifts, packed by Occipital's codec.
///
/// A shift s stands for z(s) = floor(300000 / (1134.8335 − s)) millimetres, from 264 mm at 1 to 9,424 mm at 1103; 0 and
/// whatever is 1104 or more mean "no value". So depth comes in steps of about z² / 300 m: 3 mm at 1 m, 53 mm at 4 m.
///
/// Source: ScanNet, ScannerApp/depth2pgm; the formula gives every number of its table.
public enum ShiftCodec {
    /// The largest shift that stands for a depth.
    public static let largest = 1103

    /// Millimetres by shift, for 0...2047, which the codec can store directly.
    static let millimetres: [UInt16] = (0..<2048).map { shift in
        (1...largest).contains(shift) ? UInt16(300_000 / (1134.8335 - Double(shift))) : 0
    }

    /// The depths that a shift can stand for, in millimetres: up to half a step beyond the last, as every shift covers
    /// half the way to its neighbours.
    public static let reach: ClosedRange<Double> = {
        let (last, before) = (Double(millimetres[largest]), Double(millimetres[largest - 1]))
        return 260...(last + (last - before) / 2)
    }()

    /// Unpacks a frame to whole millimetres, 0 for "no value".
    /// - Parameter count: the pixels of a frame.
    /// - Throws: `input` when the bytes end before the frame does, or go on after it. The place has no file; callers
    ///   add it.
    public static func decode(_ bytes: [UInt8], count: Int) throws(Problem) -> [UInt16] {
        var decoded = 0
        var left = 0
        let pixels = [UInt16](unsafeUninitializedCapacity: count) { pixels, initialized in
            decoded = sm_shifts_decode(bytes, bytes.count, pixels.baseAddress, count, &left)
            initialized = decoded
            for i in 0..<decoded { pixels[i] = pixels[i] < 2048 ? millimetres[Int(pixels[i])] : 0 }
        }
        // A few bytes may pad a block.
        if decoded == count, left > max(16, bytes.count / 20) {
            throw Problem(
                .input, "the depth frame is of another size",
                notes: ["after its \(count.counted("pixel")), \(left) of its \(bytes.count) bytes are left"],
                fix: "correct the size of depth in the capture's description")
        }
        if decoded == count { return pixels }
        throw Problem(
            .input, "the depth frame is damaged",
            notes: ["its \(bytes.count.counted("byte", "holds", "hold")) \(decoded) of \(count.counted("pixel"))"],
            fix: "copy the file again, or correct the size of depth in the capture's description")
    }

    /// Packs a frame: each depth as the nearest that a shift stands for.
    /// - Returns: `beyond` counts the depths outside of ``reach``, for which there is no shift: nearer than 0.26 m or
    ///   farther than 9.57 m; they become "no value".
    public static func encode(_ map: DepthMap) -> (bytes: [UInt8], beyond: Int) {
        var beyond = 0
        let shifts = map.metres.map { metres -> UInt16 in
            guard metres > 0 else { return 0 }
            let shift = nearest(Double(metres) * 1000)
            if shift == 0 { beyond += 1 }
            return shift
        }
        let bytes = [UInt8](unsafeUninitializedCapacity: 2 * shifts.count + 1) { bytes, initialized in
            initialized = sm_shifts_encode(shifts, shifts.count, bytes.baseAddress)
        }
        return (bytes, beyond)
    }

    private static func nearest(_ depth: Double) -> UInt16 {
        guard reach.contains(depth) else { return 0 }
        let about = Int((1134.8335 - 300_000 / depth).rounded())
        // Depths are truncated to whole millimetres, which may make a neighbour the nearest.
        let (low, high) = (min(max(about - 1, 1), largest), min(max(about + 1, 1), largest))
        var best = low
        for shift in low...high
        where abs(Double(millimetres[shift]) - depth) < abs(Double(millimetres[best]) - depth) { best = shift }
        return UInt16(best)
    }
}
