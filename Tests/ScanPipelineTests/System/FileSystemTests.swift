import Foundation
import ScanModel
import ScanPipeline
import Synchronization
import TestSupport
import Testing

@Suite struct FileSystemTests {
    /// The name that it has until it is whole goes with it.
    @Test func aFileThatCannotBePutInPlaceLeavesNothing() throws {
        let folder = try TemporaryFolder()
        try folder.write("", to: "taken/file")
        #expect(problem { try FileSystem.replace("\(folder.path)/taken", with: [1]) } != nil)
        #expect(FileSystem.names(in: folder.path) == ["taken"])
    }

    @Test func makesFoldersAndThoseAbove() throws {
        let folder = try TemporaryFolder()
        let path = folder.path
        #expect(try FileSystem.makeFolders("\(path)/a/b/c") == ["\(path)/a", "\(path)/a/b", "\(path)/a/b/c"])
        #expect(try FileSystem.makeFolders("\(path)/a/b/d") == ["\(path)/a/b/d"])
        #expect(try FileSystem.makeFolders("\(path)/a/b") == [])
        #expect(FileSystem.isFolder("\(path)/a/b/c"))
    }

    @Test func aLinkToAFolderIsFine() throws {
        let folder = try TemporaryFolder()
        _ = try FileSystem.makeFolders("\(folder.path)/real")
        #expect(symlink("real", "\(folder.path)/link") == 0)
        #expect(try FileSystem.makeFolders("\(folder.path)/link") == [])
        #expect(try FileSystem.makeFolders("\(folder.path)/link/inner") == ["\(folder.path)/link/inner"])
    }

