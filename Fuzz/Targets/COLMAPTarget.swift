import ScanFormats
import ScanModel

extension FuzzTarget {
    /// The three files of a COLMAP model, as text and as binary: the same bytes are read as each of them.
    static let colmap = FuzzTarget("colmap") { bytes in
        let source = { MemorySource(bytes, name: "model", chunk: 37) }
        let limit = 1000
        attempt { () throws(Problem) in
            check(try COLMAPModelReader.cameras(text: source()).values)
        }
        attempt { () throws(Problem) in
            check(try COLMAPModelReader.cameras(binary: source()).values)
        }
        attempt { () throws(Problem) in
            expect(try COLMAPModelReader.images(text: source(), limit: limit).count <= limit, "images have a limit")
        }
        attempt { () throws(Problem) in
            expect(try COLMAPModelReader.images(binary: source(), limit: limit).count <= limit, "images have a limit")
        }
        // A coordinate that is not finite is left to the capture's reader.
        attempt { () throws(Problem) in
            expect(try COLMAPModelReader.points(text: source(), limit: limit).count <= limit, "points have a limit")
        }
        attempt { () throws(Problem) in
            expect(try COLMAPModelReader.points(binary: source(), limit: limit).count <= limit, "points have a limit")
        }
    }

    private static func attempt(_ body: () throws(Problem) -> Void) {
        do throws(Problem) { try body() } catch { expect(error.fault == .input, "only the bytes are at fault") }
    }

    private static func check(_ cameras: some Sequence<COLMAPModelReader.Camera>) {
        for camera in cameras { expect(camera.width > 0 && camera.height > 0, "pictures have a size") }
    }
}
