internal import CLinux
import Glibc

/// What of the machine this process may use: `taskset`, Slurm, a systemd unit or a container may leave less than there is.
public struct MachineShare: Sendable, Hashable {
    /// How many threads may work at once, at least 1.
    public let cores: Int
    /// In bytes; nil where the system does not say.
    public let memory: Int64?

    /// As it was when it was first asked for.
    public static let own = MachineShare(
        cores: usableProcessors, memory: physicalMemory,
        groups: ControlGroups(of: "/proc/self/cgroup", at: "/sys/fs/cgroup"))

    /// - Parameters:
    ///   - cores: on how many the process may run, whatever its groups may use.
    ///   - memory: what the machine has, in bytes.
    package init(cores: Int, memory: Int64?, groups: ControlGroups) {
        self.cores = max(1, min(cores, groups.cores ?? .max))
        self.memory = [memory, groups.memory].compactMap(\.self).min()
    }

    private static var usableProcessors: Int {
        let count = Int(sm_usable_processors())
        return count > 0 ? count : sysconf(Int32(_SC_NPROCESSORS_ONLN))
    }

    private static var physicalMemory: Int64? {
        let (pages, size) = (sysconf(Int32(_SC_PHYS_PAGES)), sysconf(Int32(_SC_PAGESIZE)))
        return pages > 0 && size > 0 ? Int64(pages) * Int64(size) : nil
    }
}

/// The control groups of a process, with which systemd, Slurm and containers limit what it may use. A limit holds for
/// all groups below it as well. Both versions are read, as in Linux's documentation: cgroup-v2.rst, "CPU Interface Files"
/// and "Memory Interface Files"; scheduler/sched-bwc.rst and cgroup-v1/memory.rst.
package struct ControlGroups {
    /// How many cores' time it may take, rounded up; nil without a limit.
    package private(set) var cores: Int?
    /// Bytes; nil without a limit.
    package private(set) var memory: Int64?

    /// - Parameters:
    ///   - list: the file that names the process's groups.
    ///   - root: where the groups are mounted.
    package init(of list: String, at root: String) {
        // Each line: a number, the controllers (none: version 2), and the group's path.
        for line in (KernelFile.text(list) ?? "").split(separator: "\n") {
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { continue }
            let names = fields[1].isEmpty ? ["", "unified"] : [String(fields[1])]
            for name in names {
                let top = name.isEmpty ? root : "\(root)/\(name)"
                for group in Self.groups(from: fields[2]) { limit(by: top + group) }
            }
        }
    }

    /// A group and all above it, the topmost last. In a container the path may be the machine's, which is not mounted
    /// there, and what is topmost is the container's own.
    private static func groups(from path: Substring) -> [String] {
        let names = path.split(separator: "/")
        guard !names.contains("..") else { return [""] }
        return (0...names.count).reversed().map { names.prefix($0).map { "/\($0)" }.joined() }
    }

    private mutating func limit(by group: String) {
        func numbers(_ files: String...) -> [Int64] {
            files.flatMap { (KernelFile.text("\(group)/\($0)") ?? "").split(whereSeparator: \.isWhitespace) }
                .compactMap { Int64($0) }
        }
        // Microseconds in each period of so many. Without a limit, version 2 writes the word "max", version 1 writes -1.
        for time in [numbers("cpu.max"), numbers("cpu.cfs_quota_us", "cpu.cfs_period_us")] {
            guard time.count == 2, time[0] > 0, time[1] > 0 else { continue }
            cores = min(cores ?? .max, Int(clamping: (time[0] - 1) / time[1] + 1))
        }
        for bytes in numbers("memory.max", "memory.high", "memory.limit_in_bytes") where bytes > 0 {
            memory = min(memory ?? .max, bytes)
        }
    }
}
