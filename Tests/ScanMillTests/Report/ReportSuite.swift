import Foundation
import ScanModel
import TestSupport
import Testing

/// A suite whose tests report on a folder of results: `out` in a folder of their own, made up or run.
protocol ReportSuite {
    var folder: TemporaryFolder { get }
}

extension ReportSuite {
    /// Makes up the results of a night, and the record of its run.
    func makeNight(_ count: Int, _ more: [String] = []) throws {
        let script = SharedData.checkout.appendingPathComponent("Tests/ReportPage/night.py").path
        let made = try runCommand(["python3", script, "\(folder.path)/out", "\(count)"] + more)
        try #require(made.status == 0, "\(made.errors)")
    }

    /// The report's numbers.
    func report() throws -> JSONValue {
        let result = try Scanmill.run(["report", "out"], in: folder.path)
        try #require(result.status == 0, "\(result.errors)")
        let page = String(result.output.dropLast())
        #expect(FileManager.default.fileExists(atPath: "\(folder.path)/\(page)"))
        return try StateJSON.read("\(folder.path)/\(page.replacingOccurrences(of: ".html", with: ".json"))")
    }

    /// The path of the page to which the one that `run` names leads.
    func newestPage() throws -> String {
        let doorway = String(decoding: try folder.bytes("out/.scanmill/report.html"), as: UTF8.self)
        let address = try #require(doorway.firstMatch(of: #/url=(runs/[^"]*)"/#)).1
        return "out/.scanmill/\(address)"
    }

    /// What stands on that page.
    func newestHTML() throws -> String { String(decoding: try folder.bytes(try newestPage()), as: UTF8.self) }

    /// What the report finds of a kind, for all captures with the same cause.
    func finding(of kind: String) throws -> JSONValue {
        try #require(try report()["findings"]?.array?.first { $0["kind"]?.string == kind })
    }

    /// The ids of the captures with findings of a kind.
    func captures(of kind: String, in json: JSONValue) -> [String] {
        (json["findings"]?.array ?? []).filter { $0["kind"]?.string == kind }
            .flatMap { $0["captures"]?.array ?? [] }.compactMap { $0["id"]?.string }
    }

    /// What stands on the page of a night that was made up.
    func nightPage() throws -> String {
        let path = "out/.scanmill/runs/20261120T214000Z-night/report.html"
        return String(decoding: try folder.bytes(path), as: UTF8.self)
    }

    /// Changes what the first result's receipt says.
    func changeFirstReceipt(_ part: Regex<Substring>, to text: String) throws {
        let name = try #require(try results().first)
        let path = "out/\(name)/receipt.json"
        let receipt = String(decoding: try folder.bytes(path), as: UTF8.self)
        let changed = receipt.replacing(part, with: text)
        try #require(changed != receipt)
        try folder.write(changed, to: path)
    }

    /// The names of the results, sorted.
    func results() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/out").filter { $0 != ".scanmill" }.sorted()
    }

    /// Puts a warning into a receipt that has none.
    func warn(_ text: String, _ name: String) throws {
        let path = "out/\(name)/receipt.json"
        let receipt = String(decoding: try folder.bytes(path), as: UTF8.self)
        let warned = receipt.replacingOccurrences(of: "\"warnings\": []", with: "\"warnings\": [\"\(text)\"]")
        try #require(warned != receipt)
        try folder.write(warned, to: path)
    }

    /// Runs a quick pipeline on the sample.
    func run(_ more: [String] = []) throws -> CommandResult {
        try folder.write(QuickRun.cloud, to: "quick.yaml")
        return try Scanmill.run(["run", "quick.yaml", QuickRun.sample, "-o", "out"] + more, in: folder.path)
    }
}
