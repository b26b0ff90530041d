import Foundation
import ScanModel
import ScanPipeline
import Synchronization
import TestSupport
import Testing

@Suite struct LeftoversTests {
    @Test func onlyWhatNobodyWorksOnGoes() throws {
        let fixture = try DiskFixture()
        for name in [
            "work/a.\(StateFolder.host).1.x/f", "work/b.c.\(StateFolder.host).2.y/f",
            "work/held.\(StateFolder.host).3.z/f", "trash/old/f",
        ] {
            try fixture.write("", to: "out/.scanmill/\(name)")
        }
        let base = fixture.output + "/.scanmill"
        do {
            let lock = try StateLock("held", in: fixture.state)
            #expect(lock != nil)
            let foreseen = try Leftovers.foreseen(in: fixture.state).removed
            let removed = try Leftovers.collect(in: fixture.state).removed
            #expect(removed == foreseen)
            #expect(
                removed == [
                    "\(base)/work/a.\(StateFolder.host).1.x", "\(base)/work/b.c.\(StateFolder.host).2.y",
                    "\(base)/trash/old",
                ])
            #expect(FileSystem.names(in: base + "/work") == ["held.\(StateFolder.host).3.z"])
            #expect(FileSystem.names(in: base + "/trash") == [])
            withExtendedLifetime(lock) {}
        }
        #expect(fixture.comesFree("held"))
        #expect(try Leftovers.collect(in: fixture.state).removed == ["\(base)/work/held.\(StateFolder.host).3.z"])
        #expect(try Leftovers.collect(in: fixture.state).removed == [])
    }

    /// To Swift, some characters make one with a dot behind them.
    @Test func namesWhoseLastCharacterTakesTheDot() throws {
        let fixture = try DiskFixture()
        let id = "a\u{600}"
        #expect(StateFolder.id(ofWorkName: "\(id).host.1.x") == id)
        try fixture.write("{}", to: "out/.scanmill/failures/\(id).json")
        #expect(fixture.state.failed == [id])
        try fixture.write(OutputFixture.receipt, to: "out/.scanmill/trash/\(id).x/receipt.json")
        let collected = try Leftovers.collect(in: fixture.state)
        #expect(collected.putBack == ["\(fixture.state.path)/trash/\(id).x"])
        #expect(FileSystem.exists("\(fixture.output)/\(id)/receipt.json"))
    }

    /// Locks may not reach other machines, as on some network shares: what a name says to be theirs is left to them.
    @Test func workOfOtherMachinesStays() throws {
        let fixture = try DiskFixture()
        try fixture.write("half", to: "out/.scanmill/work/a.elsewhere.1.x/deep/f")
        #expect(try Leftovers.collectWork(in: fixture.state).isEmpty)
        guard case .done = try fixture.run(try fixture.capture("a")) else {
            Issue.record("not run")
            return
        }
        #expect(try Leftovers.collect(in: fixture.state).removed == [])
        #expect(FileSystem.names(in: fixture.state.path + "/work") == ["a.elsewhere.1.x"])
    }

    /// Where a link leads, others may keep files, and some have names like those of leftovers.
    @Test(arguments: ["work", "trash", "failures", "inputs", "thumbnails", "drawings", "runs", "locks"])
    func nothingBehindALinkIsSwept(_ part: String) throws {
        let fixture = try DiskFixture()
        let input = try fixture.capture("a")
        try fixture.run(input)
        let work = "a.\(StateFolder.host).1.x"
        for name in ["gone.json", "gone.jpg", "gone", "a.json", ".draft"] {
            try fixture.write("x", to: "kept/\(name)", minutesAgo: 120)
        }
        for name in [work, "old", "a.old"] + (0...110).map({ "run-\($0)" }) {
            try fixture.write("x", to: "kept/\(name)/f", minutesAgo: 120)
        }
        let link = "\(fixture.state.path)/\(part)"
        FileSystem.removeTree(link)
        #expect(symlink("\(fixture.path)/kept", link) == 0)
        #expect(fixture.state.linkedParts == [link])
        let before = FileSystem.names(in: "\(fixture.path)/kept")
        for isForced in [false, true] {
            try fixture.run(input, forced: isForced)
            let foreseen = try Leftovers.foreseen(in: fixture.state)
            let found = try Leftovers.collect(in: fixture.state)
            #expect(foreseen.isEmpty && found.isEmpty, "\(found)")
        }
        #expect(Set(before).isSubset(of: FileSystem.names(in: "\(fixture.path)/kept")))
        #expect(FileSystem.names(in: "\(fixture.path)/kept/\(work)") == ["f"])
    }

    /// Of results that were moved away for new ones, the last comes back where there is no new one. The others go.
    @Test func resultsThatWereMovedAway() throws {
        let fixture = try DiskFixture()
        for name in ["trash/lost.2a", "trash/lost.1a", "trash/done.x", "trash/a.b.y", "trash/held.z", "trash/odd.w"] {
            try fixture.write(name, to: "out/.scanmill/\(name)/receipt.json")
        }
        // It is renamed once more, and so the last.
        let trash = fixture.state.path + "/trash"
        #expect(rename("\(trash)/lost.1a", "\(trash)/lost.0a") == 0)
        try fixture.write(OutputFixture.receipt, to: "out/done/receipt.json")
        try fixture.write("precious", to: "out/odd/file")
        let lock = try StateLock("held", in: fixture.state)
        let foreseen = try Leftovers.foreseen(in: fixture.state)
        #expect(FileSystem.names(in: trash).count == 6 && FileSystem.names(in: fixture.output).contains("a.b") == false)
        let collected = try Leftovers.collect(in: fixture.state)
        withExtendedLifetime(lock) {}
        #expect(Set(collected.removed) == ["\(trash)/done.x", "\(trash)/lost.2a"])
        #expect(Set(collected.putBack) == ["\(trash)/a.b.y", "\(trash)/lost.0a"])
        for list in [\Leftovers.Found.removed, \.putBack, \.left] {
            #expect(Set(foreseen[keyPath: list]) == Set(collected[keyPath: list]))
        }
        #expect(
            fixture.results().mapValues { String(decoding: $0, as: UTF8.self) } == [
                "a.b/receipt.json": "trash/a.b.y", "done/receipt.json": OutputFixture.receipt,
                "lost/receipt.json": "trash/lost.1a", "odd/file": "precious",
            ])
        #expect(FileSystem.names(in: trash) == ["held.z", "odd.w"])
        #expect(collected.left == ["\(trash)/odd.w"])
    }

    /// Its removal may be cut short, and the newer result moved away before the next run.
    @Test func aReplacedResultNeverComesBack() throws {
        let fixture = try DiskFixture()
        try fixture.write(OutputFixture.receipt, to: "out/.scanmill/trash/a.x/receipt.json")
        try fixture.write("", to: "out/.scanmill/trash/a.x/deep/file")
        try fixture.write(OutputFixture.receipt, to: "out/a/receipt.json")
        let result = try runCommand(["chattr", "+i", "\(fixture.state.path)/trash/a.x/deep"])
        guard result.status == 0 else { return skip("this filesystem has no immutable folders (chattr +i)") }
        defer { _ = try? runCommand(["sh", "-c", "chattr -i \(fixture.state.path)/*/a.*/deep"]) }
        try Leftovers.collectWork(in: fixture.state)
        try FileManager.default.removeItem(atPath: "\(fixture.output)/a")
        try Leftovers.collectWork(in: fixture.state)
        #expect(fixture.results().isEmpty)
        #expect(FileSystem.names(in: "\(fixture.state.path)/trash") == [])
        #expect(FileSystem.names(in: "\(fixture.state.path)/work").count == 1, "it is still to go")
    }

    /// Another user's folder, say. It is renamed before it is to go, and is there all the same.
    @Test func whatCannotBeRemovedIsLeft() async {
        await #expect(processExitsWith: .success) {
            let fixture = try DiskFixture()
            let name = "a.\(StateFolder.host).1.x"
            for file in ["work/\(name)/closed/f", "work/b.\(StateFolder.host).1.x/f", "trash/a.y/f"] {
                try fixture.write("", to: "out/.scanmill/\(file)")
            }
            try fixture.write(OutputFixture.receipt, to: "out/a/receipt.json")
            try fixture.asPlainUser {
                let work = "\(fixture.state.path)/work"
                precondition(chmod("\(work)/\(name)/closed", 0) == 0)
                let first = try Leftovers.collect(in: fixture.state)
                let removed = ["trash/a.y", "work/b.\(StateFolder.host).1.x"].map { "\(fixture.state.path)/\($0)" }
                precondition(first.removed.sorted() == removed && first.putBack.isEmpty, "\(first)")
                precondition(first.left == FileSystem.names(in: work).map { "\(work)/\($0)" }, "\(first)")
                precondition(first.left.count == 1 && first.left != ["\(work)/\(name)"], "\(first)")
                let second = try Leftovers.collect(in: fixture.state)
                precondition(second.removed.isEmpty && second.left.count == 1, "\(second)")
                precondition(chmod("\(second.left[0])/closed", 0o755) == 0)
                let third = try Leftovers.collect(in: fixture.state)
                precondition(third.removed == second.left, "\(third)")
                precondition(FileSystem.names(in: work) == [])
            }
        }
    }

    // MARK: - Without locks

    /// Nobody knows who still works: what is young stays. But no place is left without its older result.
    @Test func withoutLocksOnlyWhatIsOldGoes() throws {
        let fixture = try DiskFixture()
        let names = [
            "work/a.\(StateFolder.host).1.x/f", "work/a.elsewhere.1.y/f", "trash/done.x/receipt.json",
            "trash/lost.2a/receipt.json", "trash/lost.1a/receipt.json", "trash/odd.w/receipt.json",
        ]
        for name in names { try fixture.write(OutputFixture.receipt, to: "out/.scanmill/\(name)") }
        let (work, trash) = ("\(fixture.state.path)/work", "\(fixture.state.path)/trash")
        #expect(rename("\(trash)/lost.1a", "\(trash)/lost.0a") == 0)
        try fixture.write(OutputFixture.receipt, to: "out/done/receipt.json")
        try fixture.write("precious", to: "out/odd/file")
        let (hour, day) = (3_600_000_000_000, 86_400_000_000_000) as (Int64, Int64)
        var rounds: [Leftovers.Found] = []
        for later in [0, day - hour, day + hour] {
            let rule = Leftovers.Rule(hasLocks: false, now: wallClock() + later)
            let foreseen = try Leftovers.foreseen(in: fixture.state, rule)
            let found = try Leftovers.collect(in: fixture.state, rule)
            for list in [\Leftovers.Found.removed, \.putBack, \.left] {
                #expect(Set(foreseen[keyPath: list]) == Set(found[keyPath: list]))
            }
            rounds.append(found)
        }
        #expect(rounds.map(\.putBack) == [["\(trash)/lost.0a"], [], []])
        #expect(rounds.map(\.left) == Array(repeating: ["\(trash)/odd.w"], count: 3))
        #expect(rounds[0].removed.isEmpty && rounds[1].removed.isEmpty)
        let old = ["a.\(StateFolder.host).1.x", "a.elsewhere.1.y"].map { "\(work)/\($0)" }
        #expect(Set(rounds[2].removed) == Set(old + ["\(trash)/done.x", "\(trash)/lost.2a"]))
        #expect(FileSystem.exists("\(fixture.output)/lost/receipt.json"))
        #expect(FileSystem.names(in: trash) == ["odd.w"] && FileSystem.names(in: work) == [])
    }

    /// A runner that is about to put the new result into the place that others find empty is not disturbed by them.
    @Test func aRunnerThatIsAlivePublishesAllTheSame() throws {
        let fixture = try OutputFixture()
        let state = StateFolder(output: fixture.root)
        try fixture.publish(["number": "0"])
        let isDone = Mutex(false)
        @Sendable func publish(_ round: Int) throws {
            let output = try OutputFolder(root: fixture.root, id: "scan") { _, _ in
                errno = EINVAL
                return -1
            }
            try output.write(Array("\(round)".utf8), to: "number")
            try output.publish(receipt: Array(OutputFixture.receipt.utf8))
            #expect(try fixture.text("scan/number") == "\(round)")
        }
        DispatchQueue.concurrentPerform(iterations: 2) { number in
            if number == 0 {
                #expect(throws: Never.self) { for round in 1...50 { try publish(round) } }
                return isDone.withLock { $0 = true }
            }
            while !isDone.withLock({ $0 }) {
                #expect(throws: Never.self) { try Leftovers.collectWork(in: state, Leftovers.Rule(hasLocks: false)) }
            }
        }
        let ended = fixture.tree().filter { !$0.hasPrefix(".scanmill/locks") }
        #expect(ended == [".scanmill/trash/", ".scanmill/work/", "scan/number", "scan/receipt.json"])
    }

    /// After a night that was killed. To look for each capture's among all of them would take many seconds of processor
    /// time, however busy the machine is.
    @Test func manyLeftoversTakeNoLonger() throws {
        let fixture = try DiskFixture()
        for number in 0..<2500 {
            try FileSystem.makeFolders("\(fixture.state.path)/work/\(number).\(StateFolder.host).1.x")
        }
        try fixture.write(OutputFixture.receipt, to: "out/.scanmill/trash/7.x/receipt.json")
        let began = Self.secondsOfThread
        #expect(try Leftovers.collectWork(in: fixture.state).count == 2501)
        #expect(Self.secondsOfThread - began < 4 || Sanitizer.isOn)
        #expect(FileSystem.names(in: "\(fixture.state.path)/work") == [])
        #expect(FileSystem.exists("\(fixture.output)/7/receipt.json"))
    }

    private static var secondsOfThread: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// A runner that finds the lock held takes the capture for busy, and does not come back to it.
    @Test func removingTakesNoLock() throws {
        let fixture = try DiskFixture()
        let name = "a.\(StateFolder.host).1.x"
        for file in 0..<4000 { try fixture.write("", to: "out/.scanmill/work/\(name)/\(file % 40)/\(file)") }
        let work = "\(fixture.state.path)/work"
        DispatchQueue.concurrentPerform(iterations: 2) { number in
            if number == 0 {
                #expect(throws: Never.self) { try Leftovers.collectWork(in: fixture.state) }
                return
            }
            while FileSystem.exists("\(work)/\(name)") { usleep(50) }
            // Taken away, and not yet removed; it may be removed before this thread comes to look.
            var (attempts, isFree) = (0, false)
            while !isFree, !FileSystem.names(in: work).isEmpty {
                isFree = (try? StateLock("a", in: fixture.state)) != nil
                attempts += 1
            }
            #expect(isFree || attempts == 0)
        }
        #expect(FileSystem.names(in: work) == [])
    }
}
