import Glibc
import ScanModel
import ScanPipeline

/// Makes the report's files beside the record of the newest run.
struct ReportFiles {
    private let state: StateFolder
    private let folder: String
    /// The page, for people to open.
    var page: String { "\(folder)/\(ReportPage.fileName)" }

    /// - Parameter run: the name of the run to report on; nil for the newest.
    /// - Returns: the page's path.
    /// - Throws: a problem with fault `usage` when no capture was ever run into the folder; with fault `environment` when
    ///   the files cannot be written.
    static func make(for output: String, run: String?) throws(Problem) -> String {
        let state = StateFolder(output: output)
        var report = NightReport(output: output, run: run)
        if report.captures.isEmpty && report.run == nil {
            try state.requireOutput()
            throw state.noCaptureWasRun
        }
        let files = ReportFiles(state: state, run: report.run?.name ?? RunRecord.newName())
        try FileSystem.makeFolders(files.folder)
        try files.addPictures(to: &report)
        let sheets = try files.writeSheets(of: report)
        try files.write(report, sheets)
        return files.page
    }

    private init(state: StateFolder, run: String) {
        self.state = state
        folder = "\(state.runs)/\(run)"
    }

    // MARK: - Pictures

    private func addPictures(to report: inout NightReport) throws(Problem) {
        let thumbnails = Thumbnails(in: state)
        let drawings = ResultDrawing(in: state)
        let captures = report.captures
        let base = report.run?.command?.folder
        let folder = folder
        try FileSystem.makeFolders("\(folder)/pictures")
        let made = Parallel.map(captures.count) { index in
            (strip: strip(of: index), drawing: drawing(of: index))
        }
        for (index, made) in made.enumerated() {
            report.captures[index].thumbnails = made.strip
            report.captures[index].drawing = made.drawing
        }

        @Sendable func strip(of index: Int) -> Thumbnails.Shown {
            let shown = thumbnails.strip(for: captures[index], base: base)
            guard var strip = shown.strip else { return shown }
            strip.file = "pictures/\(index).jpg"
            return Self.link(thumbnails.path(of: captures[index].id), "\(folder)/\(strip.file)")
                ? .strip(strip) : .nothing(why: "the pictures could not be written")
        }

        @Sendable func drawing(of index: Int) -> String? {
            let file = "pictures/\(index)-drawing.jpg"
            guard let kept = drawings.file(for: captures[index]), Self.link(kept, "\(folder)/\(file)") else {
                return nil
            }
            return file
        }
    }

    private func writeSheets(of report: NightReport) throws(Problem) -> WallSheets {
        let sheets = WallSheets(report.captures)
        let (state, folder) = (state, folder)
        let others = RunRecord.names(in: state).map { "\(state.runs)/\($0)" }.filter { $0 != folder }
        let last = others.last { FileSystem.exists("\($0)/\(ReportPage.fileName)") }
        try Self.all(sheets.sheets.count) { (number) throws(Problem) in
            let (file, members) = sheets.sheets[number]
            let sheet = try WallSheets.draw(members, of: report.captures, in: state)
            let path = "\(folder)/\(file)"
            // Of ten thousand captures most sheets are as the last report had them, and they are large.
            if let last, Self.holds("\(last)/\(file)", sheet), Self.link("\(last)/\(file)", path) { return }
            try FileSystem.replace(path, with: sheet)
        }
        return sheets
    }

    /// Whether a file has these bytes.
    private static func holds(_ path: String, _ bytes: [UInt8]) -> Bool {
        FileSystem.regularSize(of: path) == Int64(bytes.count)
            && (try? FileSystem.bytes(of: path, limit: bytes.count)) == bytes
    }

    /// Writes several files at once.
    /// - Throws: the first one's problem, when all have been tried.
    private static func all(_ count: Int, _ write: @Sendable (Int) throws(Problem) -> Void) throws(Problem) {
        let failures = Parallel.map(count) { number -> Problem? in
            do throws(Problem) { try write(number) } catch { return error }
            return nil
        }
        if let failure = failures.firstNonNil(\.self) { throw failure }
    }

