import Foundation
import TestSupport
import Testing

@Suite struct LayoutTests {
    // MARK: - The tree as it is

    @Test func importsFollowTheLayers() throws {
        let files = try SourceFile.all(below: "Sources")
        #expect(files.count > 50)
        let violations = ImportRules.violations(in: files)
        #expect(violations == [])
    }

    @Test func theReadmeNamesEveryFolderOfTheSources() throws {
        let path = SharedData.checkout.appendingPathComponent("README.md")
        let readme = try String(contentsOf: path, encoding: .utf8)
        let tree = readme.components(separatedBy: "```\nSources/\n").last?.components(separatedBy: "```").first ?? ""
        // What stands behind each target's name, up to the next one's.
        let entries = tree.components(separatedBy: "── ").dropFirst()
        let texts = Dictionary(entries.map { (String($0.prefix { !$0.isWhitespace }), $0) }) { first, _ in first }
        let folders = Set(
            try SourceFile.all(below: "Sources").compactMap { file -> [Substring]? in
                let parts = file.path.split(separator: "/")
                return parts.count > 3 ? Array(parts[1...2]) : nil
            })
        #expect(folders.count > 20)
        for folder in folders {
            let text = texts[String(folder[0])] ?? ""
            #expect(text.contains("\(folder[1])/"), "\(folder)")
        }
    }

    @Test func fuzzTargetsUseTheReadersAlone() throws {
        let files = try SourceFile.all(below: "Fuzz/Targets")
        #expect(files.count > 5)
        let violations = files.flatMap { ImportRules.violations(in: $0) }
        #expect(violations == [])
    }

    @Test func aStagesNameIsItsAddress() throws {
        let files = try SourceFile.all(below: "Sources")
        #expect(StageRules.stageFiles(files).count > 10)
        let violations = StageRules.violations(in: files)
        #expect(violations == [])
    }

    @Test func everyStageHasItsTests() throws {
        let missing = StageRules.untested(
            try SourceFile.all(below: "Sources"), tests: try SourceFile.all(below: "Tests/ScanStagesTests"))
        #expect(missing == [])
    }

    // MARK: - The rules themselves, on small trees

    private static func file(_ path: String, _ text: String) -> SourceFile {
        SourceFile(path: "Sources/\(path)", text: text)
    }

    private static func imports(_ text: String) -> [String] {
        file("ScanModel/A.swift", text).imports.map { ($0.modifiers + [$0.module]).joined(separator: " ") }
    }

