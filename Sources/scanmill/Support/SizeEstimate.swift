import FoundationEssentials
import ScanFormats
import ScanModel
import ScanPipeline

/// What a plan's captures will need.
struct SizeEstimate {
    /// Nil when there is no result yet to go by.
    var output: Int64?
    /// What of it takes the place of older results.
    var replaced: Int64?
    /// What must be free for it.
    var needed: Int64?
    var free: Int64?
    let memory: UsualMemory

    init(_ plan: BatchPlan, output root: String, memory: UsualMemory) {
        self.memory = memory
        free = FreeSpace.bytes(at: root)
        // The ratios of results' sizes to their inputs', one after another until there are enough to go by.
        var ratios: [Double] = []
        var known: [String: Int64] = [:]
        // What is only compared is most likely up to date.
        let toWrite = plan.certainToRun
        let running = Set(toWrite.map(\.id))
        for id in StateFolder(output: root).published where ratios.count < 50 || running.contains(id) {
            guard let result = PublishedResult(id, in: root), result.inputBytes > 0 else { continue }
            known[id] = result.byteCount
            ratios.append(Double(result.byteCount) / Double(result.inputBytes))
        }
        guard let usual = ratios.middle else { return }
        let older = toWrite.compactMap { known[$0.id].map(Double.init) }.sorted(by: >)
        let new = toWrite.filter { known[$0.id] == nil }.map { Double(CaptureSize.bytes(of: $0.path)) * usual }
        let (ofOlder, ofNew) = (older.reduce(0, +), new.reduce(0, +))
        // A damaged receipt may give any size.
        guard ofOlder + ofNew < 1e17 else { return }
        output = Int64((ofOlder + ofNew).rounded())
        replaced = Int64(ofOlder.rounded())
        // Each result replaces its older one as soon as it is whole: both are there only of captures that run at once.
        let sideBySide = CoreShares(cores: MachineShare.own.cores, captures: toWrite.count)
        needed = Int64((older.prefix(sideBySide.sideBySide).reduce(ofNew, +) * 1.1).rounded())
    }

    var text: String {
        let written =
            output.map { "about \(Console.size($0)) would be written" }
            ?? "how much would be written is not known before the first result"
        let replacing = replaced.flatMap { bytes in
            let part = bytes == output ? "" : ", \(Console.size(bytes)) of it"
            return bytes == 0 ? nil : "\(part) in place of older results"
        }
        let room = free.map { "\(Console.size($0)) are free" } ?? "free space is not known"
        let keeping = needed.map { ", so keep \(Console.size($0)) free" } ?? ""
        return "\(written)\(replacing ?? "")\(keeping); \(room); \(memory.text)"
    }
}

/// Bytes of everything in a capture.
private enum CaptureSize {
    static func bytes(of path: String) -> Int64 {
        guard let tree = try? CaptureFormats.tree(at: path) else { return 0 }
        return bytes(in: tree, "", 0)
    }

    private static func bytes(in tree: any CaptureTree, _ folder: String, _ depth: Int) -> Int64 {
        PublishedResult.sum(
            tree.entries(in: folder).map { entry in
                switch entry.kind {
                case .file(let count): count
                case .folder where depth < 4: bytes(in: tree, entry.name.path(in: folder), depth + 1)
                default: 0
                }
            })
    }
}
