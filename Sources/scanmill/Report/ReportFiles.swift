import Glibc
import ScanModel
import ScanPipeline

/// Makes the report's files beside the record of the newest run.
struct ReportFiles {
    private let state: StateFolder
    private let folder: String
    /// The page, for people to open.
    var page: String { "\(folder)/\(ReportPage.fileName)" }

    /// - Parameter run: the name of the run that is reported on; the newest without.
    /// - Returns: the page's path.
    /// - Throws: a problem with fault `usage` when no capture was ever run into the folder; with fault `environment` when
    ///   the files cannot be written.
    @discardableResult
    static func make(for output: String, run: String? = nil) throws(Problem) -> String {
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
        let captures = report.captures
        let base = report.run?.folder
        let pictures = "\(folder)/pictures"
        FileSystem.removeTree(pictures)
        try FileSystem.makeFolders(pictures)
        let strips = Parallel.map(captures.count) { index in
            var strip = thumbnails.strip(for: captures[index], base: base)
            if strip.cells.isEmpty { return strip }
            strip.file = "pictures/\(index).jpg"
            if !Self.link(thumbnails.path(of: captures[index].id), "\(pictures)/\(index).jpg") {
                strip.cells = []
                strip.lack = "the pictures could not be written"
            }
            return strip
        }
        for (index, strip) in strips.enumerated() { report.captures[index].thumbnails = strip }
    }

    private func writeSheets(of report: NightReport) throws(Problem) -> WallSheets {
        let sheets = WallSheets(report.captures)
        let thumbnails = Thumbnails(in: state)
        let folder = folder
        let failures = Parallel.map(sheets.sheets.count) { number -> Problem? in
            let (file, members) = sheets.sheets[number]
            do throws(Problem) {
                try WallSheets.write(members, of: report.captures, from: thumbnails, to: "\(folder)/\(file)")
                return nil
            } catch { return error }
        }
        if let failure = failures.lazy.compactMap(\.self).first { throw failure }
        return sheets
    }

    /// A second name for the same bytes where the filesystem has such, else a copy: a report costs no space for pictures
    /// that have not changed.
    private static func link(_ from: String, _ to: String) -> Bool {
        if Glibc.link(from, to) == 0 { return true }
        guard let bytes = try? FileSystem.bytes(of: from, limit: 64 << 20) else { return false }
        return (try? FileSystem.replace(to, with: bytes)) != nil
    }

    // MARK: - Text

    private func write(_ report: NightReport, _ sheets: WallSheets) throws(Problem) {
        let pages = ReportPage(report: report, sheets: sheets)
        let names = pages.names
        // Of a report of the same run with more captures.
        for name in FileSystem.names(in: folder)
        where name.hasPrefix("captures-") && name.hasSuffix(".html") && !names.contains(name) {
            unlink("\(folder)/\(name)")
        }
        try FileSystem.replace("\(folder)/\(NightReport.fileName)", with: report.jsonText)
        try FileSystem.replace(
            "\(folder)/\(EarlierRun.fileName)", with: JSONWriter.text(EarlierRun.json(of: report)))
        let folder = folder
        let failures = Parallel.map(names.count - 1) { page -> Problem? in
            do throws(Problem) {
                try FileSystem.replace("\(folder)/\(names[page])", with: Array(pages.html(page).text.utf8))
                return nil
            } catch { return error }
        }
        if let failure = failures.lazy.compactMap(\.self).first { throw failure }
        // The main page last: when it is there, all that it leads to is.
        try FileSystem.replace(page, with: Array(pages.html(names.count - 1).text.utf8))
        try FileSystem.replace(
            "\(state.path)/\(ReportPage.fileName)",
            with: Array(Self.doorway(to: report.run?.name ?? folder.lastPart).text.utf8))
    }

    /// A page that leads to the newest report and whose own address never changes. Not a link of the filesystem: a
    /// browser would look for the pictures beside the link.
    private static func doorway(to run: String) -> HTML {
        let address: HTML = "runs/\(CaptureCard.path(run))/\(ReportPage.fileName)"
        return """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=\(address)">
            <title>ScanMill</title></head><body><p><a href="\(address)">The newest report</a></p></body></html>

            """
    }
}
