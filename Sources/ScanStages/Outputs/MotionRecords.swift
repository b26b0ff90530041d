import ScanFormats
import ScanModel
import ScanPipeline

/// A capture's motion samples as records of all five sensors, which is how ScanNet's formats keep them.
enum MotionRecords {
    /// - Returns: nothing if the capture has no motion, or, with a warning, if its files do not belong together.
    static func of(_ capture: Capture, _ context: StageContext) throws(Problem) -> [ScanNetMotion.Record] {
        guard context.available.contains(.motion), !capture.motionFiles.isEmpty else { return [] }
        var records: [ScanNetMotion.Record] = []
        for kind in ScanNetMotion.kinds {
            guard let file = capture.motionFiles.first(where: { $0.kind == kind }) else {
                context.warn("motion samples were left out: there is no .\(kind.rawValue) file")
                return []
            }
            let (samples, facts) = try MotionStream.samples(try capture.source.open(file.path), kind: kind)
            guard facts.layout != .bigEndian else {
                context.warn("motion samples were left out: those of Android are in other units")
                return []
            }
            if kind == ScanNetMotion.kinds.first { records = samples.map { .init(timestamp: $0.timestamp) } }
            guard samples.count == records.count, zip(samples, records).allSatisfy({ $0.timestamp == $1.timestamp })
            else {
                context.warn("motion samples were left out: the sensors were not read at the same times")
                return []
            }
            for index in records.indices { records[index].values.append(samples[index].value) }
        }
        context.count("motion-samples", records.count)
        return records
    }
}
