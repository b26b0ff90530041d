import ScanModel

extension Capture {
    /// For a stage that needs a mesh.
    var requiredMesh: TriangleMesh {
        get throws(Problem) {
            guard let mesh else { throw Problem(.tool, "the capture has no mesh") }
            return mesh
        }
    }
}
