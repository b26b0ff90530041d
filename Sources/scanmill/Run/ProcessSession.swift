import Glibc
import ScanPipeline

/// Everything started by a process that leads a session, directly or not: ffmpeg leads a process group of its own and
/// would outlive its parent's if it hangs.
enum ProcessSession {
    /// Kills every process of a session, its leader too.
    static func end(_ leader: pid_t) {
        kill(leader, SIGKILL)
        endOthers(than: leader)
    }

    /// Kills every process of the session that this process leads, and this one last.
    static func endOwn() {
        endOthers(than: getpid())
        kill(getpid(), SIGKILL)
    }

    /// Whether anything of a session still runs.
    static func isAlive(_ leader: pid_t) -> Bool { kill(leader, 0) == 0 || !members(of: leader).isEmpty }

    /// Resident bytes of a process and of all that it started; nil when it has ended.
    static func residentBytes(of process: pid_t) -> Int64? {
        guard
            let pages = KernelFile.text("/proc/\(process)/statm")?.split(separator: " ").dropFirst().first.flatMap({
                Int64($0)
            })
        else { return nil }
        let own = pages * Int64(sysconf(Int32(_SC_PAGESIZE)))
        return children(of: process).reduce(own) { $0 + (residentBytes(of: $1) ?? 0) }
    }

    private static func children(of process: pid_t) -> [pid_t] {
        FileSystem.names(in: "/proc/\(process)/task").flatMap { thread in
            (KernelFile.text("/proc/\(process)/task/\(thread)/children") ?? "").split(separator: " ").compactMap {
                pid_t($0)
            }
        }
    }

    /// Kills every process of a session but its leader.
    static func endOthers(than leader: pid_t) {
        // Again until there are none: one of them may just have started another.
        for _ in 0..<100 {
            let others = members(of: leader)
            if others.isEmpty { return }
            for process in others { kill(process, SIGKILL) }
            usleep(10_000)
        }
    }

    /// Without the leader, and without those that have ended already.
    private static func members(of leader: pid_t) -> [pid_t] {
        FileSystem.names(in: "/proc").compactMap { name in
            guard let process = pid_t(name), process != leader,
                let line = KernelFile.text("/proc/\(name)/stat")
            else { return nil }
            // `pid (name) state parent group session …`; the name may hold anything, and the kernel may have cut it
            // inside a character.
            let fields = line.split(separator: ")").last?.split(separator: " ") ?? []
            guard fields.count > 3, fields[0] != "Z", pid_t(fields[3]) == leader else { return nil }
            return process
        }
    }
}
