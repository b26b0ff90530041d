import ScanModel
import ScanPipeline

/// Counts of stages that cut the cloud or the mesh.
extension StageContext {
    /// Counts what a cut has left of a cloud.
    /// - Parameter whole: the cloud before.
    func count(cut cloud: PointCloud, from whole: PointCloud) {
        count("points-in", whole.count)
        count("points-out", cloud.count)
    }

    /// Counts what a cut has left of a mesh.
    /// - Parameter whole: the mesh before.
    func count(cut mesh: TriangleMesh, from whole: TriangleMesh) {
        count("triangles-in", whole.triangleCount)
        count("triangles-out", mesh.triangleCount)
        count("vertices-out", mesh.vertices.count)
        record("area-out", .number(mesh.area))
    }
}
