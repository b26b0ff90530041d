import Foundation
import TestSupport
import Testing

extension Torture {
    /// A night on more than one machine: the commands of the page about it, word for word.
    @Suite struct ManyMachinesTests {
        @Test func slurmDoesEachCaptureOnce() throws {
            guard Torture.has(.root, .slurm, for: "a night on Slurm") else { return }
            let night = try Night(["a", "b", "c", "d", "e", "f"])
            let cluster = try SlurmCluster(nodes: 3)
            try night.submit(to: cluster)
            try cluster.waitForAllJobs()
            let said = try night.jobs()
            #expect(said.tasks.count == 3, "\(said)")
            let done = said.tasks.flatMap { Rig.done(in: $0) }
            #expect(done.sorted() == night.rig.ids, "\(said)")
            #expect(said.last.contains("6 up to date"), "\(said)")
            try night.requireWhole()
        }

        @Test func whatMachinesLeftTheLastJobFinishes() throws {
            guard Torture.has(.root, .slurm, for: "a night on Slurm that loses its machines") else { return }
            let night = try Night((1...24).map { "c\($0)" })
            let cluster = try SlurmCluster(nodes: 3)
            // Each task's machine goes when it has done a capture and has begun another: nothing is tidied up.
            try night.rig.folder.writeProgram(
                """
                #!/bin/sh
                case "$*" in *--no-report*) ;; *) exec \(Scanmill.path) "$@" ;; esac
                \(Scanmill.path) "$@" > said.$$ & run=$!
                until grep -q "^done " said.$$ || ! kill -0 $run; do sleep 0.01; done
                kill -9 $run $$
                """, to: "mortal/scanmill")
            try night.submit(to: cluster, tool: night.rig.folder.url("mortal").path)
            try cluster.waitForAllJobs()
            let said = try night.jobs()
            let (all, left) = (night.rig.ids.count, Rig.done(in: said.last).count)
            let summary = left == all ? "\(all) done;" : "\(left) done, \(all - left) up to date;"
            #expect(said.last.contains("\(all) captures: \(summary)"), "\(said)")
            #expect((1..<all).contains(left), "\(said)")
            Torture.say("three machines that go: \(all - left) of \(all) captures done, the last job does \(left)")
            try night.requireWhole()
        }

        /// Without machines to log in to: what takes the place of ssh drops the name and runs the command here. It sets
        /// SHELL, as each login does: without it GNU parallel's worker does nothing and says nothing.
        @Test func gnuParallelDoesEachCaptureOnce() throws {
            guard Torture.has(.parallel, for: "a night with GNU parallel") else { return }
            let night = try Night(["a", "b", "c", "d", "e", "f"])
            let shell = try night.rig.folder.writeProgram(
                """
                #!/bin/sh
                shift
                [ "$1" = -- ] && shift
                SHELL=/bin/sh exec sh -c "$*"
                """, to: "ssh")
            let said = try night.run("parallel", environment: ["PARALLEL_SSH": shell])
            #expect(Rig.done(in: said.output).sorted() == night.rig.ids, "\(said)")
            #expect(said.output.contains("6 captures: 6 up to date"), "\(said)")
            try night.requireWhole()
        }
    }
}

/// Captures, and the commands of the page that takes them through a night.
private struct Night {
    let rig: Rig

    /// The folder of the tool that was built.
    static let tools = URL(fileURLWithPath: Scanmill.path).deletingLastPathComponent().path

    init(_ ids: [String]) throws { rig = try Rig(ids) }

    /// The commands of the page's block that speaks of a program.
    private func commands(of program: String) throws -> String {
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "../../Sources/ScanStages/ScanStages.docc/EveryNight.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let section = text.components(separatedBy: "## More than one machine").last ?? ""
        let blocks = section.components(separatedBy: "```console\n").dropFirst().map {
            $0.components(separatedBy: "```")[0]
        }
        guard let block = blocks.first(where: { $0.contains(program) }) else {
            throw TestError("the page says nothing of \(program)")
        }
        let lines = block.split(separator: "\n").map { $0.dropFirst("$ ".count) }.joined(separator: "\n")
        let changes = [
            ("/share/nightly.yaml", "torture.yaml"), ("/share/captures", "in"), ("/share/results", rig.output),
            (" --array=1-8 ", " --array=1-3 --output=task-%a.txt "),
            (" --cpus-per-task=8 --wrap \"$night;", " --output=last.txt --wrap \"$night;"),
            (" --cpus-per-task=8", ""), (" --jobs 8", " --jobs 1"),
        ]
        return changes.reduce(lines) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
    }

    @discardableResult
    func run(
        _ program: String, environment: [String: String] = [:], tool: String = Night.tools
    ) throws -> CommandResult {
        let path = "\(tool):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
        return try runCommand(
            ["sh", "-c", commands(of: program)], in: rig.folder.path,
            environment: environment.merging(["PATH": path]) { $1 }
        ).require(0)
    }

    /// - Parameter tool: the folder of the `scanmill` that the jobs run.
    func submit(to cluster: SlurmCluster, tool: String = Night.tools) throws {
        try run("sbatch", environment: cluster.environment, tool: tool)
    }

    /// What the tasks and the last job said.
    func jobs() throws -> (tasks: [String], last: String) {
        let names = try FileManager.default.contentsOfDirectory(atPath: rig.folder.path)
        let said = { (name: String) in String(decoding: try rig.folder.bytes(name), as: UTF8.self) }
        return (try names.filter { $0.hasPrefix("task-") }.sorted().map(said), try said("last.txt"))
    }

    /// Every result is the one of an undisturbed run, and the report is there.
    func requireWhole() throws {
        #expect(rig.findings([.new], orAbsent: false) == [])
        #expect(rig.names(".scanmill/work") == [])
        #expect(rig.names(".scanmill").contains("report.html"))
    }
}
