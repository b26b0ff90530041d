import Foundation
import ScanModel
import ScanPipeline
import Synchronization
import TestSupport
import Testing

@Suite struct OutputFolderTests {
    // MARK: - Publishing

    @Test func nothingIsSeenBeforeItIsWhole() throws {
        let fixture = try OutputFixture()
        let output = try fixture.open()
        try output.write(Array("a".utf8), to: "nerf/images/1.txt")
        try output.write(Array("b".utf8), to: "scan.ply")
        _ = try output.scratchPath("sums")
        #expect(!FileSystem.exists(output.publishedPath))
        #expect(!output.hasPublishedResult)
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.root) == [".scanmill"])
        #expect(output.workPath.hasPrefix(fixture.root + "/.scanmill/work/scan."))
        try output.publish(receipt: Array(OutputFixture.receipt.utf8))
        #expect(fixture.tree() == [".scanmill/work/", "scan/nerf/images/1.txt", "scan/receipt.json", "scan/scan.ply"])
        #expect(output.hasPublishedResult)
        #expect(try fixture.text("scan/receipt.json") == OutputFixture.receipt)
        #expect(try fixture.text("scan/nerf/images/1.txt") == "a")
    }

    @Test func anOlderResultIsReplacedWhole() throws {
        let fixture = try OutputFixture()
        try fixture.publish(["old.ply": "old", "both.ply": "old"])
        let output = try fixture.open()
        #expect(output.hasPublishedResult)
        try output.write(Array("new".utf8), to: "both.ply")
        #expect(try fixture.text("scan/both.ply") == "old")
        try output.publish(receipt: Array(OutputFixture.receipt.utf8))
        #expect(fixture.tree() == [".scanmill/work/", "scan/both.ply", "scan/receipt.json"])
        #expect(try fixture.text("scan/both.ply") == "new")
    }

    private static func folder(at root: String, exchangeFailsWith code: Int32) throws -> OutputFolder {
        try OutputFolder(root: root, id: "scan") { _, _ in
            errno = code
            return -1
        }
    }

    /// Some network filesystems have no exchange of names.
    @Test func anOlderResultIsReplacedWithoutAnExchange() throws {
        for code in [EINVAL, ENOSYS] {
            let fixture = try OutputFixture()
            try fixture.publish(["old.ply": "old"])
            let output = try Self.folder(at: fixture.root, exchangeFailsWith: code)
            try output.write(Array("new".utf8), to: "new.ply")
            try output.publish(receipt: Array(OutputFixture.receipt.utf8))
            #expect(fixture.tree() == [".scanmill/trash/", ".scanmill/work/", "scan/new.ply", "scan/receipt.json"])
        }
    }

    /// Without an exchange of names it is moved away first.
    @Test func anOlderResultThatCannotBeReplacedIsPutBack() throws {
        let fixture = try OutputFixture()
        try fixture.publish(["old.ply": "old"])
        let output = try OutputFolder(root: fixture.root, id: "scan") { work, _ in
            FileSystem.removeTree(work)
            errno = EINVAL
            return -1
        }
        try output.write(Array("new".utf8), to: "new.ply")
        let failure = problem { try output.publish(receipt: Array(OutputFixture.receipt.utf8)) }
        #expect(failure?.summary.hasPrefix("cannot rename to") == true, "\(String(describing: failure))")
        #expect(try fixture.text("scan/old.ply") == "old")
    }

    /// What a disk refuses in one step it may refuse between two, with nothing in the result's place.
    @Test(arguments: [EIO, ENOSPC, EDQUOT, EROFS, EUCLEAN, ESTALE]) func aDiskThatFailsAtTheExchange(
        _ code: Int32
    ) throws {
        let fixture = try OutputFixture()
        try fixture.publish(["old.ply": "old"])
        let output = try Self.folder(at: fixture.root, exchangeFailsWith: code)
        try output.write(Array("new".utf8), to: "new.ply")
        let failure = problem { try output.publish(receipt: Array(OutputFixture.receipt.utf8)) }
        #expect(failure?.summary.hasPrefix("cannot rename to: ") == true, "\(String(describing: failure))")
        #expect(failure?.fault == .environment && failure?.notes == [])
        output.abandon()
        #expect(fixture.tree() == [".scanmill/work/", "scan/old.ply", "scan/receipt.json"])
    }

    @Test func anExchangeThatIsInterruptedIsTriedAgain() throws {
        let fixture = try OutputFixture()
        try fixture.publish(["old.ply": "old"])
        let attempts = Mutex(0)
        let output = try OutputFolder(root: fixture.root, id: "scan") { _, _ in
            let attempt = attempts.withLock { attempts in
                attempts += 1
                return attempts
            }
            errno = attempt == 1 ? EINTR : EINVAL
            return -1
        }
        try output.write(Array("new".utf8), to: "new.ply")
        try output.publish(receipt: Array(OutputFixture.receipt.utf8))
        #expect(attempts.withLock { $0 } == 2)
        #expect(fixture.tree() == [".scanmill/trash/", ".scanmill/work/", "scan/new.ply", "scan/receipt.json"])
    }

    /// This path to OUT leads through the result: once that has been moved away, nothing is found by it any more.
    @Test func anOlderResultThatCannotBePutBackIsNamed() throws {
        let fixture = try OutputFixture()
        try fixture.publish(["old.ply": "old"])
        let output = try Self.folder(at: "\(fixture.root)/scan/..", exchangeFailsWith: EINVAL)
        try output.write(Array("new".utf8), to: "new.ply")
        let failure = problem { try output.publish(receipt: Array(OutputFixture.receipt.utf8)) }
        let state = StateFolder(output: fixture.root)
        let old = try #require(FileSystem.names(in: "\(state.path)/trash").first)
        let note = "the older result is in \(fixture.root)/scan/../.scanmill/trash/\(old); the next run puts it back"
        #expect(failure?.notes == [note], "\(String(describing: failure))")
        Leftovers.sweepBehind("scan", in: state)
        #expect(try fixture.text("scan/old.ply") == "old")
    }

    /// Without an exchange of names the older result has to go there.
    @Test(.enabled(if: FileSystem.isFolder("/dev/shm"), "no /dev/shm here"))
    func aTrashOnAnotherFilesystem() throws {
        let fixture = try OutputFixture()
        let elsewhere = try TemporaryFolder(in: "/dev/shm")
        guard !fixture.root.hasPrefix("/dev/shm") else {
            return skip("a trash on another filesystem, because all temporary files lie on that one")
        }
        try fixture.publish(["old.ply": "old"])
        #expect(symlink(elsewhere.path, "\(fixture.root)/.scanmill/trash") == 0)
        let output = try Self.folder(at: fixture.root, exchangeFailsWith: EINVAL)
        try output.write(Array("new".utf8), to: "new.ply")
        let failure = problem { try output.publish(receipt: Array(OutputFixture.receipt.utf8)) }
        let place = "\(fixture.root)/.scanmill/trash"
        #expect(failure?.fix == "\(place) leads to another filesystem: make it a folder of \(fixture.root) itself")
        #expect(try fixture.text("scan/old.ply") == "old")
    }

    /// Another runner may be faster at any moment; its result is whole, and so is what stands there in the end.
    @Test func aResultThatAppearsMeanwhileIsReplaced() throws {
        let fixture = try OutputFixture()
        let slow = try fixture.open()
        let fast = try fixture.open()
        #expect(slow.workPath != fast.workPath)
        try slow.write(Array("slow".utf8), to: "a")
        try fast.write(Array("fast".utf8), to: "a")
        try fast.publish(receipt: Array(OutputFixture.receipt.utf8))
        #expect(try fixture.text("scan/a") == "fast")
        try slow.publish(receipt: Array(OutputFixture.receipt.utf8))
        #expect(try fixture.text("scan/a") == "slow")
        #expect(fixture.tree() == [".scanmill/work/", "scan/a", "scan/receipt.json"])
    }

    /// By this a runner knows its own result again, when another one's stands in its place.
    @Test func theReceiptKeepsItsStatus() throws {
        let fixture = try OutputFixture()
        let (first, second) = (try fixture.open(), try fixture.open())
        #expect(first.receiptStatus == nil)
        try first.publish(receipt: Array(OutputFixture.receipt.utf8))
        let own = try #require(first.receiptStatus)
        #expect(FileSystem.modified("\(fixture.root)/scan/receipt.json") == own.modified)
        try second.publish(receipt: Array(OutputFixture.receipt.utf8))
        #expect(first.receiptStatus == own && second.receiptStatus?.modified != own.modified)
        #expect(FileSystem.modified("\(fixture.root)/scan/receipt.json") == second.receiptStatus?.modified)
    }

    /// The other runner takes the older result away between two calls.
    @Test func aResultThatVanishesMeanwhile() throws {
        let fixture = try OutputFixture()
        try fixture.publish(["old": "old"])
        let output = try OutputFolder(root: fixture.root, id: "scan") { _, published in
            FileSystem.removeTree(published)
            errno = ENOENT
            return -1
        }
        try output.write([1], to: "new")
        try output.publish(receipt: Array(OutputFixture.receipt.utf8))
        #expect(fixture.tree().suffix(2) == ["scan/new", "scan/receipt.json"])
    }

    @Test func manyRunnersOnOneCapture() throws {
        let fixture = try OutputFixture()
        DispatchQueue.concurrentPerform(iterations: 16) { number in
            #expect(throws: Never.self) {
                let output = try fixture.open()
                for file in 0..<5 { try output.write(Array("same".utf8), to: "d/\(file)") }
                try output.publish(receipt: Array(OutputFixture.receipt.utf8))
            }
        }
        #expect(
            fixture.tree().filter { !$0.hasPrefix(".scanmill") } == (0..<5).map { "scan/d/\($0)" } + [
                "scan/receipt.json"
            ])
        #expect(fixture.tree().allSatisfy { $0.hasPrefix("scan/") || $0.hasSuffix("/") })
    }

    @Test func anEmptyFolderIsNoObstacle() throws {
        let fixture = try OutputFixture()
        _ = try FileSystem.makeFolders(fixture.root + "/scan")
        try fixture.publish(["a": "a"])
        #expect(fixture.tree() == [".scanmill/work/", "scan/a", "scan/receipt.json"])
    }

    /// Such as one that was moved to another disk: the name alone would be replaced, and the folder stay as it is.
    @Test func aLinkToAResultIsNotReplaced() throws {
        let fixture = try OutputFixture()
        try fixture.publish(["a": "old"])
        #expect(rename("\(fixture.root)/scan", "\(fixture.folder.path)/elsewhere") == 0)
        #expect(symlink("../elsewhere", "\(fixture.root)/scan") == 0)
        let failure = try #require(problem { try fixture.publish(["a": "new"]) })
        #expect(
            failure.message() == """
                error: the result to be replaced is a symbolic link, and is left alone
                  --> \(fixture.root)/scan
                   = fix: remove the link, or put the folder that it leads to in its place
                """)
        #expect(failure.fault == .usage)
        #expect(try fixture.text("scan/a") == "old")
        #expect(unlink("\(fixture.root)/scan") == 0)
        try fixture.publish(["a": "new"])
        #expect(try fixture.text("scan/a") == "new")
    }

    /// OUT may be the folder in which the captures lie.
    @Test func whatIsNoResultIsNeverReplaced() throws {
        for name in ["scan/scan.jsonl", "scan", "scan/receipt.json"] {
            let fixture = try OutputFixture()
            try fixture.folder.write("precious", to: "out/" + name)
            let failure = try #require(problem { _ = try fixture.open() })
            #expect(
                failure.message() == """
                    error: what stands where the result belongs is not a result of ScanMill, and is left alone
                      --> \(fixture.root)/scan
                       = fix: name another output folder, or move this away
                    """)
            #expect(failure.fault == .usage)
            #expect(fixture.tree() == [name])
        }
        // It appears while the capture is worked on.
        let fixture = try OutputFixture()
        let output = try fixture.open()
        try output.write([1], to: "a")
        try fixture.folder.write("precious", to: "out/scan/scan.jsonl")
        #expect(problem { try output.publish(receipt: Array(OutputFixture.receipt.utf8)) }?.fault == .usage)
        output.abandon()
        #expect(fixture.tree() == [".scanmill/work/", "scan/scan.jsonl"])
    }

    /// A file of that name without anything in it may be anybody's; where a result is known to have stood, a disk that failed
    /// has left it so.
    @Test(arguments: ["", " \n", "\0\0\0"]) func aBlankReceipt(_ text: String) throws {
        let fixture = try OutputFixture()
        try fixture.folder.write(text, to: "out/scan/receipt.json")
        try fixture.folder.write("precious", to: "out/scan/notes.txt")
        #expect(problem { _ = try fixture.open() }?.fault == .usage)
        #expect(fixture.tree() == ["scan/notes.txt", "scan/receipt.json"])
        let noted = StateFolder(output: fixture.root).inputs("scan")
        _ = try FileSystem.makeFolders(FileSystem.parent(of: noted))
        #expect(FileManager.default.createFile(atPath: noted, contents: Data()))
        let output = try fixture.open()
        try output.write([1], to: "a")
        try output.publish(receipt: Array(OutputFixture.receipt.utf8))
        #expect(fixture.tree().filter { $0.hasPrefix("scan/") } == ["scan/a", "scan/receipt.json"])
    }

    @Test func onlyWhatIsListedIsPublished() throws {
        let fixture = try OutputFixture()
        let output = try fixture.open()
        try output.write([1], to: "kept/a")
        try output.write([1], to: "taken-back/deep/b")
        output.discard("taken-back/deep/b")
        let external = try output.externalPath(for: "video/c.mp4")
        try Data([1]).write(to: URL(fileURLWithPath: external))
        try FileManager.default.createDirectory(atPath: output.workPath + "/x/y", withIntermediateDirectories: true)
        #expect(symlink("/etc", output.workPath + "/kept/link") == 0)
        try output.publish(receipt: Array(OutputFixture.receipt.utf8))
        #expect(fixture.tree() == [".scanmill/work/", "scan/kept/a", "scan/receipt.json"])
        #expect(FileSystem.exists("/etc"))
    }

    // MARK: - Giving up

    @Test func givingUpLeavesNothing() throws {
        let fixture = try OutputFixture()
        try fixture.publish(["a": "old"])
        let output = try fixture.open()
        try output.write([1], to: "a/b/c")
        try Data([1]).write(to: URL(fileURLWithPath: try output.scratchPath("sums")))
        let other = try fixture.open()
        try other.write([1], to: "others")
        output.abandon()
        #expect(try fixture.text("scan/a") == "old")
        let others = String(other.workPath.dropFirst(fixture.root.count + 1)) + "/others"
        #expect(fixture.tree() == [others, "scan/a", "scan/receipt.json"])
    }

    @Test func lettingGoLeavesNothing() throws {
        let fixture = try OutputFixture()
        do {
            let output = try fixture.open()
            try output.write([1], to: "a/b/c")
            try Data([1]).write(to: URL(fileURLWithPath: try output.scratchPath("sums")))
            let open = try output.create("d")
            try open.write([1])
        }
        #expect(fixture.tree() == [".scanmill/work/"])
    }

    // MARK: - Files

    @Test func copies() throws {
        let fixture = try OutputFixture()
        let bytes = noise(700_001)
        let path = try fixture.folder.write(bytes, to: "in.bin")
        let output = try fixture.open()
        try output.copy(FileLocation(path: path), name: "in.bin", to: "whole")
        try output.copy(FileLocation(path: path, range: 5..<600_005), name: "in.bin", to: "sub/part")
        try output.copy(FileLocation(path: path, range: 7..<7), name: "in.bin", to: "nothing")
        try output.copy(MemorySource(name: "in.bin", bytes, step: 65_537), to: "source")
        let contents = ["nothing": [], "source": bytes, "sub/part": Array(bytes[5..<600_005]), "whole": bytes]
        #expect(output.files.map(\.path) == contents.keys.sorted())
        let digests = try pythonDigests(of: output.files.map { output.workPath + "/" + $0.path })
        for (entry, digest) in zip(output.files, digests) {
            let expected = try #require(contents[entry.path])
            #expect(try Data(contentsOf: URL(fileURLWithPath: output.workPath + "/" + entry.path)) == Data(expected))
            #expect(entry.digest.hex == digest)
            #expect(entry.byteCount == Int64(expected.count))
        }
    }

    /// The bytes of a whole copy are not digested again: the input's digest is what the receipt gets, as long as the file
    /// has not changed since it was taken.
    @Test func copiesGoByTheDigestOfTheirInput() throws {
        let fixture = try OutputFixture()
        let bytes = noise(300_001)
        let path = try fixture.folder.write(bytes, to: "in.bin")
        let output = try fixture.open()
        let source = MockSource(files: ["in.bin": bytes], folder: fixture.folder.path)
        let taken = try InputDigests.take(
            [InputFile(path: "in.bin", byteCount: 1)], from: source, workers: 1)
        output.trust(taken.known)
        try output.copy(FileLocation(path: path), name: "in.bin", to: "same")
        try output.copy(FileLocation(path: path, range: 0..<10), name: "in.bin", to: "part")
        #expect(try Data(contentsOf: URL(fileURLWithPath: output.workPath + "/same")) == Data(bytes))
        // Other bytes under the same name are another file.
        let more = bytes + [1]
        try fixture.folder.write(more, to: "in.bin")
        try output.copy(FileLocation(path: path), name: "in.bin", to: "later")
        let files = output.files.map { output.workPath + "/" + $0.path }
        #expect(output.files.map(\.digest.hex) == (try pythonDigests(of: files)))
        #expect(output.files.map(\.byteCount) == [300_002, 10, 300_001])
        #expect(taken.inputs.first?.digest == output.files.last?.digest)
    }

    /// Tools that keep a file's time change its bytes unseen, but for the time of change, which nobody can set.
    @Test func aTimeThatWasSetBackDoesNotDeceive() throws {
        let fixture = try OutputFixture()
        let path = try fixture.folder.write("one", to: "in.bin")
        let output = try fixture.open()
        let source = MockSource(files: ["in.bin": Array("one".utf8)], folder: fixture.folder.path)
        output.trust(
            try InputDigests.take([InputFile(path: "in.bin", byteCount: 3)], from: source, workers: 1).known)
        var before = stat()
        #expect(stat(path, &before) == 0)
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.write(contentsOf: Data("two".utf8))
        try file.close()
        #expect(utimensat(AT_FDCWD, path, [before.st_atim, before.st_mtim], 0) == 0)
        try output.copy(FileLocation(path: path), name: "in.bin", to: "copy")
        #expect(output.files.first?.digest == Digest.of(Array("two".utf8)))
    }

    /// Its digest is that of the bytes before. Where the change comes too late or too early, it is tried again.
    @Test func aFileThatIsChangedWhileItIsCopied() throws {
        let fixture = try OutputFixture()
        let path = try fixture.folder.write("", to: "in.bin")
        let source = DiskSource(folder: fixture.folder.path, isArchive: false, version: "1")
        for _ in 0..<10 {
            try #require(truncate(path, 64 << 20) == 0)
            let output = try fixture.open()
            let input = InputFile(path: "in.bin", byteCount: 64 << 20)
            output.trust(try InputDigests.take([input], from: source, workers: 1).known)
            let copy = output.workPath + "/pictures/1.jpg"
            let isChanged = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                var tries = 0
                while FileSystem.regularSize(of: copy) ?? 0 == 0, tries < 1_000_000 { tries += 1 }
                truncate(path, (64 << 20) + 1)
                isChanged.signal()
            }
            let failure = problem { try output.copy(FileLocation(path: path), name: "1.jpg", to: "pictures/1.jpg") }
            isChanged.wait()
            guard let failure else { continue }
            let message = """
                error: the file was changed while it was copied
                  --> 1.jpg
                   = fix: wait until it is whole, and run again
                """
            #expect(failure.message() == message)
            #expect(failure.fault == .environment)
            #expect(output.files.isEmpty)
            #expect(fixture.tree(output.workPath) == ["pictures/"])
            return
        }
        skip("a file that is changed while it is copied, because files are copied at once here")
    }

    @Test func foldersThatCannotBeMade() {
        for root in ["", "/proc/nowhere", "/proc/nowhere/below"] {
            #expect(problem { _ = try OutputFolder(root: root, id: "a") } != nil)
        }
    }

    @Test func copiesThatFailLeaveNothing() throws {
        let fixture = try OutputFixture()
        let path = try fixture.folder.write("abc", to: "in.bin")
        #expect(mkfifo(fixture.folder.path + "/fifo", 0o600) == 0)
        let output = try fixture.open()
        let missing = try #require(
            problem { try output.copy(FileLocation(path: path + "x"), name: "pictures/1.jpg", to: "a") })
        #expect(missing.place.file == "pictures/1.jpg")
        #expect(missing.fault == .input)
        #expect(
            problem { try output.copy(FileLocation(path: path, range: 1..<9), name: "n", to: "b") }?.fault == .input)
        #expect(
            problem { try output.copy(FileLocation(path: fixture.folder.path + "/fifo"), name: "n", to: "c") }?.summary
                == "this is not a regular file")
        #expect(
            problem { try output.copy(FileLocation(path: fixture.folder.path), name: "n", to: "d") }?.fault == .input)
        #expect(output.files.isEmpty)
        #expect(fixture.tree(output.workPath).isEmpty)
    }

    @Test func filesOfOtherPrograms() throws {
        let fixture = try OutputFixture()
        let output = try fixture.open()
        let bytes = noise(300_000)
        try Data(bytes).write(to: URL(fileURLWithPath: try output.externalPath(for: "video/a.mp4")))
        try output.adopt("video/a.mp4")
        #expect(output.files.map(\.path) == ["video/a.mp4"])
        #expect(output.files.map(\.byteCount) == [300_000])
        #expect(output.files.map(\.digest) == [Digest.of(bytes)])
        let missing = try #require(problem { try output.adopt("video/b.mp4") })
        #expect(missing.fault == .environment)
        #expect(missing.place.file == "\(output.publishedPath)/video/b.mp4")
        try output.publish(receipt: Array(OutputFixture.receipt.utf8))
        #expect(fixture.tree() == [".scanmill/work/", "scan/receipt.json", "scan/video/a.mp4"])
    }

    @Test func filesAreSortedByTheirBytes() throws {
        let fixture = try OutputFixture()
        let output = try fixture.open()
        for path in ["b", "a/c", "a.b", "Z", "é", "a-1"] { try output.write([], to: path) }
        #expect(output.files.map(\.path) == ["Z", "a-1", "a.b", "a/c", "b", "é"])
    }

    @Test(arguments: [
        "", "/", "/etc/passwd", "..", "../a", "a/../../b", "a//b", "a/", ".", "./a", "a/.", "a\0b", "a/b\0",
    ])
    func unsafePathsAreRefused(_ path: String) throws {
        let fixture = try OutputFixture()
        let output = try fixture.open()
        let location = FileLocation(path: try fixture.folder.write("abc", to: "in.bin"))
        for attempt in [
            { try output.write([1], to: path) }, { _ = try output.create(path) },
            { _ = try output.externalPath(for: path) },
            { try output.adopt(path) }, { try output.copy(location, name: "in.bin", to: path) },
            { try output.copy(MemorySource(name: "x", [1]), to: path) },
        ] as [() throws -> Void] {
            let failure = try #require(problem(of: attempt))
            #expect(failure.summary == "an output path leaves its folder")
        }
        #expect(fixture.tree(output.workPath).isEmpty)
    }

    @Test(arguments: ["a", "a/b/c.d", "...", "a..b", ".hidden", "-x", "a b", "ä", "a\\b"]) func odd(_ path: String)
        throws
    {
        let fixture = try OutputFixture()
        let output = try fixture.open()
        try output.write([1], to: path)
        #expect(output.files.map(\.path) == [path])
    }

    // MARK: - Ids and places

    @Test(arguments: [
        ("", "the capture has no name"),
        ("receipt.json", "`receipt.json` cannot be a capture's id: its files could not be told from the receipt"),
        (".", "`.` cannot be a capture's id: it begins with a dot"),
        ("..", "`..` cannot be a capture's id: it begins with a dot"),
        (".scanmill", "`.scanmill` cannot be a capture's id: it begins with a dot"),
        // `status` and the search for captures pass over what is hidden.
        (".hidden", "`.hidden` cannot be a capture's id: it begins with a dot"),
        ("receipt", "`receipt` cannot be a capture's id: its files could not be told from the receipt"),
        ("a/b", "the capture's id holds a control character or a slash"),
        ("/", "the capture's id holds a control character or a slash"),
        ("a\nb", "the capture's id holds a control character or a slash"),
        ("a\0", "the capture's id holds a control character or a slash"),
        ("\u{7f}", "the capture's id holds a control character or a slash"),
        (String(repeating: "x", count: 201), "the capture's id is 201 bytes long, more than 200"),
        (String(repeating: "ä", count: 101), "the capture's id is 202 bytes long, more than 200"),
    ]) func idsThatAreNoNames(_ id: String, _ summary: String) throws {
        let fixture = try OutputFixture()
        let failure = try #require(problem { _ = try fixture.open(id) })
        #expect(failure.summary == summary)
        #expect(failure.fault == .input)
        #expect(!FileSystem.exists(fixture.root))
    }

    @Test(arguments: [
        "a b", "-x", "--", "ä", "a\u{308}", "椅子", "x.y", "*", "a'b\"c", "\\",
        String(repeating: "x", count: 200),
        String(repeating: "ä", count: 100),
    ]) func idsThatAreOdd(_ id: String) throws {
        let fixture = try OutputFixture()
        try fixture.publish(["a": "a"], id: id)
        try fixture.publish(["a": "a"], id: id)
        #expect(fixture.tree() == [".scanmill/work/", "\(id)/a", "\(id)/receipt.json"].sorted())
    }

    @Test func aFileInPlaceOfOUT() throws {
        let fixture = try OutputFixture()
        try fixture.folder.write("", to: "out")
        let failure = try #require(problem { _ = try fixture.open() })
        #expect(
            failure.message() == """
                error: cannot make the folder: a file stands in its way
                  --> \(fixture.root)
                   = fix: move the file, or name another folder
                """)
        #expect(failure.fault == .environment)
        #expect(problem { _ = try OutputFolder(root: "", id: "scan") }?.fault == .usage)
    }

    /// Below a mount point whose disk went away, it would lie where nobody looks.
    @Test func aWorkFolderThatWentAwayIsNotMadeAnew() throws {
        let fixture = try OutputFixture()
        let output = try fixture.open()
        try FileManager.default.removeItem(atPath: fixture.root)
        let failures = [problem { _ = try output.create("deep/a.txt") }, problem { _ = try output.scratchPath("x") }]
        let summary = "cannot make the folder: No such file or directory"
        #expect(failures.map { $0?.summary } == [summary, summary])
        #expect(failures.map { $0?.fault } == [.environment, .environment])
        #expect(!FileSystem.exists(fixture.root))
    }

    @Test func aFolderThatMayNotBeWrittenTo() async {
        await #expect(processExitsWith: .success) {
            let fixture = try OutputFixture()
            _ = try FileSystem.makeFolders(fixture.root)
            // Root may do everything.
            let user = geteuid()
            precondition(chmod(fixture.root, 0o555) == 0)
            if user == 0 { precondition(chmod(fixture.folder.path, 0o755) == 0 && seteuid(65534) == 0) }
            let failure = problem { _ = try fixture.open() }
            if user == 0 { precondition(seteuid(0) == 0) }
            precondition(chmod(fixture.root, 0o700) == 0)
            precondition(failure?.fault == .environment)
            precondition(
                failure?.summary == "cannot make the folder: Permission denied", "\(String(describing: failure))")
        }
    }

    @Test func aFilesystemThatIsReadOnly() throws {
        let fixture = try OutputFixture()
        try fixture.onSmallDisk("ro,size=64k", else: "a read-only filesystem") {
            let failure = try #require(problem { _ = try fixture.open() })
            #expect(failure.fault == .environment)
            #expect(failure.summary == "cannot make the folder: Read-only file system")
            #expect(failure.fix?.hasPrefix("that filesystem is mounted read-only: mount it writable") == true)
        }
    }

    /// A publish that cannot be made durable because the disk is full leaves the older result as it was.
    @Test func aFullDiskAtTheEnd() throws {
        let fixture = try OutputFixture()
        try fixture.onSmallDisk("size=128k", else: "a full disk") {
            try fixture.publish(["a": "old"])
            let output = try fixture.open()
            try output.write(noise(90_000), to: "a")
            let failure = try #require(problem { try output.publish(receipt: noise(90_000)) })
            #expect(failure.fault == .environment)
            #expect(try fixture.text("scan/a") == "old")
            output.abandon()
            #expect(fixture.tree() == [".scanmill/work/", "scan/a", "scan/receipt.json"])
        }
    }
}
