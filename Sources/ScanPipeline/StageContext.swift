import ScanModel
import Synchronization

/// What a stage is told while it works. A value: the capture in it is a snapshot from the start of the pass, with the
/// list of frames only in `checkFiles`, `prepare` and `begin`, since a list for every stage of a long capture would be
/// the largest thing in memory.
public struct StageContext: Sendable {
    /// The stage's name in this pipeline: `mask-range`, or `mask-range[2]` where it occurs more than once.
    public let label: String
    /// The capture's facts as they were when the pass began; the list of frames is empty everywhere but in `checkFiles`,
    /// `prepare` and `begin`.
    public internal(set) var capture: Capture
    /// Where the capture lies.
    public let input: CaptureInput
    /// Where the stage's files go. Paths are relative to the result; those that only this stage writes are its
    /// ``Uses/claims``.
    public let output: OutputFolder
    /// The channels that are there when the stage's turn comes.
    public let available: Set<Channel>
    /// The channels that this stage looks at, every "one of these" decided for this capture.
    public let reads: Set<Channel>
    /// The channels that later stages of this pass read: what is not wanted need not be made, or kept.
    public let wanted: Set<Channel>
    /// Whether a stage above is certain to drop some of the frames during the pass.
    public let leavesFramesOut: Bool
    let files: [String: OptionFile]
    let notes: StageNotes
    let memo: Memo

    /// What all frames share and has to be made once, such as a box read from a file. It stays what it was when it was
    /// first asked for, in `prepare`, in `begin` or at a frame: a later pass that calls the stage again changes frames
    /// as the first did, whatever has become of the capture. A stage has one such value; a tuple holds several.
    public func once<Value: Sendable>(_ make: () throws(Problem) -> Value) throws(Problem) -> Value {
        try memo.value(make)
    }

    /// A small file that an option names: beside the capture's own files, or else beside the pipeline. The stage declares
    /// it in ``Uses/files``.
    /// - Parameter path: as the option has it.
    public func file(_ path: String) throws(Problem) -> [UInt8] {
        guard let bytes = files[name(of: path)]?.bytes else {
            throw Problem(.tool, "a stage reads a file that it does not declare").at(file: path)
        }
        return bytes
    }

    /// Whether such a file is not there for this capture, where the stage does without.
    public func lacks(_ path: String) -> Bool { files[name(of: path)].map { $0.bytes == nil } ?? false }

    /// What such a file is called for this capture, for messages.
    public func name(of path: String) -> String { OptionFile.name(path, input) }

    /// The same without the list of frames, for what outlives `begin`: with a second owner, the list is copied when it
    /// changes.
    public var withoutFrames: StageContext {
        var copy = self
        copy.capture.frames = []
        return copy
    }

    /// Adds to a count in the receipt.
    public func count(_ name: String, _ amount: Int) { notes.add(name, amount) }

    /// Puts a value into the receipt, beside the counts; of several with one name, the last stays. Not for `process`,
    /// whose frames come in any order.
    public func record(_ name: String, _ value: JSONValue) { notes.set(name, value) }

    /// Tells the user something that does not stop the run. The same text is kept once.
    public func warn(_ text: String) { notes.warn(text) }

    /// The same of what spoils all that is made of the capture. A run that is asked to be quiet says it too, and where a
    /// stage below finds nothing, it comes first.
    public func warnSpoiling(_ text: String) { notes.warn(text, isSpoiling: true) }

    /// The same for one of many frames: the first three are named, with the number of the others.
    /// - Parameters:
    ///   - other: what happened to one more: "picture was passed over".
    ///   - others: the same in the plural: "pictures were passed over".
    public func warn(_ text: String, ofFrame index: Int, other: String, others: String) {
        notes.warn(text, ofFrame: index, (other, others))
    }

    /// What has been counted under a name so far: at the end of a pass, for all its frames.
    public func counted(_ name: String) -> Int { notes.counted(name) }

    /// Tells the user what follows from the pipeline: it does not count against the capture, and a run says the same
    /// text once for all captures.
    public func note(_ text: String) { notes.note(text) }
}

/// A place for one value that is made at its first use.
final class Memo: Sendable {
    private let made = Mutex<Result<any Sendable, Problem>?>(nil)

    func value<Value: Sendable>(_ make: () throws(Problem) -> Value) throws(Problem) -> Value {
        let result = made.withLock { made -> Result<any Sendable, Problem> in
            if let made { return made }
            let fresh: Result<any Sendable, Problem>
            do throws(Problem) { fresh = .success(try make()) } catch { fresh = .failure(error) }
            made = fresh
            return fresh
        }
        guard let value = try result.get() as? Value else {
            throw Problem(.tool, "a stage shares values of two types")
        }
        return value
    }
}

/// What a stage leaves in the receipt. Sums of whole numbers, so that the order of frames does not show.
final class StageNotes: Sendable {
    struct Values: Sendable {
        var counts: [String: Int] = [:]
        var records: [(String, JSONValue)] = []
        var warnings: Set<String> = []
        var spoiling: Set<String> = []
        var examples: [String: Examples] = [:]
        var remarks: Set<String> = []
    }

    /// Of what happened to many frames.
    struct Examples: Sendable {
        private static let most = 3
        /// What happened to those that are only counted.
        let others: (one: String, many: String)
        private var first: [(frame: Int, text: String)] = []
        private var count = 0

        init(others: (one: String, many: String)) { self.others = others }

        mutating func add(_ text: String, ofFrame frame: Int) {
            count += 1
            first.append((frame, text))
            // Which frame came first depends on the workers.
            first.sort { $0.frame < $1.frame }
            if first.count > Self.most { first.removeLast() }
        }

        var texts: [String] {
            let more = count - first.count
            return first.map(\.text) + (more > 0 ? ["\(more) more \(more == 1 ? others.one : others.many)"] : [])
        }
    }

    private let values = Mutex(Values())

    func add(_ name: String, _ amount: Int) { values.withLock { $0.counts[name, default: 0] += amount } }

    func counted(_ name: String) -> Int { values.withLock { $0.counts[name] ?? 0 } }

    func set(_ name: String, _ value: JSONValue) {
        values.withLock { values in
            values.records.removeAll { $0.0 == name }
            values.records.append((name, value))
        }
    }

    func warn(_ text: String, isSpoiling: Bool = false) {
        values.withLock { values in
            values.warnings.insert(text)
            if isSpoiling { values.spoiling.insert(text) }
        }
    }

    func warn(_ text: String, ofFrame index: Int, _ others: (one: String, many: String)) {
        values.withLock { $0.examples[others.many, default: Examples(others: others)].add(text, ofFrame: index) }
    }

    func note(_ text: String) { values.withLock { _ = $0.remarks.insert(text) } }

    /// Those about many frames, in frame order, then the others, alphabetically: which frame meets one first depends on
    /// the workers.
    var warnings: [String] {
        values.withLock { values in
            let ofFrames = values.examples.sorted { $0.key < $1.key }.flatMap(\.value.texts)
            return ofFrames + values.warnings.sorted()
        }
    }

    /// Of the warnings, those of what spoils all that is made of the capture.
    var spoiling: [String] { values.withLock(\.spoiling).sorted() }

    /// What follows from the pipeline, in the same order.
    var remarks: [String] { values.withLock(\.remarks).sorted() }

    /// Counts in alphabetical order, then records as they came.
    var json: JSONObject {
        values.withLock { values in
            var object = JSONObject(values.counts) { .of($0) }
            for (name, value) in values.records { object[name] = value }
            return object
        }
    }
}
