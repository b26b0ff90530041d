import ScanModel
import ScanPipeline

/// The captures that a command line names, by whether they can be run; see ``FoundCaptures/toldApart(by:)``.
struct CaptureList {
    /// Captures that can be run.
    var inputs: [CaptureInput] = []
    /// Captures that cannot be run: names that are not safe, ids that occur twice.
    var refused: [CaptureOutcome] = []
    /// Captures that `--exclude` leaves out, in the order in which they were found.
    var excluded: [CaptureOutcome] = []
    /// Files and folders in which no capture was found, but those that `--exclude` names.
    var withoutCapture: [String] = []
    /// What a person should know of what was named.
    var warnings: [Problem] = []
    /// The formats that captures must have to be run, by the options or the pipeline; none for all.
    let formats: [String]
    /// How many captures are of other formats.
    var ofOtherFormats = 0
    /// The same for people; nil for none.
    var passedOver: String? {
        if ofOtherFormats == 0 { return nil }
        return ofOtherFormats.counted("capture", "of another format", "of other formats") + " passed over"
    }
    /// How many captures were asked for.
    var count: Int { inputs.count + refused.count + excluded.count }

    /// How many paths a message names.
    static let shown = 5
}
