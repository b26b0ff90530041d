import ScanPipeline

extension NightReport {
    /// What a person would type next.
    /// - Parameter others: captures that failed as it did, for the same command.
    func nextCommands(for capture: CaptureFacts, and others: [CaptureFacts] = []) -> [String] {
        guard let input = capture.input, !capture.isGone else { return [] }
        // A name that is not text cannot be typed.
        if FileSystem.isMended(run?.place(of: input) ?? input) { return [] }
        var commands: [String] = []
        if let run, var command = run.command {
            if capture.status == .failed {
                let all = [capture] + others.filter { $0.input != nil }
                if all.contains(where: { $0.failure?.damage == .unnoticed }), !command.further.contains("--force") {
                    command.further.append("--force")
                }
                if capture.isRepeatable {
                    let choice = all.flatMap { PublishedResult.only($0.id) }
                    commands.append(command.again(all.compactMap(\.input), choice))
                }
            } else if capture.status != .waiting,
                let remedy = capture.warnings.firstNonNil(Hole.init)?.remedy(in: run.pipeline)
            {
                // The capture itself has no hole, so that a look at it tells nothing.
                command.settings = remedy.added(to: command.settings)
                commands.append(command.again([input], PublishedResult.only(capture.id)))
            }
        }
        return commands + [CommandWords.line(["scanmill", "inspect", CommandWords.path(input)])]
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
