import Foundation
import TestSupport
import Testing

/// `make install`, with the tool that was built for the tests.
@Suite struct InstallTests {
    @Test func everythingIsInItsUsualPlace() throws {
        let folder = try TemporaryFolder()
        // `-o self-contained`: the tool is there. The umask of a careful administrator, under which nobody else could read.
        let make = """
            umask 077; exec make --no-print-directory -o self-contained install "SCANMILL=$1" "DESTDIR=$2" PREFIX=/usr
            """
        let result = try runCommand(
            ["sh", "-c", make, "sh", Scanmill.path, folder.path], in: SharedData.checkout.path,
            environment: ["MAKEFLAGS": "", "MAKEOVERRIDES": ""])
        #expect(result.status == 0, "\(result.errors)")
        let share = "usr/share/scanmill"
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { path in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: "\(folder.path)/\(path)", isDirectory: &isFolder)
                && !isFolder.boolValue
        }
        let pipelines = try FileManager.default.contentsOfDirectory(
            atPath: SharedData.checkout.appendingPathComponent("pipelines").path)
        #expect(
            Set(files)
                == Set(
                    [
                        "usr/bin/scanmill", "usr/libexec/scanmill/swift-backtrace", "\(share)/systemd/scanmill.service",
                        "\(share)/systemd/scanmill.timer",
                        "usr/share/man/man1/scanmill.1", "usr/share/bash-completion/completions/scanmill",
                        "usr/share/zsh/site-functions/_scanmill", "usr/share/fish/vendor_completions.d/scanmill.fish",
                    ] + pipelines.map { "\(share)/pipelines/\($0)" }))
        for file in files {
            let isProgram = file == "usr/bin/scanmill" || file.hasSuffix("/swift-backtrace")
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder.path)/\(file)")
            #expect(attributes[.posixPermissions] as? Int == (isProgram ? 0o755 : 0o644), "\(file)")
            #expect(attributes[.size] as? Int ?? 0 > 100, "\(file)")
        }
        let service = String(decoding: try folder.bytes("\(share)/systemd/scanmill.service"), as: UTF8.self)
        #expect(service.contains("ExecStart=/usr/bin/scanmill run /usr/share/scanmill/pipelines/"))
        // What is installed works by itself, and the modeline finds its schema.
        let tool = "\(folder.path)/usr/bin/scanmill"
        let installed = "\(folder.path)/\(share)/pipelines"
        #expect(try runCommand([tool, "check", "\(installed)/object-nerf.yaml"]).status == 0)
        let named = try runCommand([tool, "check", "object-nerf"], in: folder.path)
        #expect(named.status == 0 && named.output == "object-nerf: ok\n", "\(named)")
        #expect(try runCommand([tool, "pipelines"]).output.hasSuffix("\nthey are in \(installed)\n"))
        let text = try String(contentsOfFile: "\(installed)/object-nerf.yaml", encoding: .utf8)
        #expect(text.hasPrefix("# yaml-language-server: $schema=pipeline.schema.json\n"))
        #expect(
            try folder.bytes("\(share)/pipelines/pipeline.schema.json") == runCommand([tool, "schema"]).outputBytes)
    }
}
