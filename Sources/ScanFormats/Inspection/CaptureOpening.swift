import Glibc
import ScanModel

/// Opens a damaged capture as far as that is possible, whatever its format.
enum CaptureOpening {
    /// Opens under forgiving rules. When a file stops that, it is set aside and opening starts over without it, as long
    /// as the format still recognises what is left.
    /// - Parameter patience: see ``RunResources/patience``.
    /// - Returns: the capture, nil where even so it cannot be opened; and the problems that were in the way.
    static func open(
        _ tree: any CaptureTree, as format: any CaptureFormat.Type, patience: Int = RunResources.usualPatience
    ) -> (capture: Capture?, problems: [Problem]) {
        var rules = ReadRules.forgiving
        rules.resources = RunResources(threads: max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))), patience: patience)
        var aside: Set<String> = []
        var problems: [Problem] = []
        while true {
            // A format may only take a tree of a certain kind.
            let rest = aside.isEmpty ? tree : PartialTree(whole: tree, aside: aside)
            do throws(Problem) {
                var capture = try format.open(rest, rules: rules)
                capture.resources = rules.resources
                return (capture, problems)
            } catch let problem {
                let error = problem.traced(in: tree)
                // Some readers open a file even though it was set aside, and fail in the same way again.
                if !problems.contains(error) { problems.append(error) }
                guard let file = error.place.file, tree.entry(file) != nil, aside.insert(file).inserted,
                    isStill(format, PartialTree(whole: tree, aside: aside))
                else { return (nil, problems) }
            }
        }
    }

    private static func isStill(_ format: any CaptureFormat.Type, _ rest: PartialTree) -> Bool {
        format.recognise(rest) != nil || format.remains(of: rest) != nil
    }
}

/// A capture's files, of which some are set aside because they cannot be read.
struct PartialTree: CaptureTree {
    let whole: any CaptureTree
    let aside: Set<String>

    var name: String { whole.name }
    var nameAbove: String? { whole.nameAbove }

    func entries(in folder: String) -> [CaptureEntry] {
        if aside.contains(folder) { return [] }
        return whole.entries(in: folder).map { marked($0, path: $0.name.path(in: folder)) }
    }

    func entry(_ path: String) -> CaptureEntry? { whole.entry(path).map { marked($0, path: path) } }

    func spelling(of name: String, in folder: String) -> String? { whole.spelling(of: name, in: folder) }

    func open(_ file: String) throws(Problem) -> any ByteSource { try whole.open(file) }

    func location(of file: String) -> FileLocation? { whole.location(of: file) }
    func holds(_ file: String) -> Bool { whole.holds(file) }
    func place(_ file: String) throws(Problem) -> FileLocation { try whole.place(file) }

    private func marked(_ entry: CaptureEntry, path: String) -> CaptureEntry {
        aside.contains(path) ? CaptureEntry(name: entry.name, kind: .other(.setAside)) : entry
    }
}
