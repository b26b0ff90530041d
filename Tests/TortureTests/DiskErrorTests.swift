import Foundation
import TestSupport
import Testing

extension Torture {
    /// R6: a full disk, an I/O error, a read-only output: a named error and exit code 3, nothing torn, other captures
    /// whole.
    @Suite struct DiskErrorTests {
        static let names = ["ENOSPC": "No space left on device", "EIO": "Input/output error"]

        @Test(arguments: ["ENOSPC", "EIO"], [false, true])
        func atEverySystemCall(_ error: String, replacing: Bool) throws {
            guard Torture.has(.strace, for: "errors at system calls") else { return }
            let strace = try Strace(try Rig(["a", "b"]), .capture)
            let rig = strace.rig
            if replacing { try rig.publishOld() }
            let points = try strace.points(.new)
            let chosen = Torture.spread(Torture.times(short: 5, full: .max), over: points.count).map { points[$0] }
            var failed = 0
            for point in chosen {
                if replacing { try rig.publishOld() } else { try rig.clear() }
                let result = try strace.run(.new, fault: "error=\(error)", at: point)
                #expect(
                    try strace.wasHit(point, fault: "error=\(error)"), "\(error) at \(point): no fault was injected")
                #expect(
                    rig.findings(replacing ? [.old, .new] : [.new], orAbsent: !replacing) == [],
                    "\(error) at \(point)")
                #expect(rig.tree("b") == rig.references[.new]?["b"], "b after \(error) at \(point)")
                let isDone = result.output.contains("done     a  ")
                if isDone {
                    // The call was one whose failure costs nothing: cleaning up, or a cache.
                    #expect(result.status == 0, "\(error) at \(point)")
                    #expect(rig.tree("a") == rig.references[.new]?["a"], "\(error) at \(point)")
                } else {
                    failed += 1
                    #expect(result.status == 3, "\(error) at \(point): \(result.errors)")
                    let name = try #require(Self.names[error])
                    #expect(result.errors.contains(name), "\(error) at \(point): \(result.errors)")
                    // What it says of the result must be so.
                    if result.errors.contains("nothing was published for a") {
                        #expect(
                            rig.tree("a") == (replacing ? rig.references[.old]?["a"] : nil), "\(error) at \(point)")
                    }
                }
                #expect(try rig.findingsOfRerun() == [], "rerun after \(error) at \(point)")
            }
            #expect(failed > chosen.count / 3)
            Torture.say(
                "\(error) at \(chosen.count) of \(points.count) system calls, \(replacing ? "replacing" : "fresh"): "
                    + "\(failed) named failures, 0 torn")
        }

        /// The batch's own notes: a run that cannot keep them either says so at once or does its work without them.
        @Test(arguments: ["ENOSPC", "EIO"]) func inTheBatchsOwnProcess(_ error: String) throws {
            guard Torture.has(.strace, for: "errors in the batch's own process") else { return }
            let strace = try Strace(try Rig(), .batch)
            let rig = strace.rig
            let points = try strace.points(.new)
            let chosen = Torture.spread(Torture.times(short: 4, full: .max), over: points.count).map { points[$0] }
            var hits = 0
            for point in chosen {
                // Several threads make the calls, and which of them makes one is chance.
                for _ in 1...5 {
                    try rig.clear()
                    let result = try strace.run(.new, fault: "error=\(error)", at: point)
                    let wasHit = try strace.wasHit(point, fault: "error=\(error)")
                    #expect(rig.findings([.new], orAbsent: result.status != 0) == [], "\(error) at \(point)")
                    #expect(result.status == 0 || result.status == 3, "\(error) at \(point): \(result.errors)")
                    #expect((result.status == 0) == result.errors.isEmpty, "\(error) at \(point): \(result.errors)")
                    #expect(try rig.findingsOfRerun() == [], "rerun after \(error) at \(point)")
                    if wasHit {
                        hits += 1
                        break
                    }
                }
            }
            #expect(hits > 0 && hits >= chosen.count / 2, "a fault was injected at \(hits) of \(chosen.count) calls")
        }

        /// A filesystem that is really full, and then has space again.
        @Test func aFullDisk() throws {
            guard Torture.has(.root, for: "a filesystem that is full") else { return }
            let mount = try Mount.tmpfs(size: "160k")
            let rig = try Rig(["a", "b", "c", "d", "e", "f"], output: "\(mount.path)/out")
            let result = try rig.run()
            #expect(result.status == 3)
            #expect(result.errors.contains("No space left on device"), "\(result.errors)")
            #expect(rig.findings([.new], orAbsent: true) == [])
            let done = rig.ids.filter { result.output.contains("done     \($0)  ") }
            #expect(!done.isEmpty && done.count < rig.ids.count, "\(result.output)")
            for id in done { #expect(rig.tree(id) == rig.references[.new]?[id]) }
            // What failed has left nothing behind that takes up the space that is missing.
            #expect(rig.names(".scanmill/work") == [])
            try runCommand(["mount", "-o", "remount,size=10m", mount.path]).require(0)
            #expect(try rig.findingsOfRerun() == [])
            Torture.say("a full disk: \(done.count) of \(rig.ids.count) captures done, the others named, 0 torn")
        }

        /// A process that waits for a disk that does not answer cannot be killed: the night goes on without it.
        @Test func aDiskThatDoesNotAnswer() throws {
            guard Torture.has(.root, .loopDevice, for: "a disk that does not answer") else { return }
            let folder = try TemporaryFolder()
            let sample = SharedData.checkout.appendingPathComponent("samples/scannet-raw").path
            let pack = "import shutil, sys; shutil.make_archive(sys.argv[1], 'zip', sys.argv[2])"
            try runPython(pack, [folder.url("in/scan").path, sample]).require(0)
            try folder.write("name: p\nstages: [read, write-frames: {depth: none}]\n", to: "p.yaml")
            // A video that is packed is unpacked there.
            let disk = try LoopDisk()
            try disk.freeze()
            let result: CommandResult
            do {
                defer { try? disk.thaw() }
                result = try Scanmill.run(
                    ["run", "p.yaml", "in", "-o", "out", "--patience", "1s"], in: folder.path,
                    environment: ["TMPDIR": disk.path])
            }
            #expect(result.status == 3, "\(result.errors)")
            #expect(result.errors.contains("error: the capture made no progress for 1 s and was killed"))
            #expect(result.errors.contains("   = its process was killed and does not end: it waits for a disk"))
            #expect(result.errors.contains("   = nothing was published for scan"))
            #expect(result.errors.contains("warning: the report was not written: it would wait for the same disk"))
            let again = try Scanmill.run(["run", "p.yaml", "in", "-o", "out"], in: folder.path)
            #expect(again.status == 0, "\(again.errors)")
        }

        @Test func anOutputThatIsReadOnly() throws {
            guard Torture.has(.root, for: "an output that is read-only") else { return }
            let mount = try Mount.tmpfs(size: "10m")
            let rig = try Rig(["a", "b"], output: "\(mount.path)/out")
            try rig.run(.old).require(0)
            try runCommand(["mount", "-o", "remount,ro", mount.path]).require(0)
            let replacing = try rig.run()
            #expect(replacing.status == 3)
            #expect(replacing.errors.contains("Read-only file system"), "\(replacing.errors)")
            #expect(rig.findings([.old], orAbsent: false) == [])
            // There is nothing to do, so nothing has to be written.
            #expect(try rig.run(.old).status == 0)

            let fresh = try Scanmill.run(
                ["run", "torture.yaml", "in", "-o", "\(mount.path)/new"], in: rig.folder.path)
            #expect(fresh.status == 3)
            #expect(fresh.errors.contains("Read-only file system"), "\(fresh.errors)")
        }
    }
}
