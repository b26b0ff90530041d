import Foundation
import ScanFormats
import ScanModel
import Synchronization
import TestSupport
import Testing

@Suite struct CaptureTreeTests {
    private let folder: TemporaryFolder
    private let tree: CaptureFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("12345", to: "scan/b.json")
        try folder.write("1", to: "scan/A.txt")
        try folder.write("", to: "scan/é.txt")
        try folder.write("12", to: "scan/color/0.jpg")
        #expect(mkfifo(folder.path + "/scan/pipe", 0o644) == 0)
        #expect(symlink("nowhere", folder.path + "/scan/dangling") == 0)
        #expect(symlink("b.json", folder.path + "/scan/linked.json") == 0)
        #expect(symlink("color", folder.path + "/scan/images") == 0)
        tree = CaptureFolder(path: folder.path + "/scan")
    }

    @Test func entriesAreSortedByTheBytesOfTheirNames() {
        #expect(
            tree.entries(in: "").map(\.name) == [
                "A.txt", "b.json", "color", "dangling", "images", "linked.json", "pipe", "é.txt",
            ])
        #expect(
            tree.entries(in: "").map(\.kind) == [
                .file(byteCount: 1), .file(byteCount: 5), .folder, .other(.linkToNothing), .folder,
                .file(byteCount: 5), .other(.pipe), .file(byteCount: 0),
            ])
        #expect(tree.entries(in: "color").map(\.name) == ["0.jpg"])
        #expect(tree.entries(in: "nothing").isEmpty)
        #expect(tree.entries(in: "b.json").isEmpty)
    }

    /// Copy programs rename what has arrived, also while the folder is listed.
    @Test func whatIsRenamedMeanwhileIsNoLinkToNothing() throws {
        for number in 0..<100 { try folder.write("", to: "busy/\(number).txt") }
        let (one, other) = (try folder.write("", to: "busy/a"), folder.path + "/busy/b")
        let busy = CaptureFolder(path: folder.path + "/busy")
        let strange = Mutex<[CaptureEntry]>([])
        DispatchQueue.concurrentPerform(iterations: 2) { number in
            if number == 0 {
                for _ in 0..<10_000 { _ = (rename(one, other), rename(other, one)) }
            } else {
                for _ in 0..<100 {
                    let found = busy.entries(in: "").filter { $0.byteCount == nil }
                    strange.withLock { $0 += found }
                }
            }
        }
        #expect(strange.withLock(\.self) == [])
    }

    /// What macOS and ScanMill itself leave in folders; by name it can still be asked for.
    @Test func whatIsHiddenIsNotListed() throws {
        for name in [".DS_Store", "._b.json", ".git/config", "color/._0.jpg"] {
            try folder.write("x", to: "scan/\(name)")
        }
        #expect(
            tree.entries(in: "").map(\.name) == [
                "A.txt", "b.json", "color", "dangling", "images", "linked.json", "pipe", "é.txt",
            ])
        #expect(tree.entries(in: "color").map(\.name) == ["0.jpg"])
        #expect(tree.entry("color/._0.jpg")?.byteCount == 1 && tree.hasFolder(".git"))
    }

    @Test func oneEntry() {
        #expect(tree.entry("b.json") == CaptureEntry(name: "b.json", kind: .file(byteCount: 5)))
        #expect(tree.entry("color/0.jpg") == CaptureEntry(name: "0.jpg", kind: .file(byteCount: 2)))
        #expect(tree.entry("images/0.jpg")?.byteCount == 2)
        #expect(tree.entry("nothing") == nil)
        #expect(tree.entry("dangling")?.kind == .other(.linkToNothing))
        #expect(tree.byteCount(of: "color") == nil)
        #expect(
            tree.hasFolder("color") && tree.hasFolder("images") && !tree.hasFolder("b.json") && !tree.hasFolder("x"))
    }

    @Test func filesAreReadUpToALimit() throws {
        #expect(try tree.bytes(of: "b.json", limit: 5) == Array("12345".utf8))
        #expect(throws: Problem.self) { try tree.bytes(of: "b.json", limit: 4) }
        let source = try tree.open("color/0.jpg")
        // Messages and receipts name no machine.
        #expect(source.name == "color/0.jpg")
        #expect(tree.location(of: "color/0.jpg") == FileLocation(path: folder.path + "/scan/color/0.jpg"))
        let missing = #expect(throws: Problem.self) { try tree.open("nothing") }
        #expect(missing?.place.file == "nothing")
    }

    @Test func aCaptureIsCalledAsItsFolder() throws {
        for path in ["/scan", "/scan/", "/scan//", "/./scan"] {
            #expect(CaptureFolder(path: folder.path + path).name == "scan")
        }
        #expect(CaptureFolder(path: folder.path + "/scan/.").name == "scan")
        #expect(CaptureFolder(path: folder.path + "/scan/color/..").name == "scan")
        #expect(CaptureFolder(path: "relative").name == "relative")
        #expect(CaptureFolder(path: "/").name == "/")
        try folder.write("x", to: "scan 2024.10./a")
        #expect(CaptureFolder(path: folder.path + "/scan 2024.10.").name == "scan 2024.10.")
    }

    @Test func aTreeOfOtherThingsFindsItsEntriesByThemselves() throws {
        // The protocol's own ways, as an archive uses them.
        struct Wrapped: CaptureTree {
            let inner: CaptureFolder
            var name: String { inner.name }
            func entries(in folder: String) -> [CaptureEntry] { inner.entries(in: folder) }
            func open(_ file: String) throws(Problem) -> any ByteSource { try inner.open(file) }
            func location(of file: String) -> FileLocation? { nil }
        }
        let wrapped = Wrapped(inner: tree)
        #expect(wrapped.entry("color/0.jpg") == tree.entry("color/0.jpg"))
        #expect(wrapped.entry("b.json")?.byteCount == 5)
        #expect(wrapped.entry("nothing") == nil && wrapped.entry("color/1.jpg") == nil && wrapped.entry("") == nil)
    }
}
