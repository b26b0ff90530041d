import Foundation
import TestSupport
import Testing

extension Torture {
    /// R8: several runners on one output are safe without a server.
    @Suite struct RunnersTests {
        /// Locks only save work: without them everything must come out the same.
        @Test(arguments: ["", "no-locks", "no-locks,no-exchange"])
        func onTheSameList(_ sabotage: String) throws {
            let rig = try Rig(["a", "b", "c", "d"])
            let rounds = Torture.times(short: 4, full: sabotage.isEmpty ? 100 : 50)
            let environment =
                sabotage.isEmpty ? [:] : ["LD_PRELOAD": Torture.sabotageLibrary, "SABOTAGE": sabotage]
            var random = SplitMix(seed: 8)
            var (done, glances) = (0, 0)
            for round in 0..<rounds {
                let isFresh = round % 3 == 0
                let (before, now): (Rig.Setting, Rig.Setting) = round % 2 == 0 ? (.old, .new) : (.new, .old)
                if isFresh { try rig.clear() }
                let runners = try (0..<(2 + Int(random.next() % 7))).map {
                    try rig.start(now, ["--jobs", "2"], environment: environment, name: "run\($0)")
                }
                // Whoever reads meanwhile sees whole results.
                while runners.contains(where: \.isRunning) {
                    for id in rig.ids {
                        guard let receipt = FileManager.default.contents(atPath: "\(rig.output)/\(id)/receipt.json")
                        else { continue }
                        glances += 1
                        let known = [before, now].compactMap { rig.references[$0]?[id]?.files["receipt.json"] }
                        #expect(known.contains([UInt8](receipt)), "a receipt that is half written")
                    }
                    usleep(5000)
                }
                for (number, runner) in runners.enumerated() {
                    let output = String(decoding: try rig.folder.bytes("run\(number).out"), as: UTF8.self)
                    let errors = String(decoding: try rig.folder.bytes("run\(number).err"), as: UTF8.self)
                    done += output.split(separator: "\n").count { $0.hasPrefix("done ") }
                    let expected: Set<Int32> = sabotage.isEmpty ? [0, 75] : [0]
                    #expect(expected.contains(runner.terminationStatus), "round \(round): \(output)\(errors)")
                }
                #expect(rig.findings([now], orAbsent: false) == [], "round \(round)")
                #expect(rig.names(".scanmill/work") == [], "round \(round)")
            }
            #expect(glances > 0)
            Torture.say(
                "\(rounds) rounds of 2 to 8 runners, \(sabotage.isEmpty ? "with locks" : sabotage): "
                    + "\(done) results made for \(rounds * rig.ids.count) needed, 0 torn, identical")
        }
    }
}
