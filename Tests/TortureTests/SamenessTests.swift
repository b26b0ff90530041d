import Foundation
import TestSupport
import Testing

extension Torture {
    /// R5: the result does not depend on where, when and how it is made. R9: the input is never changed. R12: nor does a
    /// clock that jumps change anything. (Time zone, locale, umask and workers are in ReadyPipelinesTests.)
    @Suite struct SamenessTests {
        @Test func orderPathsAndHost() throws {
            let rig = try Rig(["a", "b", "c"])
            let folder = rig.folder
            let paths = rig.ids.map { folder.url("in/\($0)").path }
            var ways: [(name: String, arguments: [String], wrapper: [String], directory: String)] = [
                ("backwards", paths.reversed() + ["--jobs", "8"], [], "/"),
                ("relative paths", ["in/b", "in/c", "in/a", "--jobs", "3"], [], folder.path),
                ("a nice, small environment", paths, ["nice", "env", "-i", "PATH=/usr/bin:/bin"], folder.path),
                ("little memory", paths + ["--max-memory", "200M"], [], folder.path),
            ]
            if Torture.has(.root, for: "results of another host") {
                let script = "hostname another-host.example && exec \"$@\""
                ways.append(("another host", paths, ["unshare", "--uts", "sh", "-c", script, "sh"], folder.path))
            }
            for way in ways {
                try rig.clear()
                let pipeline = folder.url("torture.yaml").path
                let result = try runCommand(
                    way.wrapper + [Scanmill.path, "run", pipeline, "-o", rig.output] + way.arguments, in: way.directory)
                #expect(result.status == 0, "\(way.name): \(result.errors)")
                #expect(rig.findings([.new], orAbsent: false) == [], "\(way.name)")
            }
        }

        @Test func partsOfANightGiveTheSame() throws {
            let rig = try Rig(["a", "b", "c"])
            for ids in [["c"], ["a", "b"]] { try rig.run(.new, ids.flatMap { ["--only", $0] }).require(0) }
            #expect(rig.findings([.new], orAbsent: false) == [])
        }

        @Test func aReadOnlyInput() throws {
            let rig = try Rig(["a", "b"])
            let input = rig.folder.url("in").path
            let before = try Self.state(input)
            try rig.run().require(0)
            #expect(try Self.state(input) == before)
            guard Torture.has(.root, for: "an input that is mounted read-only") else { return }
            let mount = try Mount.readOnly(input)
            try rig.clear()
            let pipeline = rig.folder.url("torture.yaml").path
            let result = try Scanmill.run(["run", pipeline, mount.path, "-o", rig.output])
            #expect(result.status == 0, "\(result.errors)")
            #expect(rig.findings([.new], orAbsent: false) == [])
            #expect(try Self.state(input) == before)
        }

        /// Names, kinds, times, sizes, permissions and digests of everything in a folder.
        private static func state(_ folder: String) throws -> String {
            try runCommand([
                "sh", "-c",
                "cd \"$1\" && find . -printf '%p %y %T@ %C@ %s %m\\n' | LC_ALL=C sort && find . -type f | LC_ALL=C sort "
                    + "| xargs sha256sum", "sh", folder,
            ]).require(0).output
        }

        @Test(arguments: ["-365d", "+365d"] + (Torture.isFull ? ["+0 x1000", "-365d x0.01"] : []))
        func aClockThatIsWrong(_ clock: String) throws {
            guard Torture.has(.faketime, for: "clocks that are wrong"), let library = Torture.faketimeLibrary else {
                return
            }
            let rig = try Rig(["a", "b"])
            // Only the wall clock: what waits goes by the one that cannot jump, and files have the times of whoever wrote them.
            let environment = [
                "LD_PRELOAD": library, "FAKETIME": clock, "DONT_FAKE_MONOTONIC": "1", "NO_FAKE_STAT": "1",
            ]
            let result = try rig.run(
                .new, ["--jobs", "2"], under: ["timeout", "60"], environment: environment)
            #expect(result.status == 0, "\(result.output)\(result.errors)")
            #expect(rig.findings([.new], orAbsent: false) == [])
            // Back in the present, and away from it again, there is nothing to do.
            for environment in [[:], environment] {
                #expect(
                    try rig.run(.new, [], under: ["timeout", "60"], environment: environment).output
                        .hasPrefix("2 captures: 2 up to date"))
            }
        }

        /// What changed in a year to come has not changed just now: waiting would last as long.
        @Test func aClockThatIsBehindTheCaptures() throws {
            guard Torture.has(.faketime, for: "clocks that are behind"), let library = Torture.faketimeLibrary else {
                return
            }
            let rig = try Rig(["a", "b"])
            let environment = [
                "LD_PRELOAD": library, "FAKETIME": "-365d", "DONT_FAKE_MONOTONIC": "1", "NO_FAKE_STAT": "1",
            ]
            let result = try rig.run(
                .new, ["--settle", "10m", "--no-report"], under: ["timeout", "60"], environment: environment)
            #expect(result.status == 0 && result.output.contains("2 captures: 2 done"), "\(result)")
            let warning = """
                warning: in/a, in/b changed at a time in the future, so --settle does not wait for them
                   = fix: set the clock of this machine, or of the one that holds the captures

                """
            #expect(result.errors == warning)
        }

        /// A preloaded library that changes the environment before Swift looks for the arguments hides them from it.
        @Test func aLibraryThatIsPreloaded() throws {
            guard Torture.has(.faketime, for: "preloaded libraries"), let library = Torture.faketimeLibrary else {
                return
            }
            // Whatever comes before the tool would have changed the environment already.
            let script = "LD_PRELOAD=$1 FAKETIME=-365d exec \"$2\" check nowhere.yaml"
            let result = try runCommand(["sh", "-c", script, "sh", library, Scanmill.path])
            #expect(result.status == 2)
            #expect(result.errors.contains("nowhere.yaml"), "\(result)")
        }

        /// The clock jumps two years back and forth while the batch runs.
        @Test func aClockThatJumps() throws {
            guard Torture.has(.faketime, for: "clocks that jump"), let library = Torture.faketimeLibrary else { return }
            let rig = try Rig(["a", "b", "c", "d"])
            let clock = try rig.folder.write("-365d\n", to: "clock")
            let environment = [
                "LD_PRELOAD": library, "DONT_FAKE_MONOTONIC": "1", "FAKETIME_TIMESTAMP_FILE": clock,
                // A file's times are on the disk, and do not jump with the clock.
                "FAKETIME_NO_CACHE": "1", "NO_FAKE_STAT": "1",
            ]
            for round in 0..<Torture.times(short: 2, full: 20) {
                let setting: Rig.Setting = round % 2 == 0 ? .new : .old
                // The first program under this library gets no arguments to see in Swift, since the library changes the
                // environment before it starts; so that is another one.
                let process = try rig.start(setting, under: ["timeout", "60"], environment: environment)
                var isPast = true
                while process.isRunning {
                    isPast.toggle()
                    try rig.folder.write(isPast ? "-365d\n" : "+365d\n", to: "clock.next")
                    rename(rig.folder.url("clock.next").path, clock)
                    usleep(10_000)
                }
                let said = try ["run.out", "run.err"].map { String(decoding: try rig.folder.bytes($0), as: UTF8.self) }
                #expect(process.terminationStatus == 0, "\(said)")
                #expect(rig.findings([setting], orAbsent: false) == [], "\(said)")
            }
        }
    }
}
