import ScanFormats
import ScanModel
import ScanPipeline

/// Where commands may write.
enum OutputPlace {
    /// What is made besides results, such as samples and pictures, is never written into a recording or a result, nor
    /// among results: a run takes what is half done there for left over.
    /// - Parameters:
    ///   - path: where something will be written.
    ///   - what: what will be written there: "the pictures".
    /// - Throws: a problem with fault `usage` when the path is one of these, or lies in a recording or a result.
    static func requireFree(_ path: String, for what: String) throws(Problem) {
        let place = FileSystem.realPath(path)
        if let result = place.flatMap(ResultPlace.result(around:)) {
            throw Problem(
                .usage, "\(what) would be written into the result \(result)", fix: "name another folder"
            ).at(file: path)
        }
        let folders = [path] + (place.map { [FileSystem.parent(of: $0)] } ?? [])
        if folders.contains(where: { FileSystem.exists(StateFolder(output: $0).owner) }) {
            throw Problem(.usage, "\(what) would be written among results", fix: "name another folder").at(file: path)
        }
        guard let capture = place.flatMap(CaptureSearch.recording(around:)) else { return }
        throw Problem(
            .usage, "\(what) would be written into the capture \(capture)", fix: "name a folder outside of it"
        ).at(file: path)
    }

    /// A run never writes to its inputs, nor replaces one by its own result.
    /// - Parameters:
    ///   - output: the folder for the results.
    ///   - reports: the other files that the run would write.
    /// - Throws: a problem with fault `usage` when one of these is a capture or a result, or lies in one.
    static func requireApart(
        _ captures: [CaptureSearch.Found], from output: String, and reports: [String]
    ) throws(Problem) {
        let written =
            [(path: output, what: "the results", fix: "name a folder outside of it with -o")]
            + reports.map { (path: $0, what: "the file", fix: "name a file outside of it") }
        let places = written.map { FileSystem.realPath($0.path) }
        for ((path, what, fix), place) in zip(written, places) {
            guard let outer = place.flatMap(ResultPlace.result(around:)) else { continue }
            throw Problem(
                .usage, "\(what) would be written into the result \(outer), which its pipeline replaces as a whole",
                fix: fix
            ).at(file: path)
        }
        for capture in captures {
            guard let input = FileSystem.realPath(capture.path) else { continue }
            for ((path, what, fix), place) in zip(written, places) {
                guard let place, FileSystem.lies(place, in: input) else { continue }
                throw Problem(.usage, "\(what) would be written into the capture \(capture.path)", fix: fix)
                    .at(file: path)
            }
            if let results = places[0],
                let taken = places.indices.dropFirst().first(where: { places[$0] == "\(results)/\(capture.id)" })
            {
                throw Problem(
                    .usage, "the file would take the place of the result of \(capture.id)", fix: "give it another name"
                ).at(file: written[taken].path)
            }
            if let results = places[0], FileSystem.lies(input, in: "\(results)/\(capture.id)") {
                throw Problem(
                    .usage, "the result would replace the capture \(capture.path) itself",
                    fix: "name another folder with -o"
                ).at(file: output)
            }
        }
        // This also holds for a capture that nobody named.
        for ((path, what, fix), place) in zip(written, places) {
            guard let capture = place.flatMap(CaptureSearch.recording(around:)) else { continue }
            throw Problem(.usage, "\(what) would be written into the capture \(capture)", fix: fix).at(file: path)
        }
    }
}
