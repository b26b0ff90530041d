import Foundation
import TestSupport
import Testing

/// Counts a program's instructions: the same on every run, however busy the machine is.
enum Callgrind {
    /// What one function took.
    struct Line {
        var instructions: Int
        var name: String
        /// The program or library that it is in, by its path.
        var object: String
    }

    /// Whether instructions can be counted; otherwise why not is said aloud.
    static func isUsable() throws -> Bool {
        #if DEBUG
            print("SKIPPED: instruction counts, which are those of a release build")
            return false
        #else
            if try runCommand(["valgrind", "--version"]).status == 0 { return true }
            print("SKIPPED: instruction counts, because valgrind is not installed")
            return false
        #endif
    }

    /// Runs a program that was built beside the tool, and gives what it printed and what each of its functions took.
    /// - Parameter withCallees: whether what a function calls counts as its own.
    static func count(
        _ program: String, _ arguments: [String] = [], withCallees: Bool
    ) throws -> (output: String, lines: [Line]) {
        let folder = try TemporaryFolder()
        let built = URL(fileURLWithPath: Scanmill.path).deletingLastPathComponent().appendingPathComponent(program)
        // Debian's valgrind cannot read all the debugging symbols that Swift writes.
        let copy = "\(folder.path)/\(program)"
        let stripped = try runCommand(["strip", "-g", "-o", copy, built.path])
        try #require(stripped.status == 0, "\(stripped.errors)")
        let counts = "\(folder.path)/counts"
        let run = try runCommand(["valgrind", "--tool=callgrind", "--callgrind-out-file=\(counts)", copy] + arguments)
        try #require(run.status == 0, "\(run.errors)")
        let table = try runCommand([
            "callgrind_annotate", "--inclusive=\(withCallees ? "yes" : "no")", "--threshold=100", counts,
        ])
        // "    1,282,526 ( 2.42%)  Tests/KernelCounts/Pairs.swift:kernel_unproject [program]"
        let lines = table.output.split(separator: "\n").compactMap { line -> Line? in
            guard !line.contains("=>"), let end = line.firstIndex(of: "("), line.contains("%)"),
                let count = Int(line[..<end].filter(\.isNumber)), let place = line.firstRange(of: "%)")?.upperBound
            else { return nil }
            let rest = line[place...].drop { $0 == " " }
            let bracket = rest.lastIndex(of: "[") ?? rest.endIndex
            let function = rest[..<bracket].split(separator: " ").first.map(String.init) ?? ""
            return Line(
                instructions: count, name: function.split(separator: ":").last.map(String.init) ?? function,
                object: String(rest[bracket...].dropFirst().dropLast()))
        }
        return (run.output, lines)
    }
}
