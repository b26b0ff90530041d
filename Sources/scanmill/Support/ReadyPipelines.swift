import ScanPipeline

/// The pipelines that come with ScanMill: installed beside the program, or in the checkout in which it was built.
enum ReadyPipelines {
    static let folder: String? = {
        let home = FileSystem.parent(of: RunningBinary.path)
        let installed = "\(FileSystem.parent(of: home))/share/scanmill/pipelines"
        // .build/x86_64-unknown-linux-gnu/release
        let built = FileSystem.parent(of: FileSystem.parent(of: FileSystem.parent(of: home)))
        return [installed, "\(built)/pipelines"].first { FileSystem.exists("\($0)/pipeline.schema.json") }
    }()

    static var names: [String] {
        FileSystem.names(in: folder ?? "").filter { $0.hasSuffix(ending) }.map { String($0.dropLast(ending.count)) }
            .sorted()
    }

    /// - Parameter name: with or without `.yaml`.
    static func path(of name: String) -> String? {
        let plain = name.hasSuffix(ending) ? String(name.dropLast(ending.count)) : name
        guard let folder, names.contains(plain) else { return nil }
        return "\(folder)/\(plain)\(ending)"
    }

    /// The path of the pipeline that was named: as it was, unless only a ready-made one has that name.
    static func resolved(_ pipeline: String) -> String {
        FileSystem.exists(pipeline) ? pipeline : path(of: pipeline) ?? pipeline
    }

    /// What one is for, in its own words.
    static func summary(of name: String) -> String? {
        guard let path = path(of: name), let bytes = try? FileSystem.bytes(of: path, limit: 1 << 20),
            let text = try? PipelineFile.text(of: bytes, path: path)
        else { return nil }
        return PipelineFile.parse(text, path: path).file.summary
    }

    private static let ending = ".yaml"
}
