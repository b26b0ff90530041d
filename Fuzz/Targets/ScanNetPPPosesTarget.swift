import ScanFormats
import ScanModel

extension FuzzTarget {
    /// The JSON files of ScanNet++, Polycam and 3D Scanner App.
    static let scanNetPPPoses = FuzzTarget("scannetpp-poses") { bytes in
        var rules = ReadRules()
        rules.maxFrames = 1000
        do throws(Problem) {
            let frames = try ScanNetPPPoses.read(bytes, file: "poses", size: PixelSize(4, 3), rules: rules)
            expect(Set(frames.map(\.index)).count == frames.count, "each number stands once")
            for frame in frames {
                expect(frame.index < 1000, "limits are kept")
                if frame.isDropped { continue }
                expect(frame.pose?.defect == nil && frame.pose != nil, "kept frames have sound poses")
                expect(frame.intrinsics?.defect == nil && frame.intrinsics != nil, "and sound intrinsics")
            }
        } catch { expect(error.fault == .input, "only the bytes are at fault") }
        do throws(Problem) {
            let camera = try PolycamCamera(bytes, file: "camera")
            expect(camera.pose.defect == nil, "a camera's pose is sound")
        } catch { expect(error.fault == .input, "only the bytes are at fault") }
        do throws(Problem) {
            let frame = try ThreeDScannerFrame(bytes, file: "frame")
            expect(frame.pose.defect == nil, "a frame's pose is sound")
            expect(frame.size.map { $0.width > 0 && $0.height > 0 } != false, "pictures have pixels")
        } catch { expect(error.fault == .input, "only the bytes are at fault") }
    }
}
