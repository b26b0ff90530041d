import ScanModel
import ScanPipeline

/// What a person would type next.
struct NextSteps {
    /// Each as a line for a shell.
    var commands: [String] = []
    /// How many captures can be tried again, and whether the first command takes all of them; otherwise it names the
    /// first few. Nil where no command tries any again.
    var tries: (count: Int, areAll: Bool)?
    /// Whether it is the same run again that takes all of them, and no command: what it was given is too much to type, or
    /// is not known.
    var isSameRun = false
}

extension NightReport {
    /// What to do about a capture.
    /// - Parameter others: captures that failed or have lost something as it did, for the same command, which names a few
    ///   of them or runs all of the same again.
    func nextSteps(for capture: CaptureFacts, and others: [CaptureFacts] = []) -> NextSteps {
        var steps = NextSteps()
        guard let input = capture.input, !capture.isGone else { return steps }
        // A name that is not text cannot be typed.
        if FileSystem.isMended(run?.place(of: input) ?? input) { return steps }
        if let run, var command = run.command {
            if others.isEmpty, let setting = setting(for: capture) {
                // The capture itself has no gap, and reads well as declared, so that a look at it tells nothing.
                command.settings = setting.added(to: command.settings)
                steps.commands.append(command.again([input], choice(of: [capture])))
            } else if capture.status == .failed || capture.status != .waiting && !capture.copyLosses.isEmpty {
                let all = ([capture] + others).filter { $0.isRepeatable && $0.input != nil }
                let areAll = canRunAllAgain(all)
                if !all.isEmpty { steps.tries = (all.count, areAll) }
                let named = Array(all.prefix(RunRecord.Command.mostNamed))
                if named.contains(where: { $0.failure?.damage == .unnoticed }), !command.further.contains("--force") {
                    command.further.append("--force")
                }
                if areAll && command.inputs.isEmpty {
                    steps.isSameRun = true
                } else if areAll {
                    steps.commands.append(command.again(command.inputs, command.choice, retries: false))
                } else if !named.isEmpty {
                    steps.commands.append(command.again(named.compactMap(\.input), choice(of: named)))
                }
            }
        }
        steps.commands.append(CommandWords.line(["scanmill", "inspect", ShellWord.path(input)]))
        return steps
    }

    /// The setting that makes up for what is wrong with a capture's result, where there is one.
    private func setting(for capture: CaptureFacts) -> OptionSetting? {
        guard capture.status == .ready || capture.status == .look else { return nil }
        // What is wrong with the poses is wrong with all that follows.
        if let geometry = capture.measured.geometry, geometry.verdict == "fail" {
            return geometry.remedy.flatMap(OptionSetting.init(endOf:))
        }
        return capture.warnings.firstNonNil(ReportedGap.init)?.remedy(in: run?.pipeline)
    }

    /// Whether captures are so many that the same run once more is the command for them: it tries those that were mended
    /// since, and passes over the others.
    private func canRunAllAgain(_ captures: [CaptureFacts]) -> Bool {
        guard captures.count > RunRecord.Command.mostNamed, let run, let command = run.command,
            !command.further.contains("--force"),
            !captures.contains(where: { $0.failure?.damage == .unnoticed })
        else { return false }
        // What an earlier run failed on may not be among what this one was given.
        let known = Set(run.entries.map { PathKey($0.id) })
        return captures.allSatisfy { known.contains(PathKey($0.id)) }
    }

    /// The words that choose captures where their paths hold others, too.
    private func choice(of captures: [CaptureFacts]) -> [String] {
        let isClear = captures.allSatisfy { capture in
            capture.input.map { !crowdedPlaces.contains(Self.place(of: $0, run)) } ?? true
        }
        return isClear ? [] : captures.flatMap { PublishedResult.only($0.id) }
    }

    private static func place(of input: String, _ run: RunFacts?) -> String {
        String((run?.place(of: input) ?? input).withoutSlashBehind)
    }

    /// What ``crowdedPlaces`` holds.
    static func crowdedPlaces(_ captures: [CaptureFacts], _ run: RunFacts?) -> Set<String> {
        var seen: Set<String> = []
        var crowded: Set<String> = []
        for input in captures.compactMap(\.input) {
            let place = place(of: input, run)
            if !seen.insert(place).inserted { crowded.insert(place) }
            var folder = FileSystem.parent(of: place)
            while crowded.insert(folder).inserted { folder = FileSystem.parent(of: folder) }
        }
        return crowded
    }

    /// Why there are none where the capture is gone; nil where its problem says so.
    func loss(of capture: CaptureFacts) -> HTML? {
        guard capture.isGone, capture.failure?.damage != .lost, let input = capture.input else { return nil }
        let place: HTML = "The capture is no longer at <code>\(input)</code>"
        if !capture.hasResult { return "\(place)." }
        let isOfAnother = capture.pipeline != nil && capture.pipeline != pipeline.map(Digest.of)
        let whose: HTML = isOfAnother ? ", which is from another version of the pipeline," : ""
        return "\(place): without it the result\(whose) cannot be made again."
    }
}