    /// A hard link where the filesystem has them, else a copy: pictures that have not changed take no extra space. What
    /// is there is replaced in one step, as another report on the same run may be showing it.
    private static func link(_ from: String, _ to: String) -> Bool {
        let new = "\(to).\(FileSystem.randomName())"
        // Renaming one link over another of the same file leaves both.
        defer { unlink(new) }
        if Glibc.link(from, new) == 0, rename(new, to) == 0 { return true }
        guard let bytes = try? FileSystem.bytes(of: from, limit: 64 << 20) else { return false }
        return (try? FileSystem.replace(to, with: bytes)) != nil
    }

    // MARK: - Text

    private func write(_ report: NightReport, _ sheets: WallSheets) throws(Problem) {
        let pages = ReportPage(report: report, sheets: sheets)
        let names = pages.names
        let written = Set(names + sheets.sheets.map(\.file))
        // These are from a report on the same run with more captures.
        for name in FileSystem.names(in: folder) where Self.isNumbered(name) && !written.contains(name) {
            unlink("\(folder)/\(name)")
        }
        try FileSystem.replace("\(folder)/\(NightReport.fileName)", with: report.jsonText)
        try FileSystem.replace(
            "\(folder)/\(EarlierRun.fileName)", with: JSONWriter.text(EarlierRun.json(of: report)))
        let folder = folder
        try Self.all(names.count - 1) { (page) throws(Problem) in
            try FileSystem.replace("\(folder)/\(names[page])", with: Array(pages.html(page).text.utf8))
        }
        // The main page last: once it is there, so is everything that it links to.
        try FileSystem.replace(page, with: Array(pages.html(names.count - 1).text.utf8))
        let shown = report.captures.flatMap { [$0.thumbnails.strip?.file, $0.drawing] }
        let pictures = Set(shown.compactMap { $0?.lastPart })
        // Another name is one that another report is about to give.
        for name in StateFolder.ownNames(in: "\(folder)/pictures")
        where name.hasSuffix(".jpg") && !pictures.contains(name) {
            unlink("\(folder)/pictures/\(name)")
        }
        try openDoorway(to: report.run?.name ?? folder.lastPart)
    }

    private static func hasPage(_ run: String, in state: StateFolder) -> Bool {
        FileSystem.exists("\(state.runs)/\(run)/\(ReportPage.fileName)")
    }

    /// Another run may have begun later and have its report already.
    private func openDoorway(to run: String) throws(Problem) {
        let newest = RunFacts.newest(in: state) { Self.hasPage($0, in: state) }
        try FileSystem.replace(
            Self.doorway(in: state), with: Array(Self.doorway(to: newest ?? run).text.utf8))
    }

    /// Whether it is a page or a wall of pictures: how many of them a report has depends on its captures.
    private static func isNumbered(_ name: String) -> Bool {
        name.hasPrefix("captures-") && name.hasSuffix(".html") || name.hasPrefix("wall-") && name.hasSuffix(".jpg")
    }

    private static func doorway(in state: StateFolder) -> String { "\(state.path)/\(ReportPage.fileName)" }

    /// Whether the page that should lead to the newest report is gone, or leads nowhere: somebody has removed it, or that
    /// report's run.
    static func hasStrayDoorway(in state: StateFolder) -> Bool {
        let runs = RunRecord.names(in: state).reversed()
        let doorway = doorway(in: state)
        // Where no run has a page, none was wanted.
        if !FileSystem.exists(doorway) { return runs.contains { hasPage($0, in: state) } }
        guard let text = try? FileSystem.bytes(of: doorway, limit: 1 << 16) else { return false }
        return !runs.contains { Array(Self.doorway(to: $0).text.utf8) == text && hasPage($0, in: state) }
    }

    /// A page that leads to the newest report and whose own address never changes. It is not a symbolic link, because a
    /// browser would look for the pictures beside the link.
    private static func doorway(to run: String) -> HTML {
        let address: HTML = "runs/\(HTML.address(run))/\(ReportPage.fileName)"
        return """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=\(address)">
            <title>ScanMill</title></head><body><p><a href="\(address)">The newest report</a></p></body></html>

            """
    }
}
