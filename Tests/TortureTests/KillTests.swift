import Foundation
import TestSupport
import Testing

extension Torture {
    /// R1: never a half-written result in sight after kill -9. R3: a rerun converges to byte-identical results.
    @Suite struct KillTests {
        static let fault = "signal=KILL"

        /// Kills at one point and looks at what is there before and after a rerun.
        private static func check(
            _ strace: Strace, _ point: FaultPoint, replacing: Bool, sabotage: String = ""
        ) throws -> (wasHit: Bool, torn: [String], rerun: [String]) {
            let rig = strace.rig
            if replacing { try rig.publishOld() } else { try rig.clear() }
            _ = try strace.run(.new, fault: fault, at: point, sabotage: sabotage)
            try rig.waitForOrphans()
            let wasHit = try strace.wasHit(point, fault: fault)
            let torn = rig.findings(replacing ? [.old, .new] : [.new], orAbsent: !replacing)
            return (wasHit, torn, try rig.findingsOfRerun())
        }

        @Test(arguments: [Strace.Target.capture, .batch], [false, true])
        func atEverySystemCall(_ target: Strace.Target, replacing: Bool) throws {
            guard Torture.has(.strace, for: "kills at system calls") else { return }
            let strace = try Strace(try Rig(), target)
            if replacing { try strace.rig.publishOld() }
            let points = try strace.points(.new)
            // The number falls when calls go unseen, which would make this test say less than it seems to.
            #expect(points.count >= (target == .capture ? 49 : 8), "\(points)")
            let chosen =
                Torture.spread(Torture.times(short: 5, full: .max), over: points.count).map { points[$0] }
                + (Torture.isFull ? [] : points.filter { $0.call.hasPrefix("rename") })
            var hits = 0
            for point in Set(chosen) {
                // The batch's own process works in several threads, and which of them makes a call is chance.
                for attempt in 1...(target == .batch ? 5 : 1) {
                    let found = try Self.check(strace, point, replacing: replacing)
                    #expect(found.torn == [], "killed at \(point)")
                    #expect(found.rerun == [], "rerun after a kill at \(point)")
                    if found.wasHit {
                        hits += 1
                        break
                    }
                    #expect(
                        target == .batch,
                        "\(point): no fault was injected in attempt \(attempt); the last calls: \(strace.lastWords)")
                }
            }
            #expect(hits >= Set(chosen).count / 2)
            Torture.say(
                "killed at \(hits) of \(points.count) system calls of the \(target)'s process, "
                    + (replacing ? "replacing" : "fresh") + ": 0 torn")
        }

        /// The library that keeps the calls apart for strace hides none from it.
        @Test func everyCallIsSeen() throws {
            guard Torture.has(.strace, for: "the count of system calls") else { return }
            for target in [Strace.Target.capture, .batch] {
                let strace = try Strace(try Rig(), target)
                let seen = try strace.points(.old).map(\.subject)
                try strace.rig.clear()
                #expect(try strace.points(.old, isBare: true).map(\.subject) == seen)
            }
        }

        /// A filesystem that cannot swap two names: the older result is moved away first, and may be absent for a moment.
        @Test func whereNamesCannotBeSwapped() throws {
            guard Torture.has(.strace, for: "kills where names cannot be swapped") else { return }
            let strace = try Strace(try Rig(), .capture)
            let rig = strace.rig
            try rig.publishOld()
            let points = try strace.points(.new, sabotage: "no-exchange")
            let renames = points.filter { $0.call.hasPrefix("rename") }
            let chosen = Torture.isFull ? points : renames + points.filter { $0.call == "unlinkat" }.prefix(2)
            for point in chosen {
                try rig.publishOld()
                _ = try strace.run(.new, fault: Self.fault, at: point, sabotage: "no-exchange")
                try rig.waitForOrphans()
                #expect(try strace.wasHit(point, fault: Self.fault), "\(point): no fault was injected")
                #expect(rig.findings([.old, .new], orAbsent: true) == [], "killed at \(point)")
                #expect(try rig.findingsOfRerun() == [], "rerun after a kill at \(point)")
            }
            Torture.say("killed at \(chosen.count) system calls without RENAME_EXCHANGE: 0 torn")
        }

        /// The same check must find fault with a protocol that writes straight to the final name.
        @Test(arguments: [false, true]) func turnsRedWhenWritingStraightToTheFinalName(replacing: Bool) throws {
            guard Torture.has(.strace, for: "kills of the broken protocol") else { return }
            let strace = try Strace(try Rig(), .capture)
            if replacing { try strace.rig.publishOld() }
            let points = try strace.points(.new, sabotage: "straight")
            #expect(try strace.rig.findingsOfRerun() == [], "undisturbed, the broken protocol works")
            let chosen = Torture.spread(Torture.times(short: 8, full: .max), over: points.count).map { points[$0] }
            var torn = 0
            for point in chosen
            where try !Self.check(strace, point, replacing: replacing, sabotage: "straight").torn.isEmpty { torn += 1 }
            #expect(torn > 0)
            Torture.say("writing straight to the final name: \(torn) of \(chosen.count) kills leave a torn result")
        }

        /// kill -9 at any moment, of the batch, of one capture's process, or of everything.
        @Test func atRandom() throws {
            let rig = try Rig(["a", "b", "c", "d"])
            let rounds = Torture.times(short: 24, full: 1000)
            var random = SplitMix(seed: 20)
            // How long an undisturbed run takes: kills are spread over this time.
            let began = ContinuousClock.now
            try rig.run(.old, ["--jobs", "2", "--force"]).require(0)
            let microseconds = UInt64((ContinuousClock.now - began) / .microseconds(1))
            var (hits, amid, round) = (0, 0, 0)
            // How many come amid publishing depends on the machine.
            while round < rounds || (amid == 0 && round < 10 * rounds) {
                defer { round += 1 }
                // The setting changes with every round, so that each round replaces what the one before published.
                let (before, now): (Rig.Setting, Rig.Setting) = round % 2 == 0 ? (.old, .new) : (.new, .old)
                let isFresh = round % 10 == 9
                if isFresh { try rig.clear() }
                let process = try rig.start(now, ["--jobs", "2"])
                usleep(useconds_t(random.next() % microseconds))
                switch random.next() % 3 {
                case 0: kill(process.processIdentifier, SIGKILL)
                case 1: for victim in rig.processes where victim != process.processIdentifier { kill(victim, SIGKILL) }
                default: for victim in rig.processes { kill(victim, SIGKILL) }
                }
                process.waitUntilExit()
                try rig.waitForOrphans()
                if process.terminationReason == .uncaughtSignal || process.terminationStatus != 0 { hits += 1 }
                if !rig.names(".scanmill/work").isEmpty { amid += 1 }
                let torn = rig.findings(isFresh ? [now] : [before, now], orAbsent: isFresh)
                #expect(torn == [], "round \(round)")
                let rerun = try rig.findingsOfRerun(now, ["--jobs", "2"])
                #expect(rerun == [], "rerun after round \(round)")
            }
            #expect(hits > round / 4)
            #expect(amid > 0)
            Torture.say("\(round) random kills, \(hits) hit, \(amid) amid publishing: 0 torn")
        }
    }
}
