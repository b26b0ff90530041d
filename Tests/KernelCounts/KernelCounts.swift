import KernelTwins
import ScanModel

/// Runs every kernel once, and its twin in C, on the same made-up frame: for callgrind, which counts the instructions of
/// each function below by its name. Prints what each pair gave, so that none is optimised away and both can be compared.
@main
enum KernelCounts {
    static let width = 256
    static let height = 192
    static let pictureWidth = 640
    static let pictureHeight = 480

    static func main() {
        let frame = TestFrame()
        // Each kernel that changes its input gets a copy of its own, made beforehand.
        var (ranged, trusted, steady) = (frame.depth.copy, frame.depth.copy, frame.depth.copy)
        report("mask_range", kernelMaskRange(&ranged), Twin.maskRange(frame))
        report("mask_confidence", kernelMaskConfidence(&trusted, frame.confidence), Twin.maskConfidence(frame))
        report("mask_jumps", kernelMaskJumps(&steady, frame.earlier), Twin.maskJumps(frame))
        report("valid_count", kernelValidCount(frame.depth), Twin.validCount(frame))
        report("unproject", kernelUnproject(frame), Twin.unproject(frame))
        report("unproject_colored", kernelUnprojectColored(frame), Twin.unprojectColored(frame))
        report("cull_by_box", kernelBox(frame), Twin.box(frame))
        report("normals", kernelNormals(frame), Twin.normals(frame))
        report("voxels", kernelVoxels(frame), Twin.voxels(frame))
        report("fuse", kernelFuse(frame), Twin.fuse(frame))
        report("halve", kernelHalve(frame), Twin.halve(frame))
        report("halve_thrice", kernelHalveThrice(frame), Twin.halveThrice(frame))
    }

    private static func report(_ name: String, _ kernel: Int, _ twin: Int) {
        print("\(name) \(kernel) \(twin)")
    }
}

/// A frame of waves: depth from 0 to 6 m with holes, so that every branch of a kernel is taken.
struct TestFrame {
    let depth: DepthMap
    let earlier: DepthMap
    let confidence: ConfidenceMap
    let picture: RGBImage
    let unprojection: Unprojection
    let points: PointCloud
    /// What the volume takes of it, with its blocks.
    let part: VolumeFrame
    let box = OrientedBox(center: Vector3(0, 0, -2.5), worldFromBox: .identity, halfSize: Vector3(0.6, 0.6, 0.6))

    static let layout = VolumeLayout(voxel: 0.0625, truncation: 0.25)

    static let camera = CameraIntrinsics(
        fx: 210, fy: 210, cx: 128, cy: 96, width: KernelCounts.width, height: KernelCounts.height, pixelOrigin: .centre)

    init() {
        let count = KernelCounts.width * KernelCounts.height
        func wave(_ i: Int, _ shift: Int) -> Float {
            let (u, v) = (i % KernelCounts.width, i / KernelCounts.width)
            return (u + 3 * v) % 37 == 0 ? 0 : Float((u * 5 + v * 3 + shift) % 600) / 100
        }
        depth = DepthMap(
            width: KernelCounts.width, height: KernelCounts.height, metres: (0..<count).map { wave($0, 0) })
        earlier = DepthMap(
            width: KernelCounts.width, height: KernelCounts.height, metres: (0..<count).map { wave($0, 4) })
        confidence = ConfidenceMap(
            width: KernelCounts.width, height: KernelCounts.height, values: (0..<count).map { UInt8($0 / 7 % 3) },
            range: 0...2)
        let bytes = KernelCounts.pictureWidth * KernelCounts.pictureHeight * 3
        picture = RGBImage(
            width: KernelCounts.pictureWidth, height: KernelCounts.pictureHeight,
            pixels: (0..<bytes).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
        unprojection = Unprojection(
            camera: Self.camera, pose: .identity, width: KernelCounts.width, height: KernelCounts.height,
            centre: .integer)
        points = unprojection.points(of: depth)
        part = VolumeFrame(
            depth, points: points, view: CameraView(camera: Self.camera, pose: .identity), centre: .integer,
            in: Self.layout)
    }
}

extension DepthMap {
    /// With pixels of its own.
    fileprivate var copy: DepthMap {
        DepthMap(width: width, height: height, metres: metres.withUnsafeBufferPointer(Array.init))
    }
}
