import Glibc
import ScanModel
import Testing

@Suite struct SystemErrorTests {
    @Test func whatAFailedCallMeans() {
        let full = Problem.system("cannot write the file", path: "a.ply", code: ENOSPC, fault: .input)
        #expect(full.fault == .environment)
        #expect(
            full.message() == """
                error: cannot write the file: No space left on device
                  --> a.ply
                   = fix: free space on that filesystem (or files, where `df -i` shows none left) and run the same command again
                """)
        for code in [ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG] {
            #expect(Problem.system("x", path: "a", code: code, fault: .input).fault == .input)
            #expect(Problem.system("x", path: "a", code: code, fault: .usage).fault == .usage)
        }
        for code in [EIO, EMFILE, ESTALE, ETIMEDOUT, EACCES, EPERM, ENOMEM, ENODEV, EHOSTDOWN] {
            #expect(Problem.system("x", path: "a", code: code, fault: .input).fault == .environment)
            #expect(Problem.system("x", path: "a", code: code, fault: .usage).fault == .environment)
        }
        for code in [ENOSPC, EDQUOT, EIO, EROFS, EACCES, EPERM, ENOENT] {
            #expect(Problem.system("x", path: "a", code: code).fix != nil)
        }
    }
}