    @Test func importsAreFound() {
        #expect(Self.imports("import A\n  import B // why\nimport  C;import D\n") == ["A", "B", "C", "D"])
        #expect(
            Self.imports("public import A\n@_exported import B\n@preconcurrency internal import C") == [
                "public A", "@_exported B", "@preconcurrency internal C",
            ])
        #expect(
            Self.imports("import struct Foundation.Data\nimport func Glibc.open\nimport A.B") == [
                "Foundation", "Glibc", "A",
            ])
        #expect(
            Self.imports("#if canImport(Glibc)\n    import Glibc\n#else\n    import Musl\n#endif") == ["Glibc", "Musl"])
        #expect(Self.imports("import A\r\nimport B\r\n") == ["A", "B"])
    }

    @Test func whatIsNoImport() {
        #expect(Self.imports("// import A\n/// import B\nlet important = 1\nfunc x() { y.import(C) }\nimport") == [])
        #expect(Self.imports("/* import A\nimport B\n*/\nimport C") == ["C"])
        #expect(Self.imports("let script = \"\"\"\n    import json\n    \"\"\"\nimport C") == ["C"])
        #expect(Self.imports("let text = \"\"\"one line\"\"\"\nimport C") == ["C"])
    }

    @Test(arguments: [
        ("ScanModel", "import Glibc\nimport Synchronization\nimport Dispatch", 0),
        ("ScanModel", "import Foundation", 1),
        ("ScanModel", "import FoundationEssentials", 1), ("ScanModel", "import ScanPipeline", 1),
        ("ScanFormats", "internal import CScanMill\nimport ScanModel\nimport FoundationEssentials", 0),
        ("ScanFormats", "import CScanMill", 1), ("ScanFormats", "public import CScanMill", 1),
        ("ScanFormats", "@_exported import CScanMill", 2), ("ScanFormats", "package import CScanMill", 1),
        ("ScanFormats", "import ScanPipeline", 1), ("ScanFormats", "internal import CLinux", 1),
        ("ScanFormats", "import Yams", 1),
        ("ScanPipeline", "internal import CLinux\npublic import ScanModel", 0),
        ("ScanPipeline", "public import CLinux", 1),
        ("ScanPipeline", "import ScanFormats\nimport ScanStages", 2), ("ScanPipeline", "import Foundation", 1),
        ("ScanStages", "import ScanFormats\nimport ScanModel\nimport ScanPipeline", 0),
        ("ScanStages", "internal import CScanMill", 1),
        ("ScanStages", "import ArgumentParser", 1), ("ScanStages", "@testable import ScanModel", 1),
        (
            "scanmill",
            "import Foundation\nimport ArgumentParser\nimport ScanStages\nimport Subprocess\ninternal import CLinux",
            0
        ),
        ("scanmill", "internal import CScanMill", 1), ("Elsewhere", "import A", 1),
    ]) func theTable(_ target: String, _ text: String, _ violations: Int) {
        #expect(ImportRules.violations(in: Self.file("\(target)/Inner/A.swift", text)).count == violations)
    }

    @Test func someModulesHaveOneUser() {
        let one = [
            Self.file("ScanPipeline/A.swift", "import Yams"),
            Self.file("ScanPipeline/B.swift", "internal import CNettle"),
            Self.file("ScanFormats/C.swift", "import Subprocess"), Self.file("scanmill/D.swift", "import Subprocess"),
        ]
        #expect(ImportRules.violations(in: one) == [])
        #expect(
            ImportRules.violations(in: Array(one.dropFirst())) == [
                "Yams belongs into exactly one file of ScanPipeline, and no file imports it"
            ])
        #expect(
            ImportRules.violations(in: one + [Self.file("ScanPipeline/E.swift", "import Yams")]) == [
                "Yams belongs into exactly one file of ScanPipeline, and Sources/ScanPipeline/A.swift, "
                    + "Sources/ScanPipeline/E.swift imports it"
            ])
    }

    @Test(arguments: [("Read", "read"), ("CullByBox", "cull-by-box"), ("WritePly", "write-ply"), ("A", "a")])
    func stageNames(_ type: String, _ name: String) {
        #expect(StageRules.stageName(of: type) == name)
    }

    private static func stage(_ type: String, card: String, conforming: String = "FrameStage", file: String? = nil)
        -> SourceFile
    {
        let text = """
            /// Does it.
            public struct \(type): \(conforming) {
                enum Side: String { case a }
                public static let card = StageCard(
                    name: "\(card)", summary: "s")
            }
            """
        return Self.file("ScanStages/\(file ?? type).swift", text)
    }

    private static func list(_ types: String...) -> SourceFile {
        let entries = types.map { "        Entry(\($0).self),\n" }.joined()
        return file(
            "ScanStages/BuiltIn.swift",
            "extension StageLibrary {\n    static let builtIn = StageLibrary([\n\(entries)    ])\n}")
    }

    @Test func stagesInOrder() {
        let files = [
            Self.stage("CullByBox", card: "cull-by-box", conforming: "Sendable, FrameStage, CaptureStage"),
            Self.stage("Read", card: "read", conforming: "CaptureStage"), Self.list("Read", "CullByBox"),
            Self.file("ScanStages/Support/Helper.swift", "enum Helper {}"),
        ]
        #expect(StageRules.violations(in: files) == [])
    }

    @Test func stagesOutOfOrder() {
        #expect(
            StageRules.violations(in: [Self.stage("CullByBox", card: "cull-box"), Self.list("CullByBox")]) == [
                "Sources/ScanStages/CullByBox.swift: its card is named cull-box, not cull-by-box"
            ])
        #expect(
            StageRules.violations(in: [Self.stage("CullByBox", card: "cull-by-box", file: "Cull"), Self.list("Cull")])
                == [
                    "Sources/ScanStages/Cull.swift: holds no stage of the type Cull"
                ])
        #expect(
            StageRules.violations(in: [Self.stage("Cull", card: "cull", conforming: "Sendable"), Self.list("Cull")])
                == [
                    "Sources/ScanStages/Cull.swift: holds no stage of the type Cull"
                ])
        #expect(
            StageRules.violations(in: [Self.stage("Cull", card: "cull"), Self.list()]) == [
                "Sources/ScanStages/Cull.swift: is not in the list of Sources/ScanStages/BuiltIn.swift"
            ])
        #expect(
            StageRules.violations(in: [Self.stage("Cull", card: "cull"), Self.list("Cull", "Read", "Cull")]) == [
                "Sources/ScanStages/BuiltIn.swift: Read has no file",
                "Sources/ScanStages/BuiltIn.swift: Cull stands in the list twice",
            ])
        #expect(StageRules.violations(in: [Self.stage("Cull", card: "cull")]) == ["there is no BuiltIn.swift"])
    }

    @Test func testsThatAreMissing() {
        let files = [Self.stage("Cull", card: "cull"), Self.stage("Read", card: "read"), Self.list("Cull", "Read")]
        let tests = [SourceFile(path: "Tests/ScanStagesTests/ReadTests.swift", text: "")]
        #expect(StageRules.untested(files, tests: tests) == ["Tests/ScanStagesTests/CullTests.swift is missing"])
    }
}
