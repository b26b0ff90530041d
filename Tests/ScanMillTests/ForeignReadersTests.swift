import Foundation
import TestSupport
import Testing

/// Every exporter's output, opened by programs that ScanMill has no part in: pycolmap, Open3D, plyfile, OpenCV, Pillow,
/// ffprobe, unzip. They are installed into a virtual environment of their own, once, beside the build's products.
@Suite struct ForeignReadersTests {
    @Test(.disabled(if: Sanitizer.isOn, "the readers are not built for a sanitizer"))
    func theyReadWhatIsWritten() throws {
        let checkout = SharedData.checkout
        let readers = checkout.appendingPathComponent("Tests/ForeignReaders")
        let sample = checkout.appendingPathComponent("samples/desk").path
        let folder = try TemporaryFolder()
        let run = try Scanmill.run([
            "run", readers.appendingPathComponent("every-writer.yaml").path, sample, "-o", folder.path, "-q",
        ])
        #expect(run.status == 0, "\(run.errors)")
        let read = try runCommand(
            [
                "python3", "-B", readers.appendingPathComponent("foreign_readers.py").path,
                checkout.appendingPathComponent(".build/foreign-readers").path, "\(folder.path)/desk",
                "\(sample)/desk.jsonl",
            ])
        if read.status == 77 {
            print("SKIPPED: other programs' readers, because they \(read.output)")
            return
        }
        #expect(read.status == 0, "\(read.output)\n\(read.errors)")
        print(read.output)
        for reader in ["plyfile", "pycolmap", "OpenCV", "Open3D: ", "ffprobe", "unzip"] {
            #expect(read.output.contains(reader))
        }
    }
}
