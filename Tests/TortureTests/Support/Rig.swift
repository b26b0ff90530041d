import Foundation
import TestSupport

/// A few small captures, a pipeline with two settings, and an output folder, for runs that are disturbed.
struct Rig {
    /// Two settings of one pipeline: each replaces what the other has published.
    enum Setting: String, CaseIterable {
        case old, new

        var arguments: [String] { self == .old ? ["--set", "voxel-downsample.size=0.5"] : [] }
    }

    static let pipeline = """
        name: torture
        stages:
          - read
          - decompress
          - unproject: {color: false}
          - voxel-downsample: {size: 0.05}
          - write-ply
          - write-transforms: {depth: true}

        """

    let folder: TemporaryFolder
    let ids: [String]
    /// OUT.
    let output: String
    /// What undisturbed runs publish, by setting and id.
    let references: [Setting: [String: ResultTree]]
    /// Set in the environment of every process of this rig, to tell them from others.
    private let token = UUID().uuidString

    /// - Parameter output: OUT, if it is not to lie beside the captures.
    init(_ ids: [String] = ["a"], output: String? = nil) throws {
        folder = try TemporaryFolder()
        self.ids = ids
        self.output = output ?? folder.url("out").path
        try folder.write(Self.pipeline, to: "torture.yaml")
        for id in ids {
            try MiniCapture(id: "in/\(id)", frameCount: 3).write(in: folder)
        }
        // A rerun looks again at files younger than two seconds, and copies them with other calls than older ones:
        // every run is to make the same calls.
        try runCommand(["sleep", "2.1"]).require(0)
        var references: [Setting: [String: ResultTree]] = [:]
        for setting in Setting.allCases {
            let clean = folder.url("clean-\(setting)").path
            try Scanmill.run(
                ["run", "torture.yaml", "in", "-o", clean, "--jobs", "1"] + setting.arguments, in: folder.path
            ).require(0)
            references[setting] = Dictionary(
                uniqueKeysWithValues: try ids.map { id in
                    guard let tree = ResultTree("\(clean)/\(id)"), tree.defects.isEmpty else {
                        throw TestError("an undisturbed run makes no sound result of \(id)")
                    }
                    return (id, tree)
                })
        }
        guard references[.old] != references[.new] else { throw TestError("both settings give the same") }
        self.references = references
    }

    // MARK: - Runs

    func arguments(_ setting: Setting, _ more: [String] = []) -> [String] {
        ["run", "torture.yaml", "in", "-o", output] + setting.arguments + more
    }

    @discardableResult
    func run(
        _ setting: Setting = .new, _ more: [String] = ["--jobs", "1"], under wrapper: [String] = [],
        environment: [String: String] = [:]
    ) throws -> CommandResult {
        try runCommand(
            wrapper + [Scanmill.path] + arguments(setting, more), in: folder.path,
            environment: environment.merging(["RIG": token]) { $1 })
    }

    /// Starts a run and does not wait for it. What it says goes to the files `run.out` and `run.err` of the folder.
    func start(
        _ setting: Setting = .new, _ more: [String] = ["--jobs", "1"], under wrapper: [String] = [],
        environment: [String: String] = [:], name: String = "run"
    ) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = wrapper + [Scanmill.path] + arguments(setting, more)
        process.currentDirectoryURL = folder.url("")
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
            .merging(["RIG": token]) { $1 }
        for ending in ["out", "err"] { try folder.write("", to: "\(name).\(ending)") }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: folder.url("\(name).out"))
        process.standardError = try FileHandle(forWritingTo: folder.url("\(name).err"))
        try process.run()
        return process
    }

    /// The living processes of this rig.
    var processes: [pid_t] {
        let mark = "RIG=\(token)"
        return ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap { pid_t($0) }.filter {
            guard let bytes = FileManager.default.contents(atPath: "/proc/\($0)/environ") else { return false }
            return bytes.range(of: Data(mark.utf8)) != nil
        }
    }

    /// Capture processes end a moment after their parent: what they do until then must not mix with what comes next.
    func waitForOrphans() throws {
        for _ in 0..<1000 {
            if processes.isEmpty { return }
            usleep(10_000)
        }
        throw TestError("processes live on after their parent: \(processes)")
    }

    /// The captures that a run says are done, in that order.
    static func done(in output: String) -> [String] {
        output.split(separator: "\n").filter { $0.hasPrefix("done ") }.compactMap {
            $0.split(separator: " ").dropFirst().first.map(String.init)
        }
    }

    // MARK: - OUT

    func clear() throws { try runCommand(["rm", "-rf", output]).require(0) }

    /// Puts the OUT of an undisturbed run in place: the results that are to be replaced.
    func publishOld() throws {
        let kept = "\(folder.path)/old"
        if !FileManager.default.fileExists(atPath: kept) {
            try clear()
            try run(.old).require(0)
            try runCommand(["cp", "-a", output, kept]).require(0)
        }
        try clear()
        try runCommand(["cp", "-a", kept, output]).require(0)
    }

    func tree(_ id: String) -> ResultTree? { ResultTree("\(output)/\(id)") }

    func names(_ path: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: "\(output)/\(path)")) ?? []).sorted()
    }

    /// What is torn or foreign: every capture must be the whole result of one of the settings, or absent where that is
    /// allowed. Empty for a sound OUT.
    func findings(_ allowed: Set<Setting>, orAbsent: Bool) -> [String] {
        ids.flatMap { id -> [String] in
            guard let tree = tree(id) else { return orAbsent ? [] : ["\(id) is lost"] }
            let defects = tree.defects
            if !defects.isEmpty { return ["\(id) is torn: \(defects.joined(separator: ", "))"] }
            return allowed.contains { references[$0]?[id] == tree } ? [] : ["\(id) is another result"]
        }
    }

    /// What is wrong after a plain rerun: it must succeed, give the undisturbed result, and leave nothing else behind.
    func findingsOfRerun(_ setting: Setting = .new, _ more: [String] = ["--jobs", "1"]) throws -> [String] {
        let result = try run(setting, more)
        var findings = findings([setting], orAbsent: false)
        if result.status != 0 { findings.append("the rerun ends with \(result.status): \(result.errors)") }
        let left = names(".scanmill/work")
        if !left.isEmpty { findings.append("left over: \(left.joined(separator: ", "))") }
        return findings
    }
}
