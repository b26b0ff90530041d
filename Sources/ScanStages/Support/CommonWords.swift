import ScanModel
import ScanPipeline

/// What several stages say in the same words.
extension StageContext {
    /// - Parameter consequence: what an unknown unit means for the stage's output.
    func warnUnlessMetric(_ capture: Capture, _ consequence: String) {
        if !capture.isMetric { warn("the world's unit is unknown: \(consequence)") }
    }

    /// - Parameter consequence: what follows where the capture does not say which way is up.
    func warnUnlessUp(_ capture: Capture, _ consequence: String) {
        if capture.worldUp != nil { return }
        let advice = capture.likelyUp.advice { "--set \(Drop.reader).up=\($0.rawValue)" }
        warn("the capture does not say which way is up, \(consequence); say it, \(advice)")
    }

    /// Says in the receipt that lengths are in the capture's own unit, whatever the names of the figures say.
    func recordUnlessMetric(_ capture: Capture) {
        if !capture.isMetric { record("is-metric", .bool(false)) }
    }
}

extension Capture {
    /// Why a mesh has no triangle, where that is so.
    var reasonForEmptyMesh: String { absences[.mesh]?.reason ?? "the mesh has no triangle" }
}

extension Uses.Instead {
    /// For a stage that takes points as well as a cloud, and captures whose reader gives none.
    static let pointsFromDepth = Uses.Instead.words(
        "make points of the depth above it, with `decompress` and `unproject`")
    /// For a stage that works on a cloud, and captures whose reader gives none.
    static let cloudFromDepth = Uses.Instead.words(
        "make a cloud of the depth above it, with `unproject` and `voxel-downsample`, or with `sample-mesh` of a mesh, or of "
            + "a PLY file's points, with `voxel-downsample` alone")
}
