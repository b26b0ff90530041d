extension DistanceVolume {
    /// The surface as triangles, which face the side from which it was seen: marching cubes over all cells whose eight
    /// samples at least `minFrames` frames have seen, and no fewer than looked through them. Colours are there if the volume
    /// has some; where no frame gave one they are grey 128. Normals are the triangles' mean.
    /// - Parameter carving: whether it counts how many frames looked through a place.
    /// - Returns: the mesh, and in how many blocks surface is left out only because more frames looked through it than saw
    ///   it.
    public func surface(minFrames: Int = 1, carving: Bool = true) -> (mesh: TriangleMesh, carvedBlocks: Int) {
        var extraction = SurfaceExtraction(of: self, minFrames: minFrames)
        for number in blocks.indices {
            extraction.cut(number, carving: carving)
            Heartbeat.beat()
        }
        var mesh = extraction.mesh
        mesh.setNormals()
        return (mesh, extraction.carvedBlocks)
    }
}

/// Marching cubes over the blocks of a volume. Each edge of the grid has at most one vertex, whichever blocks' cells use it.
private struct SurfaceExtraction {
    private(set) var mesh: TriangleMesh
    /// How many of the blocks so far have cells that would be cut if it did not count who looked through them.
    private(set) var carvedBlocks = 0

    private let volume: DistanceVolume
    private let minFrames: Int
    /// Of each block: how many frames have to have seen a sample.
    private let leastFrames: [Int]
    private let cases = CubeCases()
    /// The vertices so far, by the grid's edge on which they lie: its lower end's block, sample and the edge's axis in one
    /// number.
    private var vertices: [Int: UInt32] = [:]
    /// The block whose cells are cut, and its neighbours: bit 0 of the place is x, bit 1 y, bit 2 z.
    private var neighbours: [Int?] = []
    /// Mean distances at the corners of the block's cells, in truncations; NaN where too few frames have seen them.
    private var distances = [Float](repeating: .nan, count: Self.side * Self.side * Self.side)

    /// Corners along each side of a block's cells: its samples, and the first ones of the next block.
    private static let side = VolumeLayout.side + 1

    init(of volume: DistanceVolume, minFrames: Int) {
        self.volume = volume
        self.minFrames = max(1, minFrames)
        leastFrames = volume.blocks.map { max(1, minFrames, volume.freeCount(of: $0.index)) }
        mesh = TriangleMesh(vertices: PointCloud(colors: volume.hasColor ? [] : nil))
    }

    mutating func cut(_ number: Int, carving: Bool) {
        setNeighbours(of: number)
        let isLookedThrough = neighbours.contains { $0.map { leastFrames[$0] > minFrames } ?? false }
        var whole = 0
        if carving && isLookedThrough {
            gatherDistances(carving: false)
            whole = Self.cells.count { cellCase($0, $1, $2) != nil }
        }
        gatherDistances(carving: carving)
        if Self.cells.count(where: { cutCell($0, $1, $2) }) < whole { carvedBlocks += 1 }
    }

    /// The lowest corners of a block's cells.
    private static let cells = (0..<VolumeLayout.samples).map { number in
        let (rows, x) = number.quotientAndRemainder(dividingBy: VolumeLayout.side)
        return (x: x, y: rows % VolumeLayout.side, z: rows / VolumeLayout.side)
    }

    private mutating func setNeighbours(of number: Int) {
        let index = volume.blocks[number].index
        neighbours = (0..<8).map { volume.number($0 == 0 ? index : index.advanced($0 & 1, $0 >> 1 & 1, $0 >> 2)) }
    }

    private mutating func gatherDistances(carving: Bool) {
        let mask = VolumeLayout.side - 1
        for place in 0..<8 {
            // Along each axis all samples of the block itself, and the first of its neighbour.
            func range(_ bit: Int) -> Range<Int> { place >> bit & 1 == 0 ? 0..<mask + 1 : mask + 1..<mask + 2 }
            let number = neighbours[place]
            let least = carving ? number.map { leastFrames[$0] } ?? minFrames : minFrames
            for z in range(2) {
                for y in range(1) {
                    for x in range(0) {
                        let sample = Self.sample(x & mask, y & mask, z & mask)
                        distances[Self.corner(x, y, z)] =
                            number.map { volume.blocks[$0].distance(of: sample, minFrames: least) } ?? .nan
                    }
                }
            }
        }
    }

