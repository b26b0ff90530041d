import Foundation
import ScanModel
import TestSupport
import Testing

/// The page that people open is right, also where a run made no result.
@Suite struct RunReportTests {
    private let quick: QuickRun
    private static let depth = "in/b/desk.depth.zlib"

    init() throws {
        quick = try QuickRun()
        for name in ["a", "b"] { try quick.copySample(name) }
    }

    /// How many captures failed and wait by the page to which the newest report's address leads.
    private func page() throws -> [Int64?] {
        let doorway = String(decoding: try quick.folder.bytes("out/.scanmill/report.html"), as: UTF8.self)
        let run = try #require(doorway.firstMatch(of: #/url=(runs/[^"]*)report.html"/#)).1
        let json = try JSONValue.parse(try quick.folder.bytes("out/.scanmill/\(run)report.json"), file: "report.json")
        return ["failed", "waiting"].map { json["summary"]?[$0]?.integer }
    }

    private func run(_ more: String...) throws -> CommandResult { try quick.run(["in", "-o", "out"] + more) }

    /// Lets the captures be so old that a run need not open them to see that they are as they were.
    private func settle() throws {
        let command = "find in -exec touch -d '1 hour ago' {} + && sleep 2.5"
        _ = try runCommand(["sh", "-c", command], in: quick.folder.path)
    }

    /// An upload that was broken off is copied again: nothing is made, and nothing is called failed any more.
    @Test func aFailureThatGoesAway() throws {
        #expect(try run().status == 0)
        let whole = try quick.folder.bytes(Self.depth)
        try quick.folder.write(Array(whole.dropLast(20_000)), to: Self.depth)
        #expect(try run().status == 1 && page() == [1, 0])
        try quick.folder.write(whole, to: Self.depth)
        let mended = try run()
        #expect(mended.status == 0 && mended.output.contains("2 captures: 2 up to date; "), "\(mended)")
        #expect(mended.output.hasSuffix("\nthe report is out/.scanmill/report.html\n"), "\(mended)")
        #expect(try page() == [0, 0])
        #expect(try !run().output.contains("the report is"))
    }

    /// Also where no capture is even opened, and a run in between was told to write none.
    @Test func aNameThatIsFreeAgain() throws {
        try settle()
        #expect(try run().status == 0)
        let more = "\(quick.folder.path)/more"
        try FileManager.default.createDirectory(atPath: more, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: "\(quick.folder.path)/in/b", toPath: "\(more)/b")
        #expect(try run("more").status == 1 && page() == [1, 0])
        try FileManager.default.removeItem(atPath: more)
        // One that cannot begin forgets nothing.
        #expect(try run("--log", "\(quick.folder.path)/nowhere/log").status == 3 && page() == [1, 0])
        #expect(try run("--no-report").status == 0 && page() == [1, 0])
        #expect(try run().output.contains("the report is ") && page() == [0, 0])
        let runs = quick.names("out/.scanmill/runs")
        #expect(try !run("--no-report").output.contains("the report is ") && quick.names("out/.scanmill/runs") == runs)
    }

    /// A capture that is left out waits, instead of having failed, until it is left out no longer.
    @Test func aFailureThatIsLeftOut() throws {
        try quick.folder.write("{", to: "in/b/desk.json")
        try settle()
        #expect(try run().status == 1 && page() == [1, 0])
        #expect(try run("--exclude", "b").status == 0 && page() == [0, 1])
        #expect(try !run("--exclude", "b").output.contains("the report is "))
        #expect(try run().status == 1 && page() == [1, 0])
        #expect(try !run().output.contains("the report is "))
        let status = try Scanmill.run(["status", "out"], in: quick.folder.path).output
        #expect(status.hasPrefix("failed  b  "), "\(status)")
    }

    /// The page that leads to the newest report was removed, with nothing left to do.
    @Test func aDoorwayThatIsGone() throws {
        #expect(try run("--no-report").status == 0)
        #expect(try !run("--no-report").output.contains("the report is "))
        #expect(try run().output.contains("the report is ") && page() == [0, 0])
        try FileManager.default.removeItem(atPath: "\(quick.output)/.scanmill/report.html")
        #expect(try !run("--no-report").output.contains("the report is "))
        #expect(try run().output.hasSuffix("\nthe report is out/.scanmill/report.html\n") && page() == [0, 0])
        #expect(try !run().output.contains("the report is "))
    }

    /// Killed when the results had their names, and before what is known of them was written down.
    @Test func aKilledRunThatLeftNothingToDo() throws {
        #expect(try run("--no-report").status == 0)
        let killed = try #require(quick.names("out/.scanmill/runs").first)
        for name in ["inputs", "runs/\(killed)/outcome.json"] {
            try FileManager.default.removeItem(atPath: "\(quick.output)/.scanmill/\(name)")
        }
        let again = try run()
        #expect(again.output.contains("2 captures: 2 up to date; "), "\(again)")
        #expect(again.output.contains("the report is "))
        #expect(try page() == [0, 0] && !quick.names("out/.scanmill/runs/\(killed)").contains("report.html"))
    }
}
