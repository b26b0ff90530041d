import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct CaptureSearchTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The smallest folder that is a capture: one picture.
    private func capture(_ path: String) throws { try folder.write("x", to: "\(path)/color/0.jpg") }

    private func found(_ path: String = "", skipping output: String? = nil) throws -> [String] {
        let root = path.isEmpty ? folder.path : "\(folder.path)/\(path)"
        let found = try CaptureSearch.captures(at: root, skipping: output.map { "\(folder.path)/\($0)" })
        #expect(found.allSatisfy { $0.path.hasSuffix($0.id) })
        return found.map { String($0.path.dropFirst(folder.path.count + 1)) }
    }

    @Test func capturesBelowAFolderSorted() throws {
        for path in ["night/b", "night/a", "day/z/deep/c", "day/m"] { try capture(path) }
        try folder.write("x", to: "notes/readme.txt")
        #expect(try found() == ["day/m", "day/z/deep/c", "night/a", "night/b"])
        #expect(try CaptureSearch.captures(at: folder.path + "/night/").map(\.id) == ["a", "b"])
        #expect(try found("notes").isEmpty)
    }

    @Test func theSearchStopsAtACapture() throws {
        try capture("outer")
        try capture("outer/inner")
        #expect(try found() == ["outer"])
        #expect(try found("outer") == ["outer"])
        #expect(try found("outer/inner") == ["outer/inner"])
    }

    @Test func hiddenFoldersAreNotLookedInto() throws {
        try capture(".trash/a")
        try capture("b")
        #expect(try found() == ["b"])
        #expect(try found(".trash") == [".trash/a"])
    }

    @Test func resultsAreNotCaptures() throws {
        try capture("a")
        try capture("results/a")
        try folder.write("{}", to: "results/a/receipt.json")
        try capture("results/a/nerf")
        #expect(try found() == ["a"])
        // Unless they are what is named.
        #expect(try found("results/a") == ["results/a"])
        #expect(try found("results/a/nerf") == ["results/a/nerf"])
    }

    @Test func theOutputIsPassedOverWhateverPathLeadsToIt() throws {
        try capture("a")
        try capture("out/b")
        #expect(try found() == ["a", "out/b"])
        #expect(try found(skipping: "out") == ["a"])
        #expect(try found(skipping: "./out/../out/") == ["a"])
        #expect(symlink(folder.path + "/out", folder.path + "/link-to-out") == 0)
        #expect(try found(skipping: "out") == ["a"])
        #expect(try found(skipping: "link-to-out") == ["a"])
        #expect(try found(skipping: "not-there-yet") == ["a", "link-to-out/b"])
    }

    @Test func linksAreFollowedButNotInCircles() throws {
        try capture("real/a")
        for name in ["c1", "c2", "c3", "c4"] { #expect(symlink(folder.path, folder.path + "/real/" + name) == 0) }
        #expect(symlink(folder.path + "/real/a", folder.path + "/another-name") == 0)
        // A capture under two names is two captures; a folder is searched once.
        #expect(try found() == ["another-name", "real/a"])
        #expect(symlink(folder.path + "/real", folder.path + "/also") == 0)
        #expect(try found() == ["also/a", "another-name"])
    }

    @Test func whatIsNamedMustBeThere() throws {
        #expect(throws: Problem.self) { try found("missing") }
        try folder.write("x", to: "file")
        #expect(throws: Problem.self) { try found("file") }
    }

    @Test(.enabled(if: SharedData.isThere))
    func theRealCaptures() throws {
        let found = try CaptureSearch.captures(at: SharedData.folder.path)
        #expect(
            found.map(\.id).contains("office") && found.map(\.id).contains("office-video")
                && found.map(\.id).contains("fox"))
    }
}

extension CaptureSearchTests {
    @Test func archivesAreCaptures() throws {
        try capture("plain")
        try capture("scans/inner")
        let script = """
            import shutil, sys, zipfile
            shutil.make_archive(sys.argv[1] + '/packed', 'zip', sys.argv[1] + '/scans', 'inner')
            with zipfile.ZipFile(sys.argv[1] + '/papers.zip', 'w') as z: z.writestr('notes.txt', 'x')
            """
        #expect(try runPython(script, [folder.path]).status == 0)
        try folder.write("PK\u{3}\u{4} and then nothing", to: "broken.r3d")
        try folder.write("not what its name says", to: "text.zip")
        let found = try CaptureSearch.captures(at: folder.path)
        // A damaged one is found too, to fail by its name.
        #expect(found.map(\.id) == ["broken", "packed", "plain", "inner"])
        #expect(try CaptureSearch.captures(at: "\(folder.path)/packed.zip").map(\.id) == ["packed"])
        #expect(throws: Problem.self) { try CaptureSearch.captures(at: "\(folder.path)/text.zip") }
    }
}
