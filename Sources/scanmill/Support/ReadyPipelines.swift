import ScanModel
import ScanPipeline

/// The pipelines that come with ScanMill: installed beside the program, or in the checkout in which it was built.
enum ReadyPipelines {
    static let folder: String? = {
        let home = FileSystem.parent(of: RunningBinary.path)
        let installed = "\(FileSystem.parent(of: home))/share/scanmill/pipelines"
        if FileSystem.exists("\(installed)/pipeline.schema.json") { return installed }
        // .build/x86_64-unknown-linux-gnu/release
        let checkout = FileSystem.parent(of: FileSystem.parent(of: FileSystem.parent(of: home)))
        return FileSystem.exists("\(checkout)/Package.swift") ? "\(checkout)/pipelines" : nil
    }()

    /// What to say where there are none.
    static var absence: String {
        "the ready-made pipelines are neither installed with \(RunningBinary.path) nor in its checkout"
    }
    static let wayToInstall = "install ScanMill with `make install`"

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

    /// The path of the pipeline that was named: that of a ready-made one, unless there is a file of that name. With its
    /// ending a name is a file's: whoever is in another folder than they think shall not get another pipeline than they
    /// think.
    static func resolved(_ pipeline: String) -> String {
        let isFile = FileSystem.exists(pipeline) && !FileSystem.isFolder(pipeline)
        return isFile || pipeline.hasSuffix(ending) ? pipeline : path(of: pipeline) ?? pipeline
    }

    /// What one is for, in its own words.
    static func summary(of name: String) -> String? {
        guard let path = path(of: name), let bytes = try? PipelineFile.bytes(at: path),
            let text = try? PipelineFile.text(of: bytes, path: path)
        else { return nil }
        return PipelineFile.parse(text, path: path).file.summary
    }

    /// One for programs.
    static func json(_ name: String) -> JSONValue {
        .object(["name": .string(name), "summary": .of(summary(of: name)), "path": .of(path(of: name))])
    }

    private static let ending = ".yaml"
}
