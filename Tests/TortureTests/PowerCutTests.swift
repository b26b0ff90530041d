import Foundation
import TestSupport
import Testing

extension Torture {
    /// R2: after a power cut every acknowledged result is whole. R3: a rerun converges.
    @Suite struct PowerCutTests {
        /// Two captures: the first one's result is acknowledged right before the power is cut under the second one's.
        struct Bench {
            let disk: LoopDisk
            let rig: Rig
            let sabotage: String

            init(sabotage: String = "") throws {
                disk = try LoopDisk()
                rig = try Rig(["a", "b"], output: "\(disk.path)/out")
                self.sabotage = sabotage
                try rig.run(.old).require(0)
                try disk.keep(as: "old")
            }

            private var environment: [String: String] {
                ["LD_PRELOAD": Torture.sabotageLibrary, "SABOTAGE": sabotage, "SABOTAGE_BELOW": rig.output]
            }

            private var log: String { rig.folder.url("calls").path }

            func begin(replacing: Bool) throws {
                try disk.restore(replacing ? "old" : "empty")
                try rig.run(.new, ["--jobs", "1", "--only", "a"], environment: environment).require(0)
            }

            /// Runs the second capture.
            /// - Parameter cut: where the power goes, as SABOTAGE_CUT takes it; nil looks on and returns the calls.
            func run(cut: String?) throws -> (calls: [String], acknowledged: Set<String>) {
                try? FileManager.default.removeItem(atPath: log)
                var environment = environment
                environment["SABOTAGE_LOG"] = log
                environment["SABOTAGE_CUT"] = cut
                let result = try rig.run(environment: environment)
                let calls = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").map(String.init)
                return (calls, Set(Rig.done(in: result.output)).union(["a"]))
            }

            /// What the disk holds after the power is back.
            func findings(_ acknowledged: Set<String>, replacing: Bool) throws -> [String] {
                try disk.powerUp()
                return rig.findings([.old, .new], orAbsent: !replacing)
                    + acknowledged.sorted().filter { rig.tree($0) != rig.references[.new]?[$0] }
                    .map { "\($0) was acknowledged, and is lost" }
            }
        }

        private static func isPossible(for subject: String) -> Bool {
            Torture.has(.root, .loopDevice, for: subject)
        }

        @Test(arguments: [false, true], [false, true])
        func atEverySystemCall(replacing: Bool, flush: Bool) throws {
            guard Self.isPossible(for: "power cuts") else { return }
            let bench = try Bench()
            try bench.begin(replacing: replacing)
            let calls = try bench.run(cut: nil).calls
            #expect(calls.count >= 45, "\(calls)")
            var cuts = 0
            for position in Torture.spread(Torture.times(short: 4, full: .max), over: calls.count) {
                try bench.begin(replacing: replacing)
                let (seen, acknowledged) = try bench.run(cut: "\(position + 1)" + (flush ? ",flush" : ""))
                #expect(seen.count { $0.hasPrefix("CUT BEFORE ") } == 1)
                cuts += 1
                #expect(
                    try bench.findings(acknowledged, replacing: replacing) == [], "power cut before \(calls[position])")
                #expect(try bench.rig.findingsOfRerun() == [], "rerun after a power cut before \(calls[position])")
            }
            Torture.say(
                "\(cuts) power cuts at \(calls.count) system calls, \(replacing ? "replacing" : "fresh")"
                    + "\(flush ? ", journal written" : ""): 0 torn, 0 lost")
        }

        @Test func atRandom() throws {
            guard Self.isPossible(for: "random power cuts") else { return }
            let bench = try Bench()
            let rig = bench.rig
            let rounds = Torture.times(short: 4, full: 100)
            var random = SplitMix(seed: 2)
            var acknowledgements = 0
            let began = ContinuousClock.now
            try rig.run(.new).require(0)
            // A little longer than an undisturbed run takes, so that some results are acknowledged.
            let microseconds = UInt64((ContinuousClock.now - began) / .microseconds(1)) * 5 / 4
            for round in 0..<rounds {
                let replacing = round % 2 == 1
                try bench.disk.restore(replacing ? "old" : "empty")
                let process = try rig.start()
                usleep(useconds_t(random.next() % microseconds))
                try bench.disk.cutPower(flush: random.next() % 2 == 0)
                process.waitUntilExit()
                let output = String(decoding: try rig.folder.bytes("run.out"), as: UTF8.self)
                let acknowledged = Set(Rig.done(in: output))
                acknowledgements += acknowledged.count
                #expect(try bench.findings(acknowledged, replacing: replacing) == [], "round \(round): \(output)")
                #expect(try rig.findingsOfRerun() == [], "rerun after round \(round)")
            }
            // Of a few cuts none may come late enough.
            if rounds >= 100 { #expect(acknowledgements > 0) }
            Torture.say("\(rounds) random power cuts, \(acknowledgements) results acknowledged: 0 torn, 0 lost")
        }

        /// A runner that was killed between giving a result its name and making that durable leaves it to the next one,
        /// whose "up to date" is an acknowledgement like any other.
        @Test func upToDateIsAnAcknowledgement() throws {
            guard Self.isPossible(for: "a power cut after a kill"), Torture.has(.strace, for: "the same") else {
                return
            }
            let disk = try LoopDisk()
            let strace = try Strace(try Rig(output: "\(disk.path)/out"), .capture)
            let point = try #require(try strace.points(.new).last { $0.call == "fsync" && $0.subject.isEmpty })
            try disk.restore("empty")
            _ = try strace.run(.new, fault: "signal=KILL", at: point)
            #expect(try strace.wasHit(point, fault: "signal=KILL"))
            let rerun = try strace.rig.run()
            #expect(rerun.output.hasPrefix("1 capture: 1 up to date"), "\(rerun.output)")
            try disk.cutPower()
            try disk.powerUp()
            #expect(strace.rig.findings([.new], orAbsent: false) == [])
        }

        /// The same check must find fault with a protocol that leaves out fsync, or only the syncfs for the many files.
        @Test(arguments: [false, true], ["no-fsync", "no-syncfs"])
        func turnsRedWithoutFsync(replacing: Bool, sabotage: String) throws {
            guard Self.isPossible(for: "power cuts of the broken protocol") else { return }
            let bench = try Bench(sabotage: sabotage)
            try bench.begin(replacing: replacing)
            let calls = try bench.run(cut: nil).calls
            #expect(try bench.rig.findingsOfRerun() == [], "undisturbed, the broken protocol works")
            let chosen = Torture.spread(Torture.times(short: 2, full: 20), over: calls.count)
            var (found, torn) = (0, 0)
            for position in chosen {
                for flush in ["", ",flush"] {
                    try bench.begin(replacing: replacing)
                    let acknowledged = try bench.run(cut: "\(position + 1)\(flush)").acknowledged
                    let findings = try bench.findings(acknowledged, replacing: replacing)
                    if !findings.isEmpty { found += 1 }
                    if findings.contains(where: { $0.contains("is torn") }) { torn += 1 }
                }
            }
            #expect(found > 0)
            Torture.say(
                "\(sabotage), \(replacing ? "replacing" : "fresh"): \(found) of \(2 * chosen.count) power cuts "
                    + "lose an acknowledged result or tear one, \(torn) tear one")
        }
    }
}
