/// The surface that many depth maps see, as the signed distance to it at the points of a grid: a truncated signed distance
/// field (TSDF).
///
/// Each frame says of a sample how far it lies in front of the surface, along the optical axis: the depth of the pixel onto
/// which the sample falls, less the sample's own. Values beyond the truncation count as it where they lie in front, and not
/// at all behind. The mean over all frames is the volume's value; where it changes its sign is the surface.
///
/// Only blocks of 8 × 8 × 8 samples near a surface exist, and a frame adds to those near the surface that it sees. Sums are
/// whole numbers, so that nothing depends on rounding.
///
/// Source: B. Curless, M. Levoy, "A volumetric method for building complex models from range images", SIGGRAPH 1996; the
/// blocks: M. Nießner et al., "Real-time 3D reconstruction at scale using voxel hashing", SIGGRAPH Asia 2013.
public struct DistanceVolume: Sendable {
    public let layout: VolumeLayout
    /// In the order in which frames first reached them.
    private(set) var blocks: [Block] = []
    private var numbers: [BlockIndex: Int] = [:]
    private var freeSpace = FreeSpace()
    let hasColor: Bool
    /// How many frames with depth were added.
    public private(set) var frameCount = 0

    /// A block's samples: x runs fastest, then y, then z.
    struct Block: Sendable {
        let index: BlockIndex
        var samples = [Sample](repeating: Sample(), count: VolumeLayout.samples)
        /// One a sample; empty without colours.
        var colors: [ColorSum]
    }

    struct Sample: Sendable {
        /// Summed over the frames, in units of which the truncation has ``unitsPerTruncation``.
        var distance: Int32 = 0
        /// How many frames were summed.
        var count: UInt16 = 0
    }

    /// The colours of the first frames that saw the surface at a sample.
    struct ColorSum: Sendable {
        var red: UInt16 = 0
        var green: UInt16 = 0
        var blue: UInt16 = 0
        var count: UInt8 = 0
    }

    /// As fine as a sum of 65,535 frames in 32 bits allows.
    static let unitsPerTruncation = 32_767

    /// How many blocks there are, each of 512 samples.
    public var blockCount: Int { blocks.count }

    /// How often a frame has said something of a sample.
    package var observationCount: Int {
        blocks.reduce(0) { $0 + $1.samples.reduce(0) { $0 + Int($1.count) } }
    }

    public init(_ layout: VolumeLayout, hasColor: Bool) {
        self.layout = layout
        self.hasColor = hasColor
    }

    /// Which of ``blocks`` lies there, if any.
    func number(_ index: BlockIndex) -> Int? { numbers[index] }

    /// How many frames looked through a block, of those that tell.
    func freeCount(of block: BlockIndex) -> Int { freeSpace.count(of: block) }

    /// Adds what a frame sees.
    public mutating func add(_ frame: VolumeFrame) {
        if !frame.blocks.isEmpty { frameCount += 1 }
        freeSpace.add(frame.freeCubes)
        let projection = BlockProjection(frame, layout)
        var seen = SamplePixels()
        for index in frame.blocks {
            let number = number(of: index)
            projection.project(index, into: &seen)
            blocks[number].add(frame, seen, truncation: Float(layout.truncation))
        }
    }

    private mutating func number(of index: BlockIndex) -> Int {
        if let number = numbers[index] { return number }
        let colors = [ColorSum](repeating: ColorSum(), count: hasColor ? VolumeLayout.samples : 0)
        blocks.append(Block(index: index, colors: colors))
        numbers[index] = blocks.count - 1
        return blocks.count - 1
    }
}

/// Where a block's samples fall in a depth map, a row along x at a time.
struct SamplePixels {
    typealias Row<Value: SIMDScalar> = SIMD8<Value>

    /// The pixels of the map on which the samples fall; of one that falls beside it, any numbers outside of it.
    var columns = [Row<UInt32>](repeating: .zero, count: VolumeLayout.rows)
    var rows = [Row<UInt32>](repeating: .zero, count: VolumeLayout.rows)
    /// Metres along the optical axis; 0 or less behind the camera.
    var depths = [Row<Float>](repeating: .zero, count: VolumeLayout.rows)

    fileprivate func withPointers(
        _ body: (UnsafePointer<UInt32>, UnsafePointer<UInt32>, UnsafePointer<Float>) -> Void
    ) {
        func values<Value>(_ rows: [Row<Value>], _ body: (UnsafePointer<Value>) -> Void) {
            rows.withUnsafeBytes { bytes in
                guard let first = bytes.bindMemory(to: Value.self).baseAddress else { return }
                body(first)
            }
        }
        values(columns) { columns in
            values(rows) { rows in
                values(depths) { depths in body(columns, rows, depths) }
            }
        }
    }
}

/// How a camera projects: a point at `d` from the eye has the depth z · d, and falls on the pixel
/// ((u · d) / (z · d) + center.u, (v · d) / (z · d) + center.v).
struct PixelAxes {
    /// fx · right, where right, up and back are the rows of the inverse rotation.
    let u: Vector3
    /// −fy · up.
    let v: Vector3
    /// −back.
    let z: Vector3
    let eye: Vector3
    let center: (u: Float, v: Float)

    /// - Parameter view: in pixels whose centres are at whole numbers.
    init(_ view: CameraView) {
        let camera = view.camera
        // Not the columns of the rotation: of one that is off by rounding, the mesh would lie beside the cloud.
        let (right, up, back) = view.pose.rotation.inverse.rows
        (u, v, z) = (right * camera.fx, up * -camera.fy, back * -1)
        eye = view.pose.position
        center = (Float(camera.cx), Float(camera.cy))
    }
}