    /// It holds 64 kB, and more comes than its reader has taken.
    @Test func aPipeThatIsReadSlowly() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/pipe"
        try #require(mkfifo(path, 0o600) == 0)
        let alone = problem { try FileSystem.overwrite(path, with: [1]) }
        #expect(alone?.fix == "it is a pipe that nobody reads: start its reader first")
        let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(reader) }
        final class Received: Sendable {
            let count = Mutex(0)
        }
        let (received, wanted, reading) = (Received(), 1 << 20, DispatchGroup())
        DispatchQueue.global().async(group: reading) {
            var part = [UInt8](repeating: 0, count: 1 << 16)
            for _ in 0..<10_000 where received.count.withLock({ $0 < wanted }) {
                usleep(1000)
                let count = read(reader, &part, part.count)
                if count > 0 { received.count.withLock { $0 += count } }
            }
        }
        let failure = problem { try FileSystem.overwrite(path, with: [UInt8](repeating: 7, count: wanted)) }
        reading.wait()
        #expect(failure == nil)
        #expect(received.count.withLock(\.self) == wanted)
    }

    @Test func aFileInTheWay() throws {
        let folder = try TemporaryFolder()
        try folder.write("", to: "a")
        for path in ["\(folder.path)/a", "\(folder.path)/a/b", "\(folder.path)/a/b/c"] {
            let failure = try #require(problem { _ = try FileSystem.makeFolders(path) })
            #expect(failure.summary == "cannot make the folder: a file stands in its way")
            #expect(failure.fault == .environment)
        }
    }

    /// However a path is spelt, it is one.
    @Test func pathsFromTheRoot() throws {
        let folder = try TemporaryFolder()
        let path = try #require(FileSystem.realPath(folder.path))
        _ = try FileSystem.makeFolders("\(path)/a/b")
        _ = try FileSystem.makeFolders("\(path)/c/d")
        #expect(symlink("../c/d", "\(path)/a/link") == 0)
        for (spelt, plain) in [
            ("a/b", "a/b"), ("a//b/", "a/b"), ("./a/./b/.", "a/b"), ("a/b/../../c", "c"), ("a/b/..", "a"),
            ("a/.hidden", "a/.hidden"), ("a/..b", "a/..b"), ("a/link/../d", "a/link/../d"), ("no/../a", "no/../a"),
            ("no/../../a", "no/../../a"),
        ] {
            #expect(FileSystem.absolute("\(path)/\(spelt)") == "\(path)/\(plain)")
        }
        #expect(FileSystem.absolute("/") == "/" && FileSystem.absolute("/..//.") == "/")
        let here = FileManager.default.currentDirectoryPath
        #expect(FileSystem.absolute(".") == here && FileSystem.absolute("./x") == "\(here)/x")
        #expect(FileSystem.absolute("..") == FileSystem.parent(of: here))
    }

    /// Whoever writes to a link writes where it leads to, be that there or not.
    @Test func theRealPathOfALinkToWhatIsNotThereYet() throws {
        let folder = try TemporaryFolder()
        let path = try #require(FileSystem.realPath(folder.path))
        _ = try FileSystem.makeFolders("\(path)/capture")
        for (name, target) in [
            ("absolute", "\(path)/capture/new"), ("relative", "capture/new"), ("twice", "relative"), ("round", "round"),
        ] { #expect(symlink(target, "\(path)/\(name)") == 0) }
        for name in ["absolute", "relative", "twice"] {
            #expect(FileSystem.realPath("\(path)/\(name)") == "\(path)/capture/new")
        }
        #expect(FileSystem.realPath("\(path)/relative/more") == "\(path)/capture/new/more")
        #expect(FileSystem.realPath("\(path)/round") == nil)
    }

    /// As far as folders are made on the way, `..` leads back out of them.
    @Test func theRealPathThroughFoldersThatAreNotThereYet() throws {
        let folder = try TemporaryFolder()
        let path = try #require(FileSystem.realPath(folder.path))
        _ = try FileSystem.makeFolders("\(path)/capture")
        for (spelt, real) in [
            ("new/../capture/out", "capture/out"), ("new/deep/../../capture", "capture"),
            ("capture/new/./x/..", "capture/new"),
            ("capture/../new", "new"), ("new/..", ""),
        ] {
            let expected = real.isEmpty ? path : "\(path)/\(real)"
            #expect(FileSystem.realPath("\(path)/\(spelt)") == expected, "\(spelt)")
        }
    }

    @Test func parents() {
        #expect(FileSystem.parent(of: "a/b") == "a")
        #expect(FileSystem.parent(of: "a") == ".")
        #expect(FileSystem.parent(of: "/a") == "/")
        #expect(FileSystem.parent(of: "/a/b") == "/a")
        #expect(FileSystem.parent(of: "a/") == ".")
        #expect(FileSystem.parent(of: "a/b//") == "a")
        #expect(FileSystem.parent(of: "/a/") == "/")
        #expect(FileSystem.parent(of: "/") == "/")
    }

    @Test func removesTreesAndNotWhatLinksPointTo() throws {
        let folder = try TemporaryFolder()
        let path = folder.path
        try folder.write("kept", to: "other/file")
        for name in ["x/1", "x/y/2", "x/y/z/3"] { try folder.write(name, to: name) }
        #expect(symlink("\(path)/other", "\(path)/x/y/link") == 0)
        #expect(symlink("nowhere", "\(path)/x/dangling") == 0)
        FileSystem.removeTree("\(path)/x")
        #expect(!FileSystem.exists("\(path)/x"))
        #expect(try folder.bytes("other/file") == Array("kept".utf8))
        FileSystem.removeTree("\(path)/x")
        FileSystem.removeTree("\(path)/other/file")
        #expect(FileSystem.names(in: "\(path)/other") == [])
    }

    /// As a program with another encoding writes them.
    @Test func removesNamesThatAreNoText() throws {
        let folder = try TemporaryFolder()
        _ = try FileSystem.makeFolders("\(folder.path)/x")
        let name = Array("\(folder.path)/x/caf".utf8.map { CChar(bitPattern: $0) }) + [CChar(bitPattern: 0xE9), 0]
        #expect(mkdir(name, 0o777) == 0)
        #expect(mkdir(name.dropLast() + Array("/deep".utf8.map { CChar(bitPattern: $0) }) + [0], 0o777) == 0)
        FileSystem.removeTree("\(folder.path)/x")
        #expect(!FileSystem.exists("\(folder.path)/x"))
    }

    @Test func aLinkToNothingIsNoFileInTheWay() throws {
        let folder = try TemporaryFolder()
        #expect(symlink("nowhere", "\(folder.path)/out") == 0)
        let problem = #expect(throws: Problem.self) { try FileSystem.makeFolders("\(folder.path)/out/deep") }
        #expect(problem?.summary == "cannot make the folder: its name is a link to nothing")
    }

    /// When a link itself cannot be removed, what it points to is left alone.
    @Test func aLinkThatCannotBeRemovedIsNotFollowed() throws {
        let folder = try TemporaryFolder()
        let path = folder.path
        try folder.write("kept", to: "other/file")
        _ = try FileSystem.makeFolders("\(path)/x")
        #expect(symlink("\(path)/other", "\(path)/x/link") == 0)
        let result = try runCommand(["chattr", "+i", "\(path)/x"])
        guard result.status == 0 else { return skip("this filesystem has no immutable folders (chattr +i)") }
        defer { _ = try? runCommand(["chattr", "-i", "\(path)/x"]) }
        FileSystem.removeTree("\(path)/x")
        #expect(FileSystem.exists("\(path)/x/link"))
        #expect(try folder.bytes("other/file") == Array("kept".utf8))
    }

    @Test func existenceIsThatOfTheName() throws {
        let folder = try TemporaryFolder()
        #expect(symlink("nowhere", "\(folder.path)/dangling") == 0)
        #expect(FileSystem.exists("\(folder.path)/dangling"))
        #expect(!FileSystem.exists("\(folder.path)/none"))
        #expect(symlink(".", "\(folder.path)/here") == 0)
        #expect(FileSystem.isFolder("\(folder.path)/here"))
        #expect(!FileSystem.isFolderItself("\(folder.path)/here"))
    }

    @Test func namesAreSorted() throws {
        let folder = try TemporaryFolder()
        for name in ["b", ".hidden", "a b", "ä"] { try folder.write("", to: name) }
        #expect(FileSystem.names(in: folder.path) == [".hidden", "a b", "b", "ä"])
        #expect(FileSystem.names(in: folder.path + "/none") == [])
    }

    @Test func smallFiles() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("12345", to: "a")
        #expect(try FileSystem.bytes(of: path, limit: 5) == Array("12345".utf8))
        let failure = try #require(problem { _ = try FileSystem.bytes(of: path, limit: 4) })
        #expect(failure.summary == "the file has 5 bytes, more than 4")
        #expect(
            problem { _ = try FileSystem.bytes(of: folder.path, limit: 4) }?.summary == "this is not a regular file")
    }

    /// Reading such a name puts a character in the place of what is no text, and nothing is found under that.
    @Test func aNameThatIsNotTextIsNotGone() throws {
        let folder = try TemporaryFolder()
        try runCommand(["bash", "-c", "mkdir $'latin\\xe9'"], in: folder.path).require(0)
        let path = "\(folder.path)/latin\u{FFFD}"
        #expect(FileSystem.isMended(path) && !FileSystem.isGone(path))
        #expect(FileSystem.isGone("\(folder.path)/other\u{FFFD}"))
        try runCommand(["bash", "-c", "mv latin* latin"], in: folder.path).require(0)
        #expect(FileSystem.isGone(path))
        // A name may have the character itself.
        try folder.write("", to: "latin\u{FFFD}")
        #expect(!FileSystem.isMended(path) && !FileSystem.isGone(path))
    }

    /// As another user, in a process of its own, since a user is the whole process's.
    @Test func aFolderThatMayNotBeListedIsNotGone() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let path = "\(folder.path)/capture"
            _ = try FileSystem.makeFolders(path)
            precondition(FileSystem.isGone(path))
            // Root may do everything.
            let user = geteuid()
            precondition(chmod(path, 0) == 0)
            if user == 0 { precondition(chmod(folder.path, 0o755) == 0 && seteuid(65534) == 0) }
            // Nobody can tell what is in it either.
            let isGone = FileSystem.isGone(path) || FileSystem.isGone("\(path)/inner")
            if user == 0 { precondition(seteuid(0) == 0) }
            precondition(chmod(path, 0o700) == 0)
            precondition(!isGone)
        }
    }

    @Test func durability() throws {
        let folder = try TemporaryFolder()
        try FileSystem.syncFolder(folder.path)
        #expect(
            problem { try FileSystem.syncFolder(folder.path + "/none") }?.summary
                == "cannot open the folder: No such file or directory")
        #expect(problem { try FileSystem.sync(-1, path: "a") }?.fault == .environment)
    }

    @Test func randomNamesDiffer() {
        #expect(Set((0..<1000).map { _ in FileSystem.randomName() }).count == 1000)
    }
}
