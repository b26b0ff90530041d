/// Who may import whom: the table of the design, from the bottom up. Data goes up the list, never back.
enum ImportRules {
    /// The C library, and the standard library's own modules.
    static let everywhere: Set<String> = ["Glibc", "Synchronization", "Dispatch"]

    static let table: [String: Set<String>] = [
        "ScanModel": [],
        "ScanFormats": ["ScanModel", "CScanMill", "Subprocess", "FoundationEssentials"],
        "ScanPipeline": ["ScanModel", "CLinux", "CNettle", "Yams", "FoundationEssentials"],
        "ScanStages": ["ScanModel", "ScanFormats", "ScanPipeline", "FoundationEssentials"],
        "scanmill": [
            "ScanModel", "ScanFormats", "ScanPipeline", "ScanStages", "CLinux", "ArgumentParser", "Subprocess",
            // Of swift-subprocess: its paths are made of it.
            "SystemPackage", "Foundation", "FoundationEssentials",
        ],
        // `Fuzz/Targets`, which maps bytes to calls and nothing more. KernelTwins has zlib, to compare with.
        "Targets": ["ScanModel", "ScanFormats", "ScanPipeline", "ScanStages", "KernelTwins", "Glibc"],
    ]

    /// Modules that one file of a target hides from all others.
    static let inOneFile: [(module: String, target: String)] = [
        ("Yams", "ScanPipeline"), ("CNettle", "ScanPipeline"), ("Subprocess", "ScanFormats"),
    ]

    /// C modules: none of their types may stand in a signature that another module sees.
    static let hidden: Set<String> = ["CScanMill", "CLinux", "CNettle"]

    /// What is wrong with one file's imports.
    static func violations(in file: SourceFile) -> [String] {
        guard let allowed = table[file.target] else { return ["\(file.path): no rule for the target \(file.target)"] }
        return file.imports.flatMap { found -> [String] in
            var violations: [String] = []
            if !allowed.contains(found.module) && !everywhere.contains(found.module) {
                violations.append("\(file.path): \(file.target) may not import \(found.module)")
            }
            for modifier in found.modifiers where modifier.hasPrefix("@") && modifier != "@preconcurrency" {
                violations.append("\(file.path): \(modifier) import \(found.module)")
            }
            // Without a word an import is public in this language mode.
            if hidden.contains(found.module), !found.modifiers.contains("internal"),
                !found.modifiers.contains("private")
            {
                violations.append("\(file.path): \(found.module) is imported for its own module alone")
            }
            return violations
        }
    }

    /// What is wrong with the imports of all files together.
    static func violations(in files: [SourceFile]) -> [String] {
        var violations = files.flatMap { Self.violations(in: $0) }
        for (module, target) in inOneFile {
            let users = files.filter { file in file.target == target && file.imports.contains { $0.module == module } }
            if users.count != 1 {
                let names = users.isEmpty ? "no file" : users.map(\.path).joined(separator: ", ")
                violations.append("\(module) belongs into exactly one file of \(target), and \(names) imports it")
            }
        }
        return violations
    }
}
