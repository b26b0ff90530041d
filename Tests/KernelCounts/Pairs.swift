import KernelTwins
import ScanModel

// Each kernel as ScanModel has it, and its twin, under a name that callgrind finds. Buffers and tables that a twin needs
// are made before it is called; what ScanModel's kernel allocates once a frame is counted, since frames pay for it.

@_silgen_name("kernel_mask_range") @inline(never)
func kernelMaskRange(_ depth: inout DepthMap) -> Int { depth.mask(near: 0.5, far: 4).after }

@_silgen_name("kernel_mask_confidence") @inline(never)
func kernelMaskConfidence(_ depth: inout DepthMap, _ confidence: borrowing ConfidenceMap) -> Int {
    depth.mask(confidence: copy confidence, atLeast: 2).after
}

@_silgen_name("kernel_mask_jumps") @inline(never)
func kernelMaskJumps(_ depth: inout DepthMap, _ earlier: borrowing DepthMap) -> Int {
    depth.mask(jumpsFrom: copy earlier, over: 0.05).after
}

@_silgen_name("kernel_valid_count") @inline(never)
func kernelValidCount(_ depth: borrowing DepthMap) -> Int { depth.validCount }

@_silgen_name("kernel_unproject") @inline(never)
func kernelUnproject(_ frame: borrowing TestFrame) -> Int { frame.unprojection.points(of: frame.depth).count }

@_silgen_name("kernel_unproject_colored") @inline(never)
func kernelUnprojectColored(_ frame: borrowing TestFrame) -> Int {
    frame.unprojection.points(of: frame.depth, picture: frame.picture).count
}

@_silgen_name("kernel_cull_by_box") @inline(never)
func kernelBox(_ frame: borrowing TestFrame) -> Int { frame.box.selection(frame.points, keepInside: true).count }

@_silgen_name("kernel_normals") @inline(never)
func kernelNormals(_ frame: borrowing TestFrame) -> Int {
    let normals = DepthNormals(frame.depth).normals(camera: TestFrame.camera, rotation: .identity)
    return stride(from: 0, to: normals.count, by: 3).count { normals[$0 + 2] == 0 }
}

@_silgen_name("kernel_voxels") @inline(never)
func kernelVoxels(_ frame: borrowing TestFrame) -> Int {
    var grid = VoxelGrid(size: 0.05)
    grid.add(frame.points)
    return grid.count
}

@_silgen_name("kernel_fuse") @inline(never)
func kernelFuse(_ frame: borrowing TestFrame) -> Int {
    var volume = DistanceVolume(TestFrame.layout, hasColor: false)
    volume.add(frame.part)
    return volume.observationCount
}

@_silgen_name("kernel_halve") @inline(never)
func kernelHalve(_ frame: borrowing TestFrame) -> Int { Int(frame.picture.downscaled(by: 2).pixels[4711]) }

@_silgen_name("kernel_halve_thrice") @inline(never)
func kernelHalveThrice(_ frame: borrowing TestFrame) -> Int {
    frame.picture.downscaled(by: [2, 4, 8]).reduce(0) { 256 * $0 + Int($1.pixels[4711]) }
}

/// The twins on the same input.
enum Twin {
    static func maskRange(_ frame: TestFrame) -> Int {
        var metres = frame.depth.metres
        return Int(twin_mask_range(&metres, metres.count, 0.5, 4).after)
    }

    static func maskConfidence(_ frame: TestFrame) -> Int {
        var metres = frame.depth.metres
        return Int(twin_mask_confidence(&metres, frame.confidence.values, metres.count, 2).after)
    }

    static func maskJumps(_ frame: TestFrame) -> Int {
        var metres = frame.depth.metres
        return Int(twin_mask_jumps(&metres, frame.earlier.metres, metres.count, 0.05).after)
    }

    static func validCount(_ frame: TestFrame) -> Int {
        Int(twin_valid_count(frame.depth.metres, frame.depth.metres.count))
    }

