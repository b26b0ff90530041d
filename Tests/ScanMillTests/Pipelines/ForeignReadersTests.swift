import Foundation
import TestSupport
import Testing

/// Every exporter's output, opened by programs that ScanMill has no part in: pycolmap, Open3D, plyfile, OpenCV, Pillow,
/// ffprobe, unzip. They are installed into a virtual environment of their own, once, beside the build's products.
@Suite(.serialized) struct ForeignReadersTests {
    private let readers = SharedData.checkout.appendingPathComponent("Tests/ForeignReaders")
    private let environment = SharedData.checkout.appendingPathComponent(".build/foreign-readers").path

    @Test(.disabled(if: Sanitizer.isOn, "the readers are not built for a sanitizer"))
    func theyReadWhatIsWritten() throws {
        let sample = SharedData.checkout.appendingPathComponent("samples/desk").path
        let folder = try TemporaryFolder()
        let run = try Scanmill.run([
            "run", readers.appendingPathComponent("every-writer.yaml").path, sample, "-o", folder.path, "-q",
        ])
        #expect(run.status == 0, "\(run.errors)")
        let said = try ask("foreign_readers.py", "\(folder.path)/desk", "\(sample)/desk.jsonl")
        for reader in ["plyfile", "pycolmap", "OpenCV", "Open3D: ", "ffprobe", "unzip"] {
            #expect(said?.contains(reader) != false)
        }
    }

    @Test(.disabled(if: Sanitizer.isOn, "the readers are not built for a sanitizer"))
    func openCVAndCOLMAPUndistortTheSame() throws {
        let folder = try TemporaryFolder()
        let said = try ask("undistortion.py", Scanmill.path, folder.path)
        for lens in [
            "barrel", "pincushion", "fisheye", "full", "prism", "aria", "view", "divided", "unified",
        ] {
            #expect(said?.contains("\(lens): undistorted") != false)
        }
    }

    /// - Returns: what the script said; nil where it could not run, which is said.
    private func ask(_ script: String, _ arguments: String...) throws -> String? {
        let command = ["python3", "-B", readers.appendingPathComponent(script).path, environment]
        let read = try runCommand(command + arguments)
        if read.status == 77 {
            print("SKIPPED: other programs' readers, because they \(read.output)")
            return nil
        }
        #expect(read.status == 0, "\(read.output)\n\(read.errors)")
        print(read.output)
        return read.output
    }
}