    /// Which corners of a cell lie behind the surface, as bits; nil where it does not cut the cell, or a corner is unknown.
    private func cellCase(_ x: Int, _ y: Int, _ z: Int) -> Int? {
        var inside = 0
        var isKnown = true
        for corner in 0..<8 {
            let distance = distances[Self.corner(x + corner & 1, y + corner >> 1 & 1, z + corner >> 2)]
            if distance < 0 { inside |= 1 << corner }
            if distance.isNaN { isKnown = false }
        }
        return isKnown && inside != 0 && inside != 255 ? inside : nil
    }

    /// - Returns: whether the surface cuts it.
    private mutating func cutCell(_ x: Int, _ y: Int, _ z: Int) -> Bool {
        guard let inside = cellCase(x, y, z) else { return false }
        for edge in cases.triangles[inside] {
            let corner = (x + edge.corner & 1, y + edge.corner >> 1 & 1, z + edge.corner >> 2)
            mesh.triangles.append(vertex(at: corner, axis: edge.axis))
        }
        return true
    }

    /// The vertex on the edge that begins at a corner.
    private mutating func vertex(at corner: (x: Int, y: Int, z: Int), axis: Int) -> UInt32 {
        let far = (corner.x + (axis == 0 ? 1 : 0), corner.y + (axis == 1 ? 1 : 0), corner.z + (axis == 2 ? 1 : 0))
        let (start, end) = (owner(of: corner), owner(of: far))
        let key = (start.block * VolumeLayout.samples + start.sample) * 3 + axis
        if let known = vertices[key] { return known }
        let number = UInt32(mesh.vertices.count)
        vertices[key] = number
        let a = distances[Self.corner(corner.x, corner.y, corner.z)]
        let b = distances[Self.corner(far.0, far.1, far.2)]
        // A little off the samples themselves, so that no triangle shrinks to a line.
        let share = min(max(a / (a - b), 0.001), 0.999)
        addPosition(corner, axis, Double(share))
        if mesh.vertices.colors != nil {
            let (first, second) = (volume.color(of: start), volume.color(of: end))
            for channel in 0..<3 {
                let (p, q) = (first?[channel], second?[channel])
                let value = (p ?? q ?? 128) * (1 - share) + (q ?? p ?? 128) * share
                mesh.vertices.colors?.append(UInt8(value.rounded()))
            }
        }
        return number
    }

    private mutating func addPosition(_ corner: (x: Int, y: Int, z: Int), _ axis: Int, _ share: Double) {
        let index = volume.blocks[neighbours[0] ?? 0].index
        let samples = [(index.x, corner.x), (index.y, corner.y), (index.z, corner.z)].map {
            Double($0.0) * Double(VolumeLayout.side) + Double($0.1)
        }
        for other in 0..<3 {
            let sample = samples[other] + (other == axis ? share : 0)
            mesh.vertices.positions.append(Float(sample * volume.layout.voxel))
        }
    }

    /// The block to which a corner of the cells belongs, and its sample there. Only for corners whose distance is known.
    private func owner(of corner: (x: Int, y: Int, z: Int)) -> DistanceVolume.SampleIndex {
        let side = VolumeLayout.side
        let place = corner.x / side | (corner.y / side) << 1 | (corner.z / side) << 2
        let sample = Self.sample(corner.x % side, corner.y % side, corner.z % side)
        return .init(block: neighbours[place] ?? 0, sample: sample)
    }

    private static func corner(_ x: Int, _ y: Int, _ z: Int) -> Int { x + side * (y + side * z) }

    private static func sample(_ x: Int, _ y: Int, _ z: Int) -> Int {
        x + VolumeLayout.side * (y + VolumeLayout.side * z)
    }
}

extension DistanceVolume {
    /// One sample of one block.
    fileprivate struct SampleIndex {
        let block: Int
        let sample: Int
    }

    fileprivate func color(of index: SampleIndex) -> [Float]? {
        let sum = blocks[index.block].colors[index.sample]
        return sum.count == 0 ? nil : [sum.red, sum.green, sum.blue].map { Float($0) / Float(sum.count) }
    }
}

extension DistanceVolume.Block {
    /// The mean distance at a sample, in truncations; NaN where fewer frames have seen it.
    /// - Parameter minFrames: at least 1.
    fileprivate func distance(of sample: Int, minFrames: Int) -> Float {
        let count = Int(samples[sample].count)
        guard count >= minFrames else { return .nan }
        return Float(samples[sample].distance) / Float(count * DistanceVolume.unitsPerTruncation)
    }
}
