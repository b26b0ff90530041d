import ScanModel

/// Which run still lacks a page.
extension RunRecord {
    /// The run that a report should be written for; nil if none. Usually the newest run that did work and has no
    /// report: it was killed or stopped before that, or told to write none. But if a later run did no work and yet
    /// changed what the report says, such as a failure that is over, it is that run. Nil while a run is at work: it
    /// will report itself.
    package static func unreported(in state: StateFolder) -> String? {
        if RunHold.isHeld(in: state) { return nil }
        // Runs that found all to be up to date may have come after it; a few are looked at. A page covers all captures.
        var newest: String?
        for name in names(in: state).suffix(10).reversed() {
            let isReported = FileSystem.exists("\(state.runs)/\(name)/\(pageName)")
            if isReported || didWork(name, in: state) {
                if let newest, corrects(newest, name, in: state) { return newest }
                return isReported ? nil : name
            }
            newest = newest ?? name
        }
        return nil
    }

    /// Whether a run published or failed any capture, or was ended before it could say.
    private static func didWork(_ run: String, in state: StateFolder) -> Bool {
        let path = "\(state.runs)/\(run)"
        guard FileSystem.exists("\(path)/\(outcomeName)") else { return FileSystem.exists("\(path)/\(planName)") }
        // Only those that were begun have a share.
        return outcome(of: run, in: state)?.captures.contains {
            $0.share != nil && ($0.ended == .done || $0.ended == .failed)
        } ?? false
    }

    /// Whether the later run knows better than the earlier one's report: a capture that was failed or waiting is up to
    /// date or gone, or `--exclude` began or ceased to apply to a failed one. False if a capture still waits that only
    /// the earlier run names.
    private static func corrects(_ later: String, _ earlier: String, in state: StateFolder) -> Bool {
        let named = outcome(of: later, in: state)?.captures ?? []
        let found = Dictionary(named.map { (PathKey($0.id), $0.ended) }, uniquingKeysWith: { $1 })
        var isCorrected = false
        for entry in entries(of: earlier, in: state) where !entry.isFine {
            switch found[PathKey(entry.id)] {
            case .done, .upToDate: isCorrected = true
            case .excluded where entry.ended == .failed, .failed where entry.ended == .excluded: isCorrected = true
            case nil where entry.ended != .failed: return false
            // Of one that still fails there is a note.
            case nil where !FailureNote.isKept(entry.id, in: state): isCorrected = true
            default: break
            }
        }
        return isCorrected
    }

    /// How it went for each capture; where the run has not said so, none of its plan was come to.
    private static func entries(of run: String, in state: StateFolder) -> [RunOutcome.Entry] {
        outcome(of: run, in: state)?.captures
            ?? captures(ofPlan: plan(of: run, in: state)).map { RunOutcome.Entry(unfinished: $0.id, input: $0.input) }
    }
}
