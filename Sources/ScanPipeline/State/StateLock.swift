internal import CLinux
import Glibc
import ScanModel

/// A lock in `OUT/.scanmill`. The kernel frees it when its holder ends, kill -9 included, so there is nothing to unlock
/// by hand. That of a capture's result only saves work: correctness rests on unique work names, one rename and
/// deterministic bytes.
public final class StateLock: Sendable {
    /// Nil where the filesystem has no locks: the work may then be done twice, with the same result.
    private let descriptor: Int32?

    /// The lock of one capture's result.
    /// - Returns: nil when another runner holds it.
    public convenience init?(_ id: String, in state: StateFolder) throws(Problem) {
        try self.init(at: state.lock(id), of: (id, state), take: sm_lock)
    }

    /// The lock under which OUT gets its owner. It is held only for a moment, and others wait for it.
    /// - Parameter patience: how long this waits.
    /// - Returns: nil when another process holds it for longer.
    convenience init?(ownerOf state: StateFolder, patience: Duration) throws(Problem) {
        try self.init(at: Self.owner(of: state), take: Self.waiting(patience, for: sm_lock))
    }

    /// The lock that all runs hold together while they are at work in OUT. One that another user has made can be shared,
    /// too.
    /// - Parameter patience: how long this waits for whoever keeps runs from beginning, which is meant for a moment.
    /// - Returns: nil when another process does so for longer.
    convenience init?(ofRunsIn state: StateFolder, patience: Duration) throws(Problem) {
        try self.init(
            at: Self.runs(of: state), mode: O_RDONLY, take: Self.waiting(patience, for: sm_share_lock))
    }

    /// The same lock alone, which keeps runs from beginning. It is held only for a moment.
    /// - Returns: nil while any run is at work.
    convenience init?(aloneIn state: StateFolder) throws(Problem) {
        try self.init(at: Self.runs(of: state), take: sm_lock)
    }

    // No capture's id begins with a dot.
    static func owner(of state: StateFolder) -> String { "\(state.locks)/.owner" }
    static func runs(of state: StateFolder) -> String { "\(state.locks)/.runs" }

    /// How long a lock is waited for that is held only for a moment.
    public static let patience = Duration.seconds(60)

    /// Takes a lock when it comes free, and gives up in the end: a process that was stopped while it held one, or a machine
    /// that is frozen, keeps it for as long as that lasts.
    private static func waiting(
        _ patience: Duration, for take: @escaping (Int32) -> Int32
    ) -> (_ descriptor: Int32) -> Int32 {
        { descriptor in
            // A clock that stands still while the machine sleeps.
            let end = SuspendingClock.now + patience
            var microseconds: UInt32 = 1000
            while true {
                if take(descriptor) == 0 { return 0 }
                let code = errno
                if ![EAGAIN, EACCES, EINTR].contains(code) || SuspendingClock.now >= end {
                    errno = code
                    return -1
                }
                usleep(microseconds)
                microseconds = min(2 * microseconds, 100_000)
            }
        }
    }

    /// What to say when such a lock does not come free.
    static func notFree(_ path: String, after patience: Duration) -> Problem {
        Problem(
            .environment,
            "another process has been taking this folder for more than "
                + Int(patience.components.seconds).counted("second"),
            fix:
                "look for a suspended scanmill process, perhaps on another machine: it holds this lock until it is "
                + "resumed or killed"
        ).at(file: FileSystem.absolute(path))
    }

    /// - Parameters:
    ///   - capture: whose lock it is, which the disk may not take as a name.
    ///   - take: takes the lock of an open file, or fails as `fcntl` does.
    package init?(
        at path: String, of capture: (id: String, state: StateFolder)? = nil, mode: Int32 = O_RDWR,
        take: (Int32) -> Int32
    ) throws(Problem) {
        while true {
            // A link would have the file made wherever it leads.
            let flags = mode | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
            // A run with nothing to do makes nothing.
            var descriptor = open(path, flags)
            if descriptor < 0, errno == ENOENT {
                try FileSystem.makeFolders(FileSystem.parent(of: path))
                descriptor = open(path, flags | O_CREAT, 0o666)
            }
            if descriptor < 0 {
                let code = errno
                if let (id, state) = capture, FileSystem.isFolder(state.locks),
                    let refusal = OutputNames.refusal(of: id, code: code)
                {
                    throw refusal.at(file: FileSystem.absolute(state.place(id).path))
                }
                var problem = Problem.system("cannot open the lock", path: FileSystem.absolute(path), code: code)
                    .inOutput(code)
                if code == ELOOP { problem.fix = "remove this link: the next run makes a lock" }
                if code == EISDIR { problem.fix = "remove this folder: the next run makes a lock" }
                throw problem
            }
            guard take(descriptor) == 0 else {
                let code = errno
                close(descriptor)
                switch code {
                case EAGAIN, EACCES: return nil
                case ENOLCK, ENOTSUP, EINVAL, ENOSYS:
                    self.descriptor = nil
                    return
                default: throw Problem.system("cannot take the lock", path: FileSystem.absolute(path), code: code)
                }
            }
            if Self.isThere(descriptor) {
                self.descriptor = descriptor
                return
            }
            close(descriptor)
        }
    }

    /// The lock of a capture that is gone may have been removed since it was opened, and nobody else would see it then. On
    /// NFS another client's removal shows as a stale handle.
    private static func isThere(_ descriptor: Int32) -> Bool {
        var facts = stat()
        return fstat(descriptor, &facts) == 0 ? facts.st_nlink > 0 : errno != ESTALE
    }

    /// Removes the lock of a capture that is gone, unless somebody holds it.
    /// - Returns: whether the lock is gone.
    package static func remove(_ id: String, in state: StateFolder) -> Bool {
        guard let lock = try? StateLock(id, in: state), lock.isReal else { return false }
        return withExtendedLifetime(lock) { unlink(state.lock(id)) == 0 }
    }

    /// Whether the filesystem has locks, so that no other runner can be working on the capture.
    var isReal: Bool { descriptor != nil }

    deinit { if let descriptor { close(descriptor) } }

    /// Whether another runner works on the capture now. Makes nothing, and takes no lock either, which would stand in a
    /// runner's way.
    public static func isHeld(_ id: String, in state: StateFolder) -> Bool {
        isHeld(id, in: state, ignoringCase: state.ignoresCase)
    }

    /// The same for many ids, so that the disk is not asked again for each of them whether it ignores case.
    static func isHeld(_ id: String, in state: StateFolder, ignoringCase ignoreCase: Bool) -> Bool {
        look(at: state.lock(id, ignoringCase: ignoreCase)) == .held
    }

    /// Whether any run is at work in OUT; nil where nobody can tell, as on a filesystem without locks.
    static func isHeldByRuns(in state: StateFolder) -> Bool? {
        switch look(at: runs(of: state)) {
        case .free: false
        case .held: true
        case .unreal: nil
        }
    }

    /// Whether the filesystem has locks, as far as a look at the one that every run has made tells. Makes and takes none.
    static func areReal(in state: StateFolder) -> Bool { look(at: owner(of: state)) != .unreal }

    private enum Look {
        case free, held
        /// The filesystem has none, or this one cannot be asked.
        case unreal
    }

    /// How a lock stands; free where there is none.
    private static func look(at path: String) -> Look {
        // Users other than the runner's may only read it, which is enough to ask.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return [ENOENT, ENOTDIR].contains(errno) ? .free : .unreal }
        defer { close(descriptor) }
        let answer = sm_is_locked(descriptor)
        return answer < 0 ? .unreal : answer > 0 ? .held : .free
    }
}
