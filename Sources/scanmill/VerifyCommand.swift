import ArgumentParser
import ScanModel
import ScanPipeline

struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Reads every published file again and compares it with its receipt.",
        discussion: """
            Exit code 3 when a file is missing, cannot be read or has different bytes, or when a folder that may be a \
            result cannot be looked into; 2 when nothing was run into the folder. A fault that many files share is \
            shown in full for the first five. What others have put into a result, such as a model that was trained \
            there, is named, and does not make it damaged.
            """)

    @Argument(help: ArgumentHelp("The folder with the results.", valueName: "out"), completion: .directory)
    var output: String
    @Flag(help: "Print JSON.") var json = false

    func run() throws {
        let state = StateFolder(output: output)
        try Console.orExit { () throws(Problem) in try NamedPath.requireOutput(output) }
        var results: [(id: String, found: PublishedResult.Verification)] = []
        let said = RepeatedMessages()
        var isShortened = false
        // Reading everything may take long, so what is found is said at once.
        func note(_ id: String, _ found: PublishedResult.Verification) {
            results.append((id, found))
            if json { return }
            for problem in found.defects {
                let isNew = !said.news(in: ["\(problem.summary)\n\(problem.fix ?? "")"], of: id).isEmpty
                isShortened = isShortened || !isNew
                Console.error(isNew ? problem.message() : "error: \(problem.oneLine)")
            }
            if found.added.isEmpty { return }
            let files = found.added.count.counted("file", "is", "are")
            let names = Console.visible(found.added.listed(most: 5))
            Console.error("note: \(Console.visible(id)): \(files) not part of the result: \(names)")
        }
        for id in state.published {
            let found = PublishedResult.verify(id, in: output)
            // Results are moved away in the morning.
            if found.defects.isEmpty && !FileSystem.leads("\(output)/\(id)") { continue }
            note(id, found)
        }
        for (id, problem) in state.lost { note(id, .init(defects: [problem])) }
        let (count, damaged) = (results.count, results.count { !$0.found.defects.isEmpty })
        let obscure = state.obscure
        for (id, problem) in obscure { note(id, .init(defects: [problem])) }
        if json {
            Console.out(
                .array(
                    results.map { id, found in
                        .object([
                            "id": .string(id), "sound": .bool(found.defects.isEmpty),
                            "problems": .of(found.defects.map(\.oneLine)),
                            "fixes": .of(found.defects.compactMap(\.allFixes)), "added": .of(found.added),
                        ])
                    }))
        } else {
            let more = obscure.isEmpty ? "" : "; \(obscure.count.counted("folder")) could not be looked into"
            Console.out("\(count.counted("result")): \(count - damaged) sound, \(damaged) damaged\(more)")
            if isShortened { Self.sayRemedies(results.map(\.found), damaged: damaged) }
        }
        if damaged > 0 || !obscure.isEmpty { throw ExitCode(ExitStatus.environment) }
    }

    /// What to do about results that are too many for a fix at each of their files.
    private static func sayRemedies(_ found: [PublishedResult.Verification], damaged: Int) {
        func say(_ count: Int, _ remedy: (_ who: String, _ them: String) -> String) {
            if count == 0 { return }
            let who = count.counted(of: damaged, "damaged result", "has", "have")
            Console.error(remedy(who, count == 1 ? "it" : "them"))
        }
        say(found.count(where: \.isSeenByRuns)) { who, them in
            "\(who) a damaged receipt, or files that are missing or have another size: the next run makes \(them) again, "
                + "if the capture is still there"
        }
        say(found.count(where: \.needsForce)) { who, them in
            "\(who) files that are damaged otherwise: make \(them) again with  scanmill run … --only ID --force"
        }
    }
}
