import Dispatch
import Foundation
import ScanModel
import ScanPipeline
import Synchronization
import TestSupport
import Testing

@Suite struct StateFolderTests {
    @Test func outBelongsToOnePipeline() throws {
        let fixture = try DiskFixture()
        let first = try fixture.pipeline("{name: first, stages: [read, write]}")
        let second = try fixture.pipeline("{name: second, stages: [read, write]}")
        #expect(try fixture.state.foreignOwner(for: first) == nil)
        #expect(!FileSystem.exists(fixture.output))
        let holds = try (0..<2).map { _ in try fixture.state.claim(for: first, replacing: false) }
        #expect(try fixture.state.foreignOwner(for: second)?.name == "first")
        let refused = try #require(problem { _ = try fixture.state.claim(for: second, replacing: false) })
        #expect(
            refused.message() == """
                error: \(fixture.output) is in use by a run of the pipeline `first`, not of `second`
                   = fix: wait until it ends, or choose another folder with -o
                """)
        #expect(refused.fault == .usage)
        let other = try fixture.state.claim(for: second, replacing: true)
        #expect(try fixture.state.foreignOwner(for: first)?.name == "second")
        for hold in holds + [other] { hold.release() }
        #expect(try fixture.state.foreignOwner(for: first) == nil)
    }

    /// A pipeline that was run first by mistake, and of which nothing came, or whose run was killed.
    @Test func whereNothingCameOfAPipeline() throws {
        let fixture = try DiskFixture()
        let (first, second) = ("{name: first, stages: [read, write]}", "{name: second, stages: [read, write]}")
        let hold = try fixture.state.claim(for: try fixture.pipeline(first), replacing: false)
        #expect(RunHold.isHeld(in: fixture.state))
        try fixture.write("{}", to: "out/.scanmill/failures/a.json")
        hold.release()
        #expect(!RunHold.isHeld(in: fixture.state))
        // What failed in it is no news of the other one.
        #expect(fixture.state.failed == ["a"])
        try fixture.state.claim(for: try fixture.pipeline(second), replacing: false).release()
        #expect(fixture.state.failed == [])
        try fixture.run(try fixture.capture("a"), second)
        #expect(try fixture.state.foreignOwner(for: try fixture.pipeline(first))?.name == "second")
        #expect(problem { _ = try fixture.state.claim(for: try fixture.pipeline(first), replacing: false) } != nil)
    }

    /// Of pipelines that begin at one moment, one gets the folder.
    @Test func oneOfManyClaimsWins() throws {
        for _ in 0..<20 {
            let fixture = try DiskFixture()
            let pipelines = try (0..<8).map { try fixture.pipeline("{name: p\($0), stages: [read, write]}") }
            let winners = Mutex<[(name: String, hold: RunHold)]>([])
            DispatchQueue.concurrentPerform(iterations: pipelines.count) { number in
                guard let hold = try? fixture.state.claim(for: pipelines[number], replacing: false) else { return }
                winners.withLock { $0.append((pipelines[number].name, hold)) }
            }
            let names = winners.withLock { $0.map(\.name) }
            #expect(names.count == 1)
            for pipeline in pipelines {
                let owner = try fixture.state.foreignOwner(for: pipeline)
                #expect((owner == nil) == names.contains(pipeline.name))
            }
        }
    }

    /// A link to another disk would let every capture be processed, and none be published.
    @Test(.enabled(if: FileSystem.isFolder("/dev/shm"), "no /dev/shm here"))
    func aStateFolderOnAnotherFilesystem() throws {
        let fixture = try DiskFixture()
        let elsewhere = try TemporaryFolder(in: "/dev/shm")
        guard !fixture.path.hasPrefix("/dev/shm") else {
            return skip("a state folder on another filesystem, because all temporary files lie on that one")
        }
        try FileSystem.makeFolders(fixture.output)
        #expect(symlink(elsewhere.path, fixture.state.path) == 0)
        let refused = try #require(
            problem { _ = try fixture.state.claim(for: try fixture.pipeline(), replacing: true) })
        let message = """
            error: it is on a different filesystem from the results, which are renamed out of it when they are whole
              --> \(fixture.state.path)
               = fix: move it into \(fixture.output), or put all of \(fixture.output) on the other filesystem
            """
        #expect(refused.message() == message)
        #expect(refused.fault == .usage)
        #expect(FileSystem.names(in: elsewhere.path) == [])
    }

    /// The state folder's own disk may be the right one. What is moved away for new results mostly needs none.
    @Test(.enabled(if: FileSystem.isFolder("/dev/shm"), "no /dev/shm here"))
    func aWorkFolderOnAnotherFilesystem() throws {
        let fixture = try DiskFixture()
        let elsewhere = try TemporaryFolder(in: "/dev/shm")
        guard !fixture.path.hasPrefix("/dev/shm") else {
            return skip("a work folder on another filesystem, because all temporary files lie on that one")
        }
        let (work, trash) = ("\(fixture.state.path)/work", "\(fixture.state.path)/trash")
        try FileSystem.makeFolders(fixture.state.path)
        #expect(symlink(elsewhere.path, work) == 0)
        let refused = try #require(
            problem { _ = try fixture.state.claim(for: try fixture.pipeline(), replacing: true) })
        let message = """
            error: it is on a different filesystem from the results, which are renamed out of it when they are whole
              --> \(work)
               = fix: remove this link: the next run makes a folder
            """
        #expect(refused.message() == message)
        #expect(refused.fault == .usage)
        #expect(rename(work, trash) == 0)
        _ = try fixture.state.claim(for: try fixture.pipeline(), replacing: false)
    }

    /// Whoever is stopped at that moment keeps its locks. The others give up in the end, and say where to look.
    @Test(.timeLimit(.minutes(1)), arguments: [".owner", ".runs"]) func nobodyWaitsForEver(_ name: String) throws {
        let fixture = try DiskFixture()
        let (first, second) = ("{name: first, stages: [read, write]}", "{name: second, stages: [read, write]}")
        try fixture.state.claim(for: try fixture.pipeline(first), replacing: false).release()
        #expect(fixture.comesFree(name))
        let lock = try #require(try StateLock(name, in: fixture.state))
        // Whose OUT is, needs only the lock that all runs hold together.
        let pipeline = try fixture.pipeline(name == ".runs" ? first : second)
        let refused = problem {
            _ = try fixture.state.claim(for: pipeline, replacing: true, patience: .milliseconds(20))
        }
        withExtendedLifetime(lock) {}
        #expect(refused?.summary == "another process has been taking this folder for more than 0 seconds")
        #expect(refused?.fault == .environment && refused?.place.file == fixture.state.lock(name))
    }

    /// They are nobody's to take over, and their own pipeline goes on with its other captures.
    @Test func resultsThatCannotBeSeen() async {
        await #expect(processExitsWith: .success) {
            let fixture = try DiskFixture()
            let (first, second) = ("{name: first, stages: [read, write]}", "{name: second, stages: [read, write]}")
            let inputs = try ["a", "b"].map { try fixture.capture($0) }
            try fixture.run(inputs[0], first)
            let other = try fixture.pipeline(second)
            func refusal() -> Problem? { problem { _ = try fixture.state.claim(for: other, replacing: false) } }
            try fixture.asPlainUser {
                precondition(chmod(fixture.output, 0o333) == 0)
                let unlisted = refusal()
                precondition(unlisted?.summary == "cannot list the folder: Permission denied")
                precondition(unlisted?.fault == .environment && unlisted?.place.file == fixture.output)
                precondition(chmod(fixture.output, 0o755) == 0)
                let result = "\(fixture.output)/a"
                precondition(chmod(result, 0) == 0)
                let shut = refusal()
                precondition(
                    shut?.summary == "\(fixture.output) may hold results of the pipeline `first`, not of `second`")
                precondition(
                    shut?.notes == ["cannot tell whether there is a result here: Permission denied (\(result))"])
                precondition(shut?.fix?.hasPrefix("choose another folder with -o; or let it be read") == true)
                precondition(shut?.fault == .usage)
                guard case .done? = try? fixture.run(inputs[1], first) else { preconditionFailure("not done") }
                precondition(chmod(result, 0o755) == 0)
                // Where the owner's name is lost, it is taken from the results.
                FileSystem.removeTree(fixture.state.path)
                precondition(chmod(fixture.output, 0o333) == 0)
                precondition(refusal()?.summary == unlisted?.summary)
                precondition(chmod(fixture.output, 0o755) == 0)
            }
        }
    }

    /// Then a run may be at work.
    @Test func aLockOfRunsThatMayNotBeRead() async {
        await #expect(processExitsWith: .success) {
            let fixture = try DiskFixture()
            let first = try fixture.pipeline("{name: first, stages: [read, write]}")
            let second = try fixture.pipeline("{name: second, stages: [read, write]}")
            try fixture.state.claim(for: first, replacing: false).release()
            let lock = fixture.state.lock(".runs")
            try fixture.asPlainUser {
                precondition(chmod(lock, 0) == 0)
                let closed = try fixture.state.foreignOwner(for: second)
                precondition(chmod(lock, 0o644) == 0)
                let open = try fixture.state.foreignOwner(for: second)
                precondition(closed?.name == "first" && open == nil)
            }
        }
    }

    /// Nobody's results are replaced by mistake.
    @Test func anOwnerThatCannotBeRead() throws {
        let fixture = try DiskFixture()
        _ = try fixture.state.claim(for: try fixture.pipeline(), replacing: false)
        try fixture.write("{", to: "out/.scanmill/owner.json")
        let refused = try #require(
            problem { _ = try fixture.state.claim(for: try fixture.pipeline(), replacing: true) })
        #expect(refused.fault == .environment)
        #expect(refused.summary == "it is unknown to which pipeline the results belong")
        #expect(refused.fix?.hasPrefix("it is damaged: remove it") == true)
        let plan = problem { _ = try fixture.state.foreignOwner(for: try fixture.pipeline()) }
        #expect(plan?.summary == refused.summary)
    }

    /// Whoever copies `OUT/*` leaves `.scanmill` behind, and a power cut may empty a file on FAT: the receipts still say
    /// whose the results are.
    @Test(arguments: [false, true]) func anOwnerThatWasLost(isEmptied: Bool) throws {
        let fixture = try DiskFixture()
        let first = "{name: first, stages: [read, write]}"
        for id in ["a", "b"] { try fixture.run(try fixture.capture(id), first) }
        let second = try fixture.pipeline("{name: second, stages: [read, write]}")
        FileSystem.removeTree(fixture.state.path)
        if isEmptied { try fixture.write("", to: "out/.scanmill/owner.json") }
        #expect(try fixture.state.foreignOwner(for: try fixture.pipeline(first)) == nil)
        #expect(try fixture.state.foreignOwner(for: second)?.name == "first")
        let refused = try #require(problem { _ = try fixture.state.claim(for: second, replacing: false) })
        #expect(refused.summary == "\(fixture.output) holds results of the pipeline `first`, not of `second`")
        #expect(FileSystem.exists(fixture.state.path) == isEmptied)
        // It is written down again.
        _ = try fixture.state.claim(for: try fixture.pipeline(first), replacing: false)
        #expect(try fixture.state.foreignOwner(for: second)?.name == "first")
        _ = try fixture.state.claim(for: second, replacing: true)
        #expect(try fixture.state.foreignOwner(for: second) == nil)
    }

    /// Lost while one pipeline replaced the other's results: both have some there, and either may go on.
    @Test func anOwnerThatWasLostAmongResultsOfTwo() throws {
        let fixture = try DiskFixture()
        let pipelines = ["first", "second"].map { "{name: \($0), stages: [read, write]}" }
        try fixture.run(try fixture.capture("a"), pipelines[0])
        _ = try fixture.state.claim(for: try fixture.pipeline(pipelines[1]), replacing: true)
        try fixture.run(try fixture.capture("b"), pipelines[1])
        FileSystem.removeTree(fixture.state.path)
        for text in pipelines { #expect(try fixture.state.foreignOwner(for: try fixture.pipeline(text)) == nil) }
        let third = try fixture.pipeline("{name: third, stages: [read, write]}")
        #expect(try fixture.state.foreignOwner(for: third)?.name == "first")
    }

    @Test func whatIsPublished() throws {
        let fixture = try DiskFixture()
        #expect(fixture.state.published == [])
        for path in ["b/receipt.json", "a/receipt.json", "none/file", ".hidden/receipt.json", "receipt.json"] {
            try fixture.write(OutputFixture.receipt, to: "out/\(path)")
        }
        // Somebody else's.
        try fixture.write(#"{"total": 12.50}"#, to: "out/c/receipt.json")
        #expect(fixture.state.published == ["a", "b"])
    }

    @Test(arguments: ["a", "a.b", "a.b.c.d", "ä b", String(repeating: "x", count: 200)])
    func workFoldersNameTheirCapture(_ id: String) throws {
        let fixture = try DiskFixture()
        let output = try OutputFolder(root: fixture.output, id: id)
        let name = String(output.workPath.split(separator: "/").last ?? "")
        #expect(name.utf8.count <= 255)
        #expect(StateFolder.id(ofWorkName: name) == id)
        #expect(StateFolder.id(ofWorkName: "a.b.c") == nil)
    }

    /// Names of pods agree in all but their ends.
    @Test func machinesAreToldApart() {
        let names = [
            "scanmill-nightly-28391234-bbbbb", "scanmill-nightly-28391234-ccccc", "scanmill.example.org", "nas",
        ]
        let words = names.map(StateFolder.hostWord)
        #expect(Set(words).count == names.count)
        #expect(words.allSatisfy { $0.utf8.count <= 24 && !$0.contains(".") })
        #expect(words.suffix(2) == ["scanmill-example-org", "nas"])
    }
}
