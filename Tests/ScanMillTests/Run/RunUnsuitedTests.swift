import Foundation
import ScanModel
import TestSupport
import Testing

/// `--exclude-unsuited`: what its app never recorded is left out; what was lost fails all the same.
@Suite struct RunUnsuitedTests: ReportSuite {
    let folder: TemporaryFolder
    private static let lack = "cull-by-box needs box, and this capture has none"

    /// One whole capture, one without a box, which nobody drew, and one whose depth was not copied.
    init() throws {
        folder = try TemporaryFolder()
        for id in ["boxed", "lost", "plain"] { try folder.copySample("desk", to: "in/\(id)") }
        try remove("in/plain/boundingbox.json")
        try remove("in/lost/desk.depth.zlib")
        try folder.write(
            "name: boxes\nstages: [read, decompress, unproject, cull-by-box, write-ply]\n", to: "boxes.yaml")
    }

    private func remove(_ name: String) throws { try FileManager.default.removeItem(at: folder.url(name)) }

    private func command(_ name: String, _ more: String...) throws -> CommandResult {
        try Scanmill.run([name, "boxes.yaml", "in", "-o", "out"] + more, in: folder.path)
    }

    private func text(_ name: String) throws -> String { String(decoding: try folder.bytes(name), as: UTF8.self) }

    private func status() throws -> String { try Scanmill.run(["status", "out"], in: folder.path).output }

    @Test func aPlanSaysWhy() throws {
        let plan = try command("plan", "--exclude-unsuited")
        #expect(plan.output.contains("\nexcluded   plain  \(Self.lack)\n"), "\(plan)")
        #expect(plan.output.contains("\n1 would run, 0 up to date, 1 cannot run, 0 still arriving, 1 excluded\n"))
        #expect(plan.output.contains("fix for lost: ") && !plan.output.contains("fix for plain"))
        let json = try JSONValue.parse(
            Array(try command("plan", "--exclude-unsuited", "--json").output.utf8), file: "stdout")
        let plain = try #require(json["captures"]?.array?.first { $0["id"]?.string == "plain" })
        #expect(plain["decision"]?.string == "excluded" && plain["reason"]?.string == Self.lack)
        #expect(plain["fix"] == nil)
    }

    @Test func aNightSaysItOnceAndCountsIt() throws {
        let night = try command("run", "--exclude-unsuited", "--log", "log", "--metrics", "prom")
        #expect(night.status == 1 && night.output.contains("\nexcluded plain  \(Self.lack)\n"), "\(night)")
        #expect(night.output.contains("\n3 captures: 1 done, 1 failed, 1 excluded; "))
        #expect(night.errors.contains("\n1 capture failed:\n") && !night.errors.contains("plain"))
        let logged = try text("log").split(separator: "\n").last { $0.contains("\"id\":\"plain\"") }
        #expect(logged?.contains("\"status\":\"excluded\",\"reason\":\"\(Self.lack)\"") == true, "\(logged ?? "")")
        #expect(try text("prom").contains("ended=\"excluded\"} 1\n"))
        #expect(try status().contains("excluded  plain  \(Self.lack)\n"))
        let json = try report()
        #expect(json["summary"]?["excluded"]?.integer == 1 && json["summary"]?["failed"]?.integer == 1)
        let card = try #require(json["captures"]?.array?.first { $0["id"]?.string == "plain" })
        #expect(card["status"]?.string == "waiting")
        #expect(card["waits-for"]?.string == "\(Self.lack): --exclude-unsuited left it out")
    }

    @Test func theNextNightsAreSilent() throws {
        try remove("in/lost")
        // What has stood still is known without a look at its bytes, for which a run would leave a record.
        _ = try runCommand(["sleep", "2.5"], in: folder.path)
        for _ in 1...3 {
            let night = try command("run", "--exclude-unsuited", "-q")
            #expect(night.status == 0 && night.errors == "" && night.output == "", "\(night)")
        }
        // The first one alone tried it.
        let runs = try FileManager.default.contentsOfDirectory(atPath: folder.url("out/.scanmill/runs").path)
        #expect(runs.count == 1, "\(runs)")
        let without = try command("run")
        #expect(
            without.status == 1 && without.output.contains("failed   plain  as before: \(Self.lack)\n"), "\(without)")
        #expect(try status().hasPrefix("failed  plain  \(Self.lack)\n"))
        #expect(try command("run", "--exclude-unsuited", "-q").status == 0)
        #expect(try status().contains("excluded  plain  "))
        // A box that somebody draws is news.
        try FileManager.default.copyItem(
            at: folder.url("in/boxed/boundingbox.json"), to: folder.url("in/plain/boundingbox.json"))
        let drawn = try command("run", "--exclude-unsuited")
        #expect(drawn.status == 0 && drawn.output.contains("done     plain  "), "\(drawn)")
        // Now that it has a result, the box was lost.
        try remove("in/plain/boundingbox.json")
        let lost = try command("run", "--exclude-unsuited")
        #expect(lost.status == 1 && lost.output.contains("failed   plain  \(Self.lack)\n"), "\(lost)")
    }

    /// Of a copy that lacks something besides nobody can tell, and somebody has to go back to the device.
    @Test func whatLacksMoreFails() throws {
        try remove("in/lost/boundingbox.json")
        let night = try command("run", "--exclude-unsuited")
        #expect(night.status == 1 && night.output.contains("failed   lost  \(Self.lack)\n"), "\(night)")
        let line = night.errors.split(separator: "\n").last { $0.hasPrefix("trying lost again does not help: ") }
        #expect(line?.hasSuffix("; copy desk.depth.zlib too") == true, "\(night.errors)")
        // It alone would mend nothing.
        #expect(!night.errors.contains("\n      fix: "), "\(night.errors)")
    }

    /// A pipeline that suits nothing was mistaken for another one.
    @Test func nothingIsSuited() throws {
        for id in ["boxed", "lost"] { try remove("in/\(id)") }
        for _ in 1...2 {
            let night = try command("run", "--exclude-unsuited", "-q")
            #expect(night.status == 0)
            #expect(
                night.errors == "warning: the pipeline suits no capture: --exclude-unsuited left all of them out\n",
                "\(night)")
        }
    }

    /// Nor does a capture suit that does not say which way is up, where that is asked.
    @Test func upIsUnknown() throws {
        try folder.write(
            "stages: [read, decompress, unproject, voxel-downsample, find-floor, write-ply]\n", to: "boxes.yaml")
        try folder.copySample("scannet", to: "in/upless")
        for id in ["boxed", "lost", "plain"] { try remove("in/\(id)") }
        let night = try command("run", "--exclude-unsuited")
        #expect(night.status == 0, "\(night)")
        #expect(night.output.contains("excluded upless  the capture does not say which way is up, "), "\(night)")
    }
}
