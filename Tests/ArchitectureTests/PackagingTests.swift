import Foundation
import TestSupport
import Testing

/// What is shipped beside the binary.
@Suite struct PackagingTests {
    private let units = SharedData.checkout.appendingPathComponent("packaging/systemd")
    private let article = SharedData.checkout.appendingPathComponent(
        "Sources/ScanStages/ScanStages.docc/EveryNight.md")

    private static let hasSystemd = {
        let there = (try? runCommand(["systemd-analyze", "--version"]).status) == 0
        if !there { print("SKIPPED: the systemd units, because there is no systemd-analyze") }
        return there
    }()

    /// With the programs and folders that a machine for tests has, in place of the shipped ones.
    @Test(.enabled(if: hasSystemd)) func systemdTakesTheUnits() throws {
        let folder = try TemporaryFolder()
        for name in ["scanmill.service", "scanmill.timer"] {
            var text = try String(contentsOf: units.appendingPathComponent(name), encoding: .utf8)
            text = text.replacingOccurrences(of: "/usr/local/bin/scanmill", with: "/bin/true")
            text = text.replacingOccurrences(of: "User=scanmill", with: "User=root")
            try folder.write(text, to: name)
        }
        let result = try runCommand(
            ["systemd-analyze", "verify", "--man=no", "scanmill.service", "scanmill.timer"], in: folder.path)
        #expect(result.status == 0)
        #expect(!result.errors.contains("scanmill."), "\(result.errors)")
    }

    /// One capture too large, or a stop, is no failed night; and cron searches programs in few folders.
    @Test func theNightIsNotLostWithACapture() throws {
        let service = try String(contentsOf: units.appendingPathComponent("scanmill.service"), encoding: .utf8)
        #expect(service.contains("\nOOMPolicy=continue\n"))
        #expect(service.contains("\nSuccessExitStatus=1 75 143\n"))
        let page = try String(contentsOf: article, encoding: .utf8)
        let line = try #require(page.split(separator: "\n").first { $0.hasPrefix("0 22 * * *") })
        #expect(line.contains("  /usr/local/bin/scanmill run "))
    }

    /// The commands that the unit, the article and the README show are ones that the tool takes.
    @Test func shownOptionsExist() throws {
        let help = try ["run", "status"].map { try Scanmill.run([$0, "--help"]).output }.joined()
        let service = try String(contentsOf: units.appendingPathComponent("scanmill.service"), encoding: .utf8)
        // Others of README's commands have options of their own.
        let readme = try String(contentsOf: SharedData.checkout.appendingPathComponent("README.md"), encoding: .utf8)
        let runs = readme.split(separator: "\n").filter { $0.contains("scanmill run ") }.joined(separator: "\n")
        #expect(runs.contains("--"))
        let texts = [service, try String(contentsOf: article, encoding: .utf8), runs]
        // Slurm and GNU parallel have options of their own.
        let lines = texts.flatMap { $0.split(separator: "\n") }.filter {
            !$0.contains("sbatch") && !$0.contains("parallel --")
        }
        let options = lines.flatMap { text in
            text.matches(of: /(?:^|[\s`])(--[a-z][a-z-]+)/).map { String($0.1) }
        }
        #expect(Set(options).isSuperset(of: ["--settle", "--until", "--min-free", "--metrics"]))
        for option in Set(options).subtracting(["--now", "--no-block"]) {
            #expect(help.contains("\(option) ") || help.contains("\(option)\n"), "\(option)")
        }
    }
}
