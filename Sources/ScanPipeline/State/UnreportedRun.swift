import ScanModel

/// Which run still lacks a page.
extension RunRecord {
    /// The newest run that did anything, if it has no report: it was killed or stopped before that, or told to write none.
    /// In its place, or where it has one, a later run that did nothing and puts that report right: a failure that was
    /// mended without a result being made again would else be read about for ever. Nil while any run is at work, as
    /// it may be that one.
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

    /// Whether a run found a capture up to date, or gone, of which an earlier one says that it failed or waits, or was told
    /// to leave out one that failed, or no longer to. Not where a capture waits of which the earlier one alone tells.
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
            case nil where !FileSystem.exists(state.failure(entry.id)): isCorrected = true
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

extension RunOutcome.Entry {
    /// Whether the capture has its result, whatever ended its process afterwards.
    fileprivate var isFine: Bool {
        ended == .done || ended == .upToDate || problem?.leavesNewResult(of: id) == true
    }
}
