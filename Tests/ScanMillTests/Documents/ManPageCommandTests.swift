import Foundation
import ScanPipeline
import ScanStages
import TestSupport
import Testing

@Suite struct ManPageCommandTests {
    private static func page() throws -> String {
        let result = try Scanmill.run(["man-page"])
        #expect(result.status == 0)
        return result.output
    }

    private static func has(_ program: String) -> Bool {
        let there = (try? runCommand(["sh", "-c", "command -v \(program)"]).status) == 0
        if !there { print("SKIPPED: the manual page in \(program), which is missing") }
        return there
    }

    @Test(arguments: [["mandoc", "-Tlint"], ["groff", "-man", "-ww", "-z", "-Tutf8"]])
    func isTakenWithoutAWarning(_ checker: [String]) throws {
        guard Self.has(checker[0]) else { return }
        let folder = try TemporaryFolder()
        let page = try folder.write(try Self.page(), to: "scanmill.1")
        let result = try runCommand(checker + [page])
        // A machine whose clock is behind says nothing of the page.
        let said = (result.output + result.errors).split(separator: "\n")
        #expect(said.filter { !$0.contains("date in the future") } == [])
        #expect(result.status == 0 || !said.isEmpty)
        // The checker does find fault.
        try folder.write(".TH A 1 2026-11-22\n.SH NAME\na \\- b\n.XY\n.PP\n\\*[nothing]\n", to: "scanmill.1")
        let faulty = try runCommand(checker + [page])
        #expect(faulty.output + faulty.errors != "")
    }

    /// What people see holds every command, option, stage and exit code, and nothing that is hidden.
    @Test func saysEverything() throws {
        guard Self.has("mandoc") else { return }
        let folder = try TemporaryFolder()
        let page = try folder.write(try Self.page(), to: "scanmill.1")
        let text = try runCommand(["mandoc", "-Tutf8", "-Owidth=500", page]).output
            .replacing(/.\u{8}/, with: "")
        for heading in ["NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "STAGES", "EXIT STATUS", "FILES", "EXAMPLES"] {
            #expect(text.contains("\n\(heading)\n"), "\(heading)")
        }
        let help = try Scanmill.run(["--help"]).output
        let commands = help.components(separatedBy: "SUBCOMMANDS:").last?.matches(of: #/(?m)^  ([a-z]+) {2}/#) ?? []
        #expect(commands.count >= 12)
        for command in commands {
            #expect(text.contains("scanmill \(command.1)"))
            let options = try Scanmill.run([String(command.1), "--help"]).output.matches(of: #/(?m)^ +.*?(--[a-z-]+)/#)
            for option in options where !["--help", "--version"].contains(option.1) {
                #expect(text.contains(option.1), "\(command.1) \(option.1)")
            }
        }
        for entry in StageLibrary.builtIn.entries {
            #expect(text.contains(entry.card.name))
            #expect(text.contains(entry.card.summary.filter { $0 != "`" }), "\(entry.card.name)")
        }
        for code in ["75", "129, 130, 143", "3      the environment"] { #expect(text.contains(code)) }
        #expect(text.contains("receipt.json"))
        #expect(
            text.contains(
                "scanmill run /etc/scanmill/nightly.yaml /captures -o /results --settle 10m --until 06:00 -q\n"))
        #expect(!text.contains("run-one-capture") && !text.contains("man-page"))
    }

    /// Whatever a declaration says, none of it steers troff.
    @Test func nothingSteersTroff() throws {
        for line in try Self.page().split(separator: "\n") where line.hasPrefix(".") {
            let request = line.dropFirst().prefix { $0 != " " }
            #expect(["TH", "SH", "SS", "TP", "PP", "br", "BR", "RS", "RE", "EX", "EE"].contains(request), "\(line)")
        }
    }
}
