import Foundation
import ScanPipeline
import ScanStages
import TestSupport
import Testing

/// What shells offer while a command is typed.
@Suite struct CompletionTests {
    private static func script(_ shell: String) throws -> String {
        let result = try Scanmill.run(["--generate-completion-script", shell])
        #expect(result.status == 0)
        return result.output
    }

    @Test(arguments: ["bash", "zsh", "fish"]) func shellsTakeTheScript(_ shell: String) throws {
        let script = try Self.script(shell)
        #expect(script.contains("inspect") && script.contains("capture-memory"))
        // Behind `pipelines`, and where `run`, `plan` and `check` take a file.
        #expect(script.ranges(of: "---completion pipelines -- positional@0").count == 4)
        #expect(!script.contains("run-one-capture") && !script.contains("man-page"))
        guard (try? runCommand([shell, "-c", "true"]).status) == 0 else {
            print("SKIPPED: the completion script in \(shell), which is missing")
            return
        }
        let folder = try TemporaryFolder()
        let checked = try runCommand([shell, "-n", try folder.write(script, to: "script")])
        #expect(checked.status == 0 && checked.errors == "")
        let broken = try runCommand([shell, "-n", try folder.write(script + "\nif (", to: "script")])
        #expect(broken.status != 0 || broken.errors != "")
    }

    /// What bash would offer for the last of the words.
    private static func offers(_ words: [String], in folder: TemporaryFolder) throws -> [String] {
        let command = """
            PATH="$1:$PATH"; source "$2"; shift 2
            COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMPREPLY=()
            COMP_POINT=${#COMP_LINE}
            _scanmill scanmill "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let tool = URL(fileURLWithPath: Scanmill.path).deletingLastPathComponent().path
        let script = try folder.write(try script("bash"), to: ".script")
        let result = try runCommand(["bash", "-c", command, "bash", tool, script, "scanmill"] + words, in: folder.path)
        #expect(result.status == 0 && result.errors == "", "\(result.errors)")
        return result.output.split(separator: "\n").map(String.init)
    }

    @Test func bashOffersWhatFits() throws {
        let folder = try TemporaryFolder()
        try folder.write("stages: [read, {mask-range: {far: 4}}, write-ply]", to: "mine.yaml")
        try folder.write("text", to: "mine.txt")
        try folder.write("text", to: "results/file")
        let offers = { try Self.offers($0, in: folder) }
        let commands = try offers([""])
        #expect(Set(commands).isSuperset(of: ["run", "inspect", "stages", "schema"]))
        #expect(!commands.contains("run-one-capture") && !commands.contains("man-page"))
        #expect(try offers(["ins"]) == ["inspect"])
        #expect(try offers(["stages", ""]).filter { !$0.hasPrefix("-") } == StageLibrary.builtIn.names)
        #expect(try offers(["stages", "voxel"]) == ["voxel-downsample"])
        #expect(try offers(["run", "mi"]) == ["mine.yaml"])
        #expect(try offers(["plan", "room-"]) == ["room-cloud", "room-mesh", "room-nerf"])
        #expect(try Set(offers(["check", ""])).isSuperset(of: ["mine.yaml", "results", "room-cloud"]))
        #expect(try offers(["run", "mine.yaml", "mi"]).sorted() == ["mine.txt", "mine.yaml"])
        #expect(try offers(["status", "re"]) == ["results"])
        #expect(try offers(["sample", "x", "--format", "sen"]) == ["sens"])
        #expect(try offers(["run", "mine.yaml", "in", "--max-m"]) == ["--max-memory"])
        // Of the stages of that pipeline, or of all.
        #expect(
            try offers(["run", "mine.yaml", "in", "--set", "mask-"]) == ["mask-range.near", "mask-range.far"])
        #expect(try offers(["run", "room-cloud", "in", "--set", "write-ply.fi"]) == ["write-ply.file"])
        #expect(try offers(["run", "room-cloud", "in", "--set", "write-sens"]) == [])
        // By its name alone, nobody knows which is meant.
        try folder.write("stages: [read, {crop: {above: 1}}, {crop: {below: 2}}, write-ply]", to: "two.yaml")
        #expect(try offers(["run", "two.yaml", "in", "--set", "crop[2].ab"]) == ["crop[2].above"])
        #expect(try !offers(["run", "two.yaml", "in", "--set", "crop"]).contains("crop.above"))
        #expect(try offers(["check", "--set", "mask-c"]).contains("mask-confidence.at-least"))
    }
}
