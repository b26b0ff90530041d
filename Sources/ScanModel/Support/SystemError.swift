import Glibc

/// The system's words for one of its errors, a value of `errno`: "No space left on device".
package func systemText(_ code: Int32) -> String { String(cString: strerror(code)) }

extension Problem {
    /// A failed system call in words for people.
    /// - Parameters:
    ///   - doing: what was tried, as in "cannot write the file".
    ///   - code: `errno` as it was right after the call.
    ///   - fault: whose file it is. An input, or whoever named the file, is at fault only for errors of its name, such as
    ///     a missing file; any other error may be gone tomorrow, and is the environment's.
    public static func system(_ doing: String, path: String, code: Int32, fault: Fault = .environment) -> Problem {
        let isOfTheName = [ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG, ENXIO, EISDIR].contains(code)
        let fault = [.input, .usage].contains(fault) && !isOfTheName ? .environment : fault
        var problem = Problem(fault, "\(doing): \(systemText(code))").at(file: path)
        switch code {
        case ENOSPC, EDQUOT:
            problem.fault = .environment
            problem.fix =
                "free space on that filesystem (or files, where `df -i` shows none left) and run the same command again"
        case EIO, EUCLEAN, ESTALE:
            problem.fault = .environment
            problem.fix = "look at the kernel's log: the disk or the network filesystem reports an error"
        case EROFS:
            problem.fault = .environment
            problem.fix = "that filesystem is mounted read-only: mount it writable, or choose another place"
        case EACCES: problem.fix = "check the owner and the permissions of the file and of its folders"
        case EPERM:
            problem.fix =
                "check the owner and the permissions of the file and of its folders; in a folder for which `ls -ld` shows "
                + "a `t`, only a file's owner may move or remove it"
        case EMFILE, ENFILE, ENOMEM: problem.fault = .environment
        case EFBIG:
            problem.fix =
                "raise the limit on file size (`ulimit -f`), or choose a filesystem that allows files as large as "
                + "this one: FAT's end at 4 GB"
        case ETIMEDOUT, ENOTCONN, ECONNREFUSED, EHOSTDOWN, EHOSTUNREACH, ENETDOWN, ENETUNREACH:
            problem.fix = "check that the file server answers, and run the same command again"
        case EBUSY:
            problem.fix = "something else is using it, such as a mount: release it and run the same command again"
        case ENAMETOOLONG: problem.fix = "move it up, or give it and its folders shorter names"
        case ENOENT: problem.fix = "check the path: a folder in it is missing, or what it names was moved meanwhile"
        default: break
        }
        return problem
    }
}
