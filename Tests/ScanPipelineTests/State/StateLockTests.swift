import Foundation
import ScanModel
import ScanPipeline
import TestSupport
import Testing

@Suite struct StateLockTests {
    @Test func oneHolderAtATime() throws {
        let fixture = try DiskFixture()
        #expect(!StateLock.isHeld("a", in: fixture.state))
        #expect(!FileSystem.exists(fixture.output))
        do {
            // Also within one process.
            let lock = try StateLock("a", in: fixture.state)
            #expect(lock != nil)
            #expect(try StateLock("a", in: fixture.state) == nil)
            #expect(StateLock.isHeld("a", in: fixture.state))
            #expect(try StateLock("b", in: fixture.state) != nil)
            withExtendedLifetime(lock) {}
        }
        #expect(fixture.comesFree("a"))
        #expect(try StateLock("a", in: fixture.state) != nil)
    }

    /// Whoever has opened a lock that is removed before it is taken takes the one that others see.
    @Test func aLockThatWasRemovedIsNobodys() throws {
        let fixture = try DiskFixture()
        let path = fixture.state.lock("a")
        var attempts = 0
        let lock = try StateLock(at: path) { _ in
            attempts += 1
            if attempts == 1 { unlink(path) }
            return 0
        }
        #expect(lock != nil && attempts == 2 && FileSystem.exists(path))
    }

    /// As some shares are: work may be done twice there.
    @Test(arguments: [ENOLCK, ENOTSUP, EINVAL, ENOSYS]) func aFilesystemWithoutLocks(_ code: Int32) throws {
        let fixture = try DiskFixture()
        let lock = try StateLock(at: fixture.state.lock("a")) { _ in
            errno = code
            return -1
        }
        #expect(lock != nil)
    }

    /// A file would be made wherever the link leads; a pipe would be waited for.
    @Test(.timeLimit(.minutes(1))) func whatIsNoLock() throws {
        let fixture = try DiskFixture()
        try fixture.write("", to: "out/.scanmill/locks/other")
        #expect(symlink("\(fixture.path)/made", fixture.state.lock("a")) == 0)
        let problem = #expect(throws: Problem.self) { try StateLock("a", in: fixture.state) }
        #expect(problem?.fix == "remove this link: the next run makes a lock")
        #expect(!FileSystem.exists("\(fixture.path)/made") && !StateLock.isHeld("a", in: fixture.state))
        try fixture.write("", to: "out/.scanmill/locks/c/file")
        let folder = #expect(throws: Problem.self) { try StateLock("c", in: fixture.state) }
        #expect(folder?.fix == "remove this folder: the next run makes a lock")
        #expect(mkfifo(fixture.state.lock("b"), 0o600) == 0)
        #expect(!StateLock.isHeld("b", in: fixture.state))
    }

    @Test func aLockIsRemovedUnlessItIsHeld() throws {
        let fixture = try DiskFixture()
        do {
            let lock = try StateLock("a", in: fixture.state)
            #expect(!StateLock.remove("a", in: fixture.state))
            withExtendedLifetime(lock) {}
        }
        #expect(fixture.comesFree("a"))
        #expect(StateLock.remove("a", in: fixture.state))
        #expect(!FileSystem.exists(fixture.state.lock("a")))
        let again = try StateLock("a", in: fixture.state)
        #expect(again != nil && StateLock.isHeld("a", in: fixture.state))
        withExtendedLifetime(again) {}
    }

    /// The kernel frees the lock of a process that is killed.
    @Test func aKilledHolderHoldsNothing() throws {
        let fixture = try DiskFixture()
        _ = try StateLock("a", in: fixture.state)
        #expect(fixture.comesFree("a"))
        let script = """
            import fcntl, os, struct, sys, time
            f = open(sys.argv[1], 'r+')
            fcntl.fcntl(f, 37, struct.pack('hhqqi4x', fcntl.F_WRLCK, 0, 0, 0, 0))
            print('held', flush=True)
            time.sleep(60)
            """
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", script, fixture.state.lock("a")]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        #expect(pipe.fileHandleForReading.availableData.starts(with: Array("held".utf8)))
        #expect(StateLock.isHeld("a", in: fixture.state))
        #expect(try StateLock("a", in: fixture.state) == nil)
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        #expect(!StateLock.isHeld("a", in: fixture.state))
    }

    /// As another user, in a process of its own, since a user is the whole process's.
    @Test func whoMayOnlyReadTheLockCanAsk() async {
        await #expect(processExitsWith: .success) {
            let fixture = try DiskFixture()
            let lock = try StateLock("a", in: fixture.state)
            precondition(chmod(fixture.state.lock("a"), 0o444) == 0)
            // Root may do everything.
            let user = geteuid()
            if user == 0 { precondition(seteuid(65534) == 0) }
            precondition(StateLock.isHeld("a", in: fixture.state))
            if user == 0 { precondition(seteuid(0) == 0) }
            withExtendedLifetime(lock) {}
        }
    }

    /// As FAT and exFAT refuse it. Only what is named can help, and not another attempt.
    @Test func aNameThatTheDiskDoesNotTake() throws {
        let fixture = try DiskFixture()
        try fixture.write("", to: "out/.scanmill/locks/other")
        func lock(_ id: String) throws { _ = try StateLock(at: "/proc/\(id)", of: (id, fixture.state)) { _ in 0 } }
        let refusal = try #require(problem { try lock("a:b") })
        #expect(refusal.fault == .usage)
        #expect(
            refusal.message() == """
                error: the disk of OUT does not allow names with `:`
                  --> \(fixture.output)/a:b
                   = fix: rename the capture, or choose a folder on another disk with -o
                """)
        #expect(problem { try lock("plain") }?.summary.hasPrefix("cannot open the lock") == true)
        // The folder is what is missing.
        FileSystem.removeTree("\(fixture.state.path)/locks")
        #expect(problem { try lock("a:b") }?.summary.hasPrefix("cannot open the lock") == true)
    }

    @Test func aLockThatCannotBeMade() throws {
        let fixture = try DiskFixture()
        try fixture.write("", to: "out/.scanmill/locks")
        #expect(problem { _ = try StateLock("a", in: fixture.state) }?.fault == .environment)
    }
}
