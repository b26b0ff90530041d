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
    convenience init?(ownerOf state: StateFolder) throws(Problem) {
        try self.init(at: "\(state.locks)/\(Self.owner)", take: sm_wait_for_lock)
    }

    /// The lock that all runs hold together while they are at work in OUT. One that another user has made can be shared,
    /// too.
    convenience init?(ofRunsIn state: StateFolder) throws(Problem) {
        try self.init(at: "\(state.locks)/\(Self.runs)", mode: O_RDONLY, take: sm_share_lock)
    }

    /// The same lock alone, which keeps runs from beginning. It is held only for a moment.
    /// - Returns: nil while any run is at work.
    convenience init?(aloneIn state: StateFolder) throws(Problem) {
        try self.init(at: "\(state.locks)/\(Self.runs)", take: sm_lock)
    }

    // No capture's id begins with a dot.
    private static let owner = ".owner"
    private static let runs = ".runs"

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

    /// Whether any run is at work in OUT; nil where its filesystem has no locks, so that nobody can tell.
    static func isHeldByRuns(in state: StateFolder) -> Bool? {
        switch look(at: "\(state.locks)/\(runs)") {
        case .free: false
        case .held: true
        case .unreal: nil
        }
    }

    /// Whether the filesystem has locks, as far as a look at the one that every run has made tells. Makes and takes none.
    static func areReal(in state: StateFolder) -> Bool { look(at: "\(state.locks)/\(owner)") != .unreal }

    private enum Look { case free, held, unreal }

    /// How a lock stands; free where there is none.
    private static func look(at path: String) -> Look {
        // Users other than the runner's may only read it, which is enough to ask.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return .free }
        defer { close(descriptor) }
        let answer = sm_is_locked(descriptor)
        return answer < 0 ? .unreal : answer > 0 ? .held : .free
    }
}
