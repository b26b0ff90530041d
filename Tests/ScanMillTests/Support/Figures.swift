extension String {
    /// Figures as `--metrics` writes them, without the labels of every series that say whose they are.
    var withoutOwner: String {
        let lines = split(separator: "\n", omittingEmptySubsequences: false).map { line -> String in
            guard let begin = line.firstRange(of: "{pipeline=")?.lowerBound else { return String(line) }
            let name = String(line[..<begin])
            if let end = line.firstRange(of: ",ended=") { return "\(name){ended=\(line[end.upperBound...])" }
            guard let end = line.firstRange(of: "} ") else { return String(line) }
            return "\(name) \(line[end.upperBound...])"
        }
        return lines.joined(separator: "\n")
    }
}
