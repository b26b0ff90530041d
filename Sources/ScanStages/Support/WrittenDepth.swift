import ScanFormats
import ScanModel
import ScanPipeline

extension Frame {
    /// The frame's depth for a format that takes it for the pictures' own view: as the stages above have left it, or as
    /// recorded where none of them unpacks it. Nil without depth.
    func writtenDepth(_ context: StageContext) throws(Problem) -> DepthMap? {
        if context.reads.contains(.depth) && context.available.contains(.depth) { return alignedDepth(context) }
        guard let recordedDepth else { return nil }
        var unpacked = self
        unpacked.depth = try DepthCodec.decode(recordedDepth).map
        return unpacked.alignedDepth(context)
    }
}

extension Gray16Image {
    /// The same view with so many pixels: each takes the value of the one in which its centre lies.
    package func enlarged(to size: PixelSize) -> Gray16Image {
        if size == PixelSize(width, height) { return self }
        let columns = (0..<size.width).map { (2 * $0 + 1) * width / (2 * size.width) }
        var result: [UInt16] = []
        result.reserveCapacity(size.width * size.height)
        for v in 0..<size.height {
            let row = (2 * v + 1) * height / (2 * size.height) * width
            for column in columns { result.append(pixels[row + column]) }
        }
        return Gray16Image(width: size.width, height: size.height, pixels: result)
    }
}
