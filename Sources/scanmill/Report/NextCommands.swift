import ScanModel
import ScanPipeline

extension NightReport {
    /// What a person would type next.
    /// - Parameter others: captures that failed or have lost something as it did, for the same command, which names a few
    ///   of them or runs all of the same again.
    func nextCommands(for capture: CaptureFacts, and others: [CaptureFacts] = []) -> [String] {
        guard let input = capture.input, !capture.isGone else { return [] }
        // A name that is not text cannot be typed.
        if FileSystem.isMended(run?.place(of: input) ?? input) { return [] }
        var commands: [String] = []
        if let run, var command = run.command {
            if others.isEmpty, let setting = setting(for: capture) {
                // The capture itself has no hole, and reads well as declared, so that a look at it tells nothing.
                command.settings = setting.added(to: command.settings)
                commands.append(command.again([input], choice(of: [capture])))
            } else if capture.status == .failed || capture.status != .waiting && !capture.copyLosses.isEmpty {
                let all = repeatable([capture] + others)
                let named = Array(all.prefix(RunRecord.Command.mostNamed))
                if named.contains(where: { $0.failure?.damage == .unnoticed }), !command.further.contains("--force") {
                    command.further.append("--force")
                }
                if canRunAllAgain(all) {
                    commands.append(command.again(command.inputs, command.choice, retries: false))
                } else if !named.isEmpty {
                    commands.append(command.again(named.compactMap(\.input), choice(of: named)))
                }
            }
        }
        return commands + [CommandWords.line(["scanmill", "inspect", ShellWord.path(input)])]
    }

    /// The setting that makes up for what is wrong with a capture's result, where there is one.
    private func setting(for capture: CaptureFacts) -> OptionSetting? {
        guard capture.status == .ready || capture.status == .look else { return nil }
        // What is wrong with the poses is wrong with all that follows.
        if capture.measured.geometry?.verdict == "fail" {
            return capture.warnings.filter { $0.contains("the geometry is wrong: ") }
                .firstNonNil(OptionSetting.init(endOf:))
        }
        return capture.warnings.firstNonNil(Hole.init)?.remedy(in: run?.pipeline)
    }

    /// Those of captures that a run can try again.
    func repeatable(_ captures: [CaptureFacts]) -> [CaptureFacts] {
        captures.filter { $0.isRepeatable && $0.input != nil }
    }

    /// Whether captures are so many that the same run once more is the command for them: it tries those that were mended
    /// since, and passes over the others.
    func canRunAllAgain(_ captures: [CaptureFacts]) -> Bool {
        guard captures.count > RunRecord.Command.mostNamed, let run, let command = run.command,
            !command.inputs.isEmpty, !command.further.contains("--force"),
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
