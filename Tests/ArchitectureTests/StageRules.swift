/// A stage's name is its address: `cull-by-box` is the type `CullByBox` in `CullByBox.swift`, tested in
/// `CullByBoxTests.swift`, and stands in the list.
enum StageRules {
    static let list = "BuiltIn"

    /// `CullByBox` → `cull-by-box`.
    static func stageName(of type: String) -> String {
        var name = ""
        for letter in type {
            if letter.isUppercase && !name.isEmpty { name += "-" }
            name += letter.lowercased()
        }
        return name
    }

    /// The types in the list, in its order: `Entry(CullByBox.self)`.
    static func listed(in list: SourceFile) -> [String] {
        list.text.matches(of: #/Entry\(\s*(\w+)\.self\s*\)/#).map { String($0.1) }
    }

    /// The files that hold a stage each: those that lie directly in the target's folder, but for the list.
    static func stageFiles(_ files: [SourceFile]) -> [SourceFile] {
        files.filter { $0.target == "ScanStages" && $0.path.split(separator: "/").count == 3 && $0.name != list }
    }

    /// What is wrong with a stage's file.
    static func violations(in file: SourceFile) -> [String] {
        let type = file.name
        let declarations = file.text.matches(of: #/\b(?:struct|enum|class|actor)\s+(\w+)\s*:\s*([^{]*)\{/#)
        let isStage = declarations.contains { match in
            let conformances = match.2.split { !$0.isLetter }
            return match.1 == type && conformances.contains { $0.hasSuffix("Stage") }
        }
        if !isStage { return ["\(file.path): holds no stage of the type \(type)"] }
        let name = stageName(of: type)
        let card = file.text.firstMatch(of: #/StageCard\(\s*name:\s*"([^"]*)"/#).map { String($0.1) }
        return card == name ? [] : ["\(file.path): its card is named \(card ?? "nothing"), not \(name)"]
    }

    /// What is wrong between the files and the list.
    static func violations(in files: [SourceFile]) -> [String] {
        let stages = stageFiles(files)
        guard let list = files.first(where: { $0.target == "ScanStages" && $0.name == list }) else {
            return stages.isEmpty ? [] : ["there is no \(list).swift"]
        }
        let listed = listed(in: list)
        var violations = stages.flatMap { Self.violations(in: $0) }
        violations += stages.filter { !listed.contains($0.name) }.map {
            "\($0.path): is not in the list of \(list.path)"
        }
        violations += listed.filter { type in !stages.contains { $0.name == type } }.map {
            "\(list.path): \($0) has no file"
        }
        let repeated = Set(listed.filter { type in listed.count { $0 == type } > 1 })
        violations += repeated.sorted().map { "\(list.path): \($0) stands in the list twice" }
        return violations
    }

    /// The stages without a file of tests.
    static func untested(_ files: [SourceFile], tests: [SourceFile]) -> [String] {
        let paths = Set(tests.map(\.path))
        return stageFiles(files).map { "Tests/ScanStagesTests/\($0.name)Tests.swift" }.filter { !paths.contains($0) }
            .map { "\($0) is missing" }
    }
}
