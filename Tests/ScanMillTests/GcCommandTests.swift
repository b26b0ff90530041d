import Foundation
import ScanPipeline
import TestSupport
import Testing

/// `gc` on what runs leave over.
@Suite struct GcCommandTests: StandingSuite {
    let folder: TemporaryFolder

    init() throws { folder = try Self.captures() }

    @Test func leftoversAreCollected() throws {
        #expect(try scanmill("run", "quick.yaml", "in", "-o", "out").status == 0)
        try folder.write("half", to: "out/.scanmill/work/a.\(StateFolder.host).1.xyz/a.ply")
        try folder.write("old", to: "out/.scanmill/trash/b/b.ply")
        try folder.write("older", to: "out/.scanmill/trash/c.x/receipt.json")
        let (host, base) = (StateFolder.host, "out/.scanmill")
        func named(_ removed: String, _ putBack: String) -> String {
            "\(removed)  \(base)/work/a.\(host).1.xyz\n\(removed)  \(base)/trash/b\n\(putBack)  \(base)/trash/c.x\n"
        }
        let would = named("would remove", "would put back")
        let foreseen = try scanmill("gc", "out", "--dry-run")
        #expect(foreseen.status == 0)
        #expect(
            foreseen.output == would + "2 leftovers would be removed, 1 older result would be put back\n", "\(foreseen)"
        )
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/out/.scanmill/trash").count == 2)
        let done = named("removed", "put back")
        #expect(try scanmill("gc", "out").output == done + "2 leftovers removed, 1 older result put back\n")
        #expect(FileManager.default.fileExists(atPath: "\(folder.path)/out/c/receipt.json"))
        try FileManager.default.removeItem(atPath: "\(folder.path)/out/c")
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/out/.scanmill/work") == [])
        #expect(try scanmill("verify", "out").status == 0)
        // A file stands where the older result would be put back.
        try folder.write("old", to: "\(base)/trash/d.x/d.ply")
        try folder.write("mine", to: "out/d")
        let stuck = try scanmill("gc", "out", "--dry-run")
        #expect(stuck.status == 3 && stuck.output == "0 leftovers would be removed\n", "\(stuck)")
        #expect(stuck.errors.hasPrefix("error: 1 leftover would stay, such as this one\n"), "\(stuck.errors)")
        // What others keep where a link leads stays.
        try folder.write("mine", to: "kept/b.ply")
        FileSystem.removeTree("\(folder.path)/\(base)/trash")
        #expect(symlink("../../kept", "\(folder.path)/\(base)/trash") == 0)
        let linked = try scanmill("gc", "out")
        #expect(linked.output == "0 leftovers removed\n")
        #expect(linked.errors == "warning: \(base)/trash is a link: nothing behind it is removed\n")
        #expect(FileSystem.names(in: "\(folder.path)/kept") == ["b.ply"])
    }

    /// As a user who may not remove it.
    @Test func whatCannotBeCollectedIsSaid() throws {
        #expect(try scanmill("run", "quick.yaml", "in", "-o", "out").status == 0)
        try folder.write("old", to: "out/.scanmill/trash/old/f")
        for path in ["", "out/.scanmill/locks"] { #expect(chmod("\(folder.path)/\(path)", 0o777) == 0) }
        for path in ["trash", "trash/old"] { #expect(chmod("\(folder.path)/out/.scanmill/\(path)", 0o555) == 0) }
        defer {
            for path in ["trash", "trash/old"] { chmod("\(folder.path)/out/.scanmill/\(path)", 0o755) }
        }
        let what = "leftovers that may not be removed"
        guard let tool = try Scanmill.commandOfNobody(in: folder.path, for: what) else { return }
        let result = try runCommand(tool + ["gc", "out"], in: folder.path)
        #expect(result.status == 3)
        #expect(result.output == "0 leftovers removed\n")
        #expect(
            result.errors.hasPrefix(
                "error: 1 leftover could not be removed, such as this one\n  --> out/.scanmill/trash/old\n"),
            "\(result.errors)")
    }

    /// What cannot be looked into is not empty.
    @Test(arguments: ["work", "trash"]) func leftoversThatCannotBeListed(_ part: String) throws {
        #expect(try scanmill("run", "quick.yaml", "in", "-o", "out").status == 0)
        let path = "out/.scanmill/\(part)"
        try folder.write("old", to: "\(path)/old/f")
        #expect(chmod(folder.path, 0o755) == 0 && chmod("\(folder.path)/\(path)", 0) == 0)
        defer { chmod("\(folder.path)/\(path)", 0o755) }
        let what = "leftovers that may not be listed"
        guard let tool = try Scanmill.commandOfNobody(in: folder.path, for: what) else { return }
        for more in [[], ["--dry-run"]] {
            let result = try runCommand(tool + ["gc", "out"] + more, in: folder.path)
            #expect(result.status == 3 && result.output == "", "\(result)")
            let refusal = "error: cannot list the folder: Permission denied\n  --> \(folder.path)/\(path)\n"
            #expect(result.errors.hasPrefix(refusal), "\(result)")
        }
    }
}
