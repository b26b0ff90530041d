import Glibc
import ScanModel

/// One end of a connection to a child process, closed when its owner lets go of it.
struct PipeEnd: ~Copyable, Sendable {
    let descriptor: Int32

    deinit { close(descriptor) }

    /// Leaves the closing to whoever takes the descriptor.
    consuming func handOver() -> Int32 {
        let descriptor = descriptor
        discard self
        return descriptor
    }
}

/// A connection to a child process: `near` stays here, `far` is handed over and closed after the start.
///
/// It is a pair of sockets, as fast as a pipe of a megabyte (measured), for two reasons. Both ends are close-on-exec
/// from birth, so with several children at once none holds another's connection open. And `send` can leave out
/// SIGPIPE, which would end this process when the child goes away early.
struct ChildPipe: ~Copyable {
    let near: PipeEnd
    let far: PipeEnd

    init() throws(Problem) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw Problem(
                .environment, "no connection to another program could be opened",
                notes: ["the system says: \(systemText(errno))"],
                fix: "raise the limit of open files (ulimit -n), or run fewer captures at once")
        }
        near = PipeEnd(descriptor: ends[0])
        far = PipeEnd(descriptor: ends[1])
        // A larger buffer means fewer switches between the two processes; it works without, too.
        var bytes: Int32 = 1 << 20
        for end in ends { _ = setsockopt(end, SOL_SOCKET, SO_SNDBUF, &bytes, socklen_t(MemoryLayout<Int32>.size)) }
    }
}