/// Projects blocks into a frame's depth map. The pixel of a sample is linear in its place, up to a division: one product
/// and one sum a coordinate.
private struct BlockProjection {
    private let axes: PixelAxes
    private let voxel: Double

    init(_ frame: VolumeFrame, _ layout: VolumeLayout) {
        axes = PixelAxes(frame.view)
        voxel = layout.voxel
    }

    func project(_ block: BlockIndex, into seen: inout SamplePixels) {
        let side = VolumeLayout.side
        let corner = Vector3(Double(block.x), Double(block.y), Double(block.z)) * (voxel * Double(side)) - axes.eye
        // From here on in single precision: the block is near the camera, wherever the world's origin is.
        let start = (Float(axes.u.dot(corner)), Float(axes.v.dot(corner)), Float(axes.z.dot(corner)))
        let (x, y, z) = (step(\.x), step(\.y), step(\.z))
        let along = SamplePixels.Row<Float>(0, 1, 2, 3, 4, 5, 6, 7)
        let (alongU, alongV, alongZ) = (along * x.u, along * x.v, along * x.z)
        for row in 0..<VolumeLayout.rows {
            let (fy, fz) = (Float(row % side), Float(row / side))
            let depth = alongZ + (start.2 + fy * y.z + fz * z.z)
            let inverse = 1 / depth
            let u = (alongU + (start.0 + fy * y.u + fz * z.u)) * inverse + axes.center.u
            let v = (alongV + (start.1 + fy * y.v + fz * z.v)) * inverse + axes.center.v
            seen.columns[row] = u.roundedBits
            seen.rows[row] = v.roundedBits
            seen.depths[row] = depth
        }
    }

    private func step(_ part: (Vector3) -> Double) -> (u: Float, v: Float, z: Float) {
        (Float(part(axes.u) * voxel), Float(part(axes.v) * voxel), Float(part(axes.z) * voxel))
    }
}

extension Float {
    /// Added to a value between −2²² and 2²², it gives a sum that is rounded to a whole number and has it in its lowest
    /// bits: two instructions, where the C library's rounding is a call.
    static let roundingShift: Float = 0x1.8p23

    /// The nearest whole number of a value between −2²² and 2²², as 32 bits; bits that are no less than 2²², read without a
    /// sign, of everything else.
    @inline(__always)
    var roundedBits: UInt32 { (self + Self.roundingShift).bitPattern &- Self.roundingShift.bitPattern }
}

extension SIMD8<Float> {
    /// As of a single value.
    @inline(__always)
    fileprivate var roundedBits: SIMD8<UInt32> {
        unsafeBitCast(self + Float.roundingShift, to: SIMD8<UInt32>.self) &- Float.roundingShift.bitPattern
    }
}

extension DistanceVolume.Block {
    fileprivate mutating func add(_ frame: VolumeFrame, _ seen: SamplePixels, truncation: Float) {
        let units = Float(DistanceVolume.unitsPerTruncation) / truncation
        let paints = !colors.isEmpty && !frame.colors.isEmpty
        samples.withUnsafeMutableBufferPointer { samples in
            colors.withUnsafeMutableBufferPointer { colors in
                seen.forEachPixel(of: frame) { i, pixel, depth, sampleDepth in
                    let distance = depth - sampleDepth
                    guard distance >= -truncation else { return }
                    samples[i].add(distance, truncation, units)
                    // Only near the surface: what lies behind a sample in free space is not its colour.
                    if paints && distance <= truncation { colors[i].add(frame.colors[pixel]) }
                }
            }
        }
    }
}

extension SamplePixels {
    /// Calls `body` for every sample that falls on a pixel with depth.
    @inline(__always)
    fileprivate func forEachPixel(
        of frame: VolumeFrame, _ body: (_ sample: Int, _ pixel: Int, _ depth: Float, _ sampleDepth: Float) -> Void
    ) {
        let (width, height) = (UInt32(frame.depth.width), UInt32(frame.depth.height))
        withPointers { columns, rows, depths in
            frame.depth.metres.withUnsafeBufferPointer { metres in
                for sample in 0..<VolumeLayout.samples {
                    let (column, row) = (columns[sample], rows[sample])
                    guard column < width, row < height, depths[sample] > 0 else { continue }
                    let pixel = Int(row &* width &+ column)
                    if metres[pixel] > 0 { body(sample, pixel, metres[pixel], depths[sample]) }
                }
            }
        }
    }
}

extension DistanceVolume.Sample {
    /// - Parameter units: those in a metre.
    @inline(__always)
    fileprivate mutating func add(_ metres: Float, _ truncation: Float, _ units: Float) {
        if count == .max { return }
        count &+= 1
        distance &+=
            metres > truncation
            ? Int32(DistanceVolume.unitsPerTruncation) : Int32(bitPattern: (metres * units).roundedBits)
    }
}

extension DistanceVolume.ColorSum {
    /// - Parameter color: as in ``VolumeFrame``.
    @inline(__always)
    fileprivate mutating func add(_ color: UInt32) {
        if color == 0 || count == .max { return }
        count &+= 1
        red &+= UInt16(truncatingIfNeeded: color & 0xFF)
        green &+= UInt16(truncatingIfNeeded: color >> 8 & 0xFF)
        blue &+= UInt16(truncatingIfNeeded: color >> 16 & 0xFF)
    }
}
