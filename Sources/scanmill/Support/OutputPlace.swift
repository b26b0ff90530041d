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
        let results = Target(output, "the results", fix: "name a folder outside of it with -o")
        let files = reports.map { Target($0, "the file", fix: "name a file outside of it") }
        let targets = [results] + files
        for target in targets {
            guard let outer = target.place.flatMap(ResultPlace.result(around:)) else { continue }
            throw target.problem(in: "the result \(outer), which its pipeline replaces as a whole")
        }
        for capture in captures {
            guard let input = FileSystem.realPath(capture.path) else { continue }
            for target in targets {
                guard let place = target.place, FileSystem.lies(place, in: input) else { continue }
                throw target.problem(in: "the capture \(capture.path)")
            }
            guard let result = results.place.map({ "\($0)/\(capture.id)" }) else { continue }
            if let file = files.first(where: { $0.place == result }) {
                throw Problem(
                    .usage, "the file would take the place of the result of \(capture.id)", fix: "give it another name"
                ).at(file: file.path)
            }
            if FileSystem.lies(input, in: result) {
                throw Problem(
                    .usage, "the result would replace the capture \(capture.path) itself",
                    fix: "name another folder with -o"
                ).at(file: output)
            }
        }
        // This also holds for a capture that nobody named.
        for target in targets {
            guard let capture = target.place.flatMap(CaptureSearch.recording(around:)) else { continue }
            throw target.problem(in: "the capture \(capture)")
        }
    }

    /// Where a run would write, and what.
    private struct Target {
        let path: String
        /// Where the path leads; nil where it cannot.
        let place: String?
        private let what: String
        private let fix: String

        /// - Parameter fix: what to do where it lies in something that is not to be changed.
        init(_ path: String, _ what: String, fix: String) {
            (self.path, self.what, self.fix) = (path, what, fix)
            place = FileSystem.realPath(path)
        }

        func problem(in outer: String) -> Problem {
            Problem(.usage, "\(what) would be written into \(outer)", fix: fix).at(file: path)
        }
    }
}