    static func unproject(_ frame: TestFrame) -> Int {
        let (width, height) = (KernelCounts.width, KernelCounts.height)
        let camera = TestFrame.camera
        let tables =
            (0..<width).map { Float((Double($0) - camera.cx) / camera.fx) } + [Float](repeating: 0, count: width)
            + [Float](repeating: -1, count: width)
        let rows = (0..<height).map { Float(-(Double($0) - camera.cy) / camera.fy) }
        var out = [Float](repeating: 0, count: 3 * (width * height + 1))
        return twin_unproject(frame.depth.metres, width, height, tables, rows, [0, 1, 0], [0, 0, 0], &out) / 3
    }

    static func unprojectColored(_ frame: TestFrame) -> Int {
        let (width, height) = (KernelCounts.width, KernelCounts.height)
        let (pictureWidth, pictureHeight) = (KernelCounts.pictureWidth, KernelCounts.pictureHeight)
        let columns = (0..<width).map { Int64(3 * ((2 * $0 + 1) * pictureWidth / (2 * width))) }
        var out = [UInt8](repeating: 0, count: 3 * (width * height + 1))
        let bytes = twin_unproject_colored(
            frame.depth.metres, width, height, frame.picture.pixels, pictureWidth, pictureHeight, columns, &out)
        return bytes / 3
    }

    static func box(_ frame: TestFrame) -> Int {
        let (center, half) = (
            frame.box.center.components.map(Float.init), frame.box.halfSize.components.map(Float.init)
        )
        let box: [Float] = [1, 0, 0, 0, 1, 0, 0, 0, 1] + center + half + [-.infinity]
        var kept = [Int32](repeating: 0, count: frame.points.count + 1)
        return twin_cull_by_box(frame.points.positions, frame.points.count, box, &kept)
    }

    static func fuse(_ frame: TestFrame) -> Int {
        let (camera, layout, blocks) = (TestFrame.camera, TestFrame.layout, frame.part.blocks)
        let axes = [camera.fx, 0, 0, 0, -camera.fy, 0, 0, 0, -1]
        var distances = [Int32](repeating: 0, count: 512 * blocks.count)
        var counts = [UInt16](repeating: 0, count: 512 * blocks.count)
        return twin_fuse(
            frame.depth.metres, UInt32(KernelCounts.width), UInt32(KernelCounts.height), axes,
            [Float(camera.cx), Float(camera.cy)], blocks.flatMap { [$0.x, $0.y, $0.z] }, blocks.count, layout.voxel,
            Float(layout.truncation), &distances, &counts)
    }

    static func normals(_ frame: TestFrame) -> Int {
        let (width, height, step) = (KernelCounts.width, KernelCounts.height, 2)
        let (border, length) = (2 * step, width + 4 * step)
        var depth = [Float](repeating: 0, count: length * (height + 4 * step))
        for (pixel, z) in frame.depth.metres.enumerated() {
            depth[(pixel / width + border) * length + border + pixel % width] = z
        }
        let inverse = depth.map { $0 > 0 ? 1 / $0 : 0 }
        let camera = TestFrame.camera
        let k = [camera.fx, camera.fy, camera.cx, camera.cy].map(Float.init)
        var sums = [Float](repeating: 0, count: 9 * 64)
        var out = [Float](repeating: 0, count: 3 * width * height)
        return twin_normals(depth, inverse, width, height, step, k, &sums, &out)
    }

    static func voxels(_ frame: TestFrame) -> Int { twin_voxels(frame.points.positions, frame.points.count, 0.05) }

    static func halve(_ frame: TestFrame) -> Int {
        var sums = [UInt16](repeating: 0, count: frame.picture.width * 3)
        var out = [UInt8](repeating: 0, count: frame.picture.pixels.count / 4)
        twin_halve(frame.picture.pixels, frame.picture.width, frame.picture.height, &sums, &out)
        return Int(out[4711])
    }

    static func halveThrice(_ frame: TestFrame) -> Int {
        var sums = [UInt16](repeating: 0, count: frame.picture.width * 3)
        var out = [UInt8](repeating: 0, count: frame.picture.pixels.count / 4)
        let (width, height) = (frame.picture.width, frame.picture.height)
        return Int(twin_halve_thrice(frame.picture.pixels, width, height, &sums, &out, 4711))
    }
}
