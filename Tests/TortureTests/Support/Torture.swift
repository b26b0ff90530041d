import Foundation
import TestSupport
import Testing

/// The proof of the runner's promises: the tool as people run it, with injected faults.
///
/// `make test` runs a short form; `make torture` sets SCANMILL_TORTURE=full for the long one. One test at a time:
/// several of them use both cores and count what happens.
@Suite(.serialized, .disabled(if: Sanitizer.isOn, "a sanitizer takes memory and lets no library be preloaded"))
enum Torture {
    static let isFull = ProcessInfo.processInfo.environment["SCANMILL_TORTURE"] == "full"

    /// How often something is done in the short and the full form.
    static func times(short: Int, full: Int) -> Int { isFull ? full : short }

    /// What a test needs beyond the tool itself.
    enum Need: Sendable, CaseIterable {
        case strace, root, loopDevice, faketime, slurm, parallel

        private var lack: String? {
            switch self {
            case .strace:
                let answer = try? runCommand(["strace", "-qq", "-o", "/dev/null", "-f", "-b", "execve", "true"])
                return answer?.status == 0 ? nil : "strace is missing or may not trace"
            case .root: return geteuid() == 0 ? nil : "mounting needs root"
            case .loopDevice:
                let isThere = FileManager.default.fileExists(atPath: "/dev/loop-control")
                let canMount = Torture.hasPrograms(["mkfs.ext4", "mount", "fsfreeze"])
                return isThere && canMount ? nil : "there are no loop devices, or no mkfs.ext4 or fsfreeze"
            case .faketime: return Torture.faketimeLibrary == nil ? "libfaketime is missing" : nil
            case .slurm: return Torture.hasPrograms(SlurmCluster.programs) ? nil : "there is no Slurm"
            case .parallel: return Torture.hasPrograms(["parallel"]) ? nil : "GNU parallel is missing"
            }
        }

        private static let lacks = Dictionary(uniqueKeysWithValues: allCases.map { ($0, $0.lack) })

        /// Says aloud why a test skips.
        fileprivate func isMet(for subject: String) -> Bool {
            guard let lack = Self.lacks[self] ?? nil else { return true }
            print("SKIPPED: \(subject), because \(lack)")
            return false
        }
    }

    static func has(_ needs: Need..., for subject: String) -> Bool { needs.allSatisfy { $0.isMet(for: subject) } }

    /// The library for LD_PRELOAD that is built beside the tool: see Tests/Sabotage.
    static let sabotageLibrary = URL(fileURLWithPath: Scanmill.path).deletingLastPathComponent()
        .appendingPathComponent("libSabotage.so").path

    static let faketimeLibrary: String? = {
        let found = try? runCommand(["sh", "-c", "ls /usr/lib/*/faketime/libfaketimeMT.so.1 2> /dev/null | head -1"])
        let path = found?.output.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        return path.isEmpty ? nil : path
    }()

    private static func hasPrograms(_ names: [String]) -> Bool {
        let command = names.map { "command -v \($0)" }.joined(separator: " && ")
        return (try? runCommand(["sh", "-c", command]))?.status == 0
    }

    /// Prints what a test measured, for people who read the log.
    static func say(_ text: String) { print("TORTURE: \(text)") }

    /// `count` of the positions 0..<total, spread evenly, always with the last.
    static func spread(_ count: Int, over total: Int) -> [Int] {
        if count >= total { return Array(0..<total) }
        return (0..<count).map { ($0 + 1) * total / count - 1 }
    }
}
