import Foundation
import ScanModel
import TestSupport
import Testing

/// `verify` on results that changed after a run, and what the next run makes of them.
@Suite struct VerifyCommandTests: StandingSuite {
    let folder: TemporaryFolder

    init() throws { folder = try Self.captures() }

    @Test func verifyFindsAFlippedByteAndAMissingFile() throws {
        #expect(try scanmill("run", "quick.yaml", "in", "-o", "out").status == 0)
        #expect(try scanmill("verify", "out").output == "2 results: 2 sound, 0 damaged\n")

        var ply = try folder.bytes("out/a/a.ply")
        ply[ply.count / 2] ^= 1
        try folder.write(ply, to: "out/a/a.ply")
        let flipped = try scanmill("verify", "out")
        #expect(flipped.status == 3)
        #expect(
            flipped.errors.contains(
                "error: a file of the result holds other bytes than were written\n  --> out/a/a.ply\n"))

        try FileManager.default.removeItem(atPath: "\(folder.path)/out/a/a.ply")
        #expect(try scanmill("verify", "out").errors.contains("a file of the result is missing"))
    }

    /// After files of many results were deleted, the fix need not be read for each of them.
    @Test func whatManyResultsHaveInCommonIsShownInFullForAFew() throws {
        #expect(try scanmill("run", "quick.yaml", "in/a", "-o", "out", "--no-report").status == 0)
        let copies = (1...7).map { "c0\($0)" }
        for id in copies {
            try FileManager.default.copyItem(atPath: folder.url("out/a").path, toPath: folder.url("out/\(id)").path)
            try FileManager.default.removeItem(at: folder.url("out/\(id)/a.ply"))
        }
        var ply = try folder.bytes("out/a/a.ply")
        ply[ply.count / 2] ^= 1
        try folder.write(ply, to: "out/a/a.ply")
        let verified = try scanmill("verify", "out")
        #expect(verified.status == 3 && verified.output == "8 results: 0 sound, 8 damaged\n", "\(verified)")
        func full(_ id: String) -> String {
            """
            error: a file of the result is missing
              --> out/\(id)/a.ply
               = fix: the next run makes it again, if its capture is still there

            """
        }
        let end = """
            error: a file of the result is missing (out/c06/a.ply)
            error: a file of the result is missing (out/c07/a.ply)
            7 of 8 damaged results have a damaged receipt, or files that are missing or have another size: \
            the next run makes them again, if the capture is still there
            1 of 8 damaged results has files that are damaged otherwise: make it again with  \
            scanmill run … --only ID --force

            """
        #expect(verified.errors.hasSuffix(copies.prefix(5).map(full).joined() + end), "\(verified.errors)")
    }

    /// Who trains in a result does not damage it.
    @Test func whatOthersPutIntoAResultIsNamed() throws {
        #expect(try scanmill("run", "quick.yaml", "in", "-o", "out").status == 0)
        for name in ["a/notes.txt", "b/.DS_Store", "b/model/1.ply", "b/model/2.ply"] {
            try folder.write("?", to: "out/\(name)")
        }
        let notes = """
            note: a: 1 file is not part of the result: notes.txt
            note: b: 2 files are not part of the result: model/1.ply, model/2.ply

            """
        let verified = try scanmill("verify", "out")
        #expect(verified.status == 0 && verified.output == "2 results: 2 sound, 0 damaged\n", "\(verified)")
        #expect(verified.errors == notes)
        let json = try JSONValue.parse(Array(try scanmill("verify", "out", "--json").output.utf8), file: "").array ?? []
        #expect(json.map { $0["sound"] } == [.bool(true), .bool(true)])
        let added = json.map { ($0["added"]?.array ?? []).compactMap(\.string) }
        #expect(added == [["notes.txt"], ["model/1.ply", "model/2.ply"]])
    }

    /// A folder without a receipt is nobody's, unless a run remembers it.
    @Test func verifyFindsAResultWithoutItsReceipt() throws {
        #expect(try scanmill("run", "quick.yaml", "in", "-o", "out").status == 0)
        try FileManager.default.removeItem(atPath: "\(folder.path)/out/a/receipt.json")
        try folder.write("mine", to: "out/notes/today.txt")
        let damaged = try scanmill("verify", "out")
        #expect(damaged.status == 3 && damaged.output == "2 results: 1 sound, 1 damaged\n", "\(damaged)")
        let lost = "error: the result that stands here has lost its receipt.json, and is left alone\n  --> out/a\n"
        #expect(damaged.errors.hasPrefix(lost))
        // Who removes a result as a whole does not want it.
        try FileManager.default.removeItem(atPath: "\(folder.path)/out/a")
        #expect(try scanmill("verify", "out").output == "1 result: 1 sound, 0 damaged\n")
    }

    /// Without it, nothing tells what the result should hold.
    @Test func verifyFindsAReceiptThatCannotBeRead() throws {
        #expect(try scanmill("run", "quick.yaml", "in", "-o", "out").status == 0)
        try folder.write("{", to: "out/a/receipt.json")
        let damaged = try scanmill("verify", "out")
        #expect(damaged.status == 3 && damaged.output == "2 results: 1 sound, 1 damaged\n", "\(damaged)")
        let message = """
            error: the receipt cannot be read
              --> out/a/receipt.json
               = fix: let the user who runs scanmill read it; if it is damaged, run the capture again

            """
        #expect(damaged.errors == message)
        let json = try scanmill("verify", "out", "--json")
        #expect(json.status == 3 && json.errors == "", "\(json)")
        let entries = try JSONValue.parse(Array(json.output.utf8), file: "").array ?? []
        #expect(entries.map { $0["id"]?.string } == ["a", "b"])
        #expect(entries.map { $0["sound"] } == [.bool(false), .bool(true)])
        let problems = entries.map { ($0["problems"]?.array ?? []).compactMap(\.string) }
        #expect(problems == [["the receipt cannot be read (out/a/receipt.json)"], []])
        let fixes = entries.map { ($0["fixes"]?.array ?? []).compactMap(\.string) }
        let fix = "let the user who runs scanmill read it; if it is damaged, run the capture again"
        #expect(fixes == [[fix], []])
        // As it says.
        #expect(try scanmill("run", "quick.yaml", "in", "-o", "out").output.contains("1 done, 1 up to date"))
        #expect(try scanmill("verify", "out").status == 0)
    }

    /// It is nobody's to remove but its owner's.
    @Test func aFolderInTheReceiptsPlace() throws {
        #expect(try scanmill("run", "quick.yaml", "in", "-o", "out").status == 0)
        try FileManager.default.removeItem(atPath: "\(folder.path)/out/a/receipt.json")
        try folder.write("mine", to: "out/a/receipt.json/notes.txt")
        let what = "this is not the receipt of a result; the folder is left alone"
        let fix = "put the receipt back, or remove the folder: the next run makes it again"
        let verified = try scanmill("verify", "out")
        #expect(verified.status == 3 && verified.output == "2 results: 1 sound, 1 damaged\n", "\(verified)")
        #expect(verified.errors == "error: \(what)\n  --> out/a/receipt.json\n   = fix: \(fix)\n")
        #expect(try scanmill("status", "out").output == "result gone  a  \(what)\n1 done, 1 result gone\n")
        let refused = try scanmill("run", "quick.yaml", "in", "-o", "out", "--no-report")
        #expect(refused.status == 3 && refused.output.contains("failed   a  \(what)\n"), "\(refused)")
        #expect(try folder.bytes("out/a/receipt.json/notes.txt") == Array("mine".utf8))
        // As it says.
        try FileManager.default.removeItem(atPath: "\(folder.path)/out/a")
        let again = try scanmill("run", "quick.yaml", "in", "-o", "out", "--no-report")
        #expect(again.status == 0 && again.output.contains("1 done, 1 up to date"), "\(again)")
    }

    /// Each problem is one line, whatever a folder is called.
    @Test func aNameWithALineBreak() throws {
        let output = "o\nut"
        #expect(try scanmill("run", "quick.yaml", "in/a", "-o", output, "--no-report").status == 0)
        try FileManager.default.removeItem(atPath: "\(folder.path)/\(output)/a/a.ply")
        let json = try scanmill("verify", output, "--json")
        let entries = try JSONValue.parse(Array(json.output.utf8), file: "").array ?? []
        let problems = entries.map { ($0["problems"]?.array ?? []).compactMap(\.string) }
        #expect(json.status == 3 && problems == [["a file of the result is missing (o\\u{a}ut/a/a.ply)"]], "\(json)")
    }

    @Test func aDamagedResultIsMadeAgain() throws {
        #expect(try scanmill("run", "quick.yaml", "in", "-o", "out").status == 0)
        let good = try folder.bytes("out/a/a.ply")
        try FileManager.default.removeItem(atPath: "\(folder.path)/out/a/a.ply")
        let again = try scanmill("run", "quick.yaml", "in", "-o", "out")
        #expect(again.output.contains("2 captures: 1 done, 1 up to date"))
        #expect(try folder.bytes("out/a/a.ply") == good)
    }

    @Test func resultsThatWereCopiedElsewhereAreRead() throws {
        #expect(try scanmill("run", "quick.yaml", "in", "-o", "out").status == 0)
        try FileManager.default.createDirectory(atPath: "\(folder.path)/copy", withIntermediateDirectories: true)
        try FileManager.default.moveItem(atPath: "\(folder.path)/out/a", toPath: "\(folder.path)/copy/a")
        #expect(try scanmill("verify", "copy").output == "1 result: 1 sound, 0 damaged\n")
        #expect(try scanmill("status", "copy").output == "1 done\n")
    }
}
