import Glibc
import ScanFormats
import ScanModel
import ScanPipeline

/// Small pictures in a folder below `.scanmill/`: a JPEG for each capture, and a note of what it shows with the key of the
/// result that it belongs to. A later report on the same result makes nothing anew.
struct KeptPictures: Sendable {
    let folder: String
    /// Of the JPEGs.
    let quality: Int

    func path(of id: String) -> String { "\(folder)/\(id).jpg" }

    private func notePath(of id: String) -> String { "\(folder)/\(id).json" }

    func keep(_ image: RGBImage, of id: String, key: String, note: JSONObject = [:]) throws(Problem) {
        try FileSystem.makeFolders(folder)
        try FileSystem.replace(path(of: id), with: try JPEG.encode(image, quality: quality))
        // Last: it says that the picture is there.
        var note = note
        note["key"] = .string(key)
        try StateFolder.write(.object(note), to: notePath(of: id))
    }

    func forget(_ id: String) {
        // Behind a link others may keep files.
        guard FileSystem.isFolderItself(folder) else { return }
        for path in [notePath(of: id), path(of: id)] { unlink(path) }
    }

    /// What was noted with a capture's picture; nil if there is none, or only one of another result.
    func note(of id: String, key: String) -> JSONValue? {
        guard let json = StateFolder.read(notePath(of: id)), json["key"]?.string == key, FileSystem.exists(path(of: id))
        else { return nil }
        return json
    }
}
