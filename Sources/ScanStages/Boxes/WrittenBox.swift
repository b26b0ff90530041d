import ScanFormats
import ScanModel
import ScanPipeline

/// Boxes for readers that know only upright ones.
extension StageContext {
    /// The box as `boundingbox.json`. Nil, with a warning, if the file cannot express it: a box that is upright in a
    /// world whose up is not y is tilted for its readers.
    func boundingBox(_ box: OrientedBox) throws(Problem) -> [UInt8]? {
        do throws(Problem) { return try BoundingBoxJSON.text(box) } catch {
            guard error.fault == .input else { throw error }
            warn("the box was left out: \(error.summary)")
            return nil
        }
    }
}
