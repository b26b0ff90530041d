import Glibc
import ScanFormats
import ScanModel

extension FuzzTarget {
    /// A ZIP archive: its directory, then every file of it.
    static let zip = FuzzTarget("zip") { bytes in
        // libzip wants a file to seek in.
        guard let file = tmpfile() else { return }
        defer { fclose(file) }
        guard fwrite(bytes, 1, bytes.count, file) == bytes.count, fflush(file) == 0 else { return }
        let path = "/proc/self/fd/\(fileno(file))"
        do throws(Problem) {
            let archive = try ZipArchive(path: path)
            var (folders, opened) = ([""], 0)
            while let folder = folders.popLast(), opened < 100 {
                for entry in archive.entries(in: folder) {
                    let file = folder.isEmpty ? entry.name : "\(folder)/\(entry.name)"
                    expect(!file.split(separator: "/").contains(".."), "no path leads out")
                    if entry.kind == .folder { folders.append(file) }
                    guard let count = entry.byteCount else { continue }
                    opened += 1
                    if let range = archive.location(of: file)?.range {
                        expect(range.lowerBound >= 0 && range.count == Int(count), "a stored file has its size")
                    }
                    if let content = try? archive.bytes(of: file, limit: 1 << 20) {
                        expect(content.count == Int(count), "a file has its size")
                    }
                }
            }
        } catch { expect(error.fault == .input, "only the bytes are at fault") }
    }
}
