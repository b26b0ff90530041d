internal import CNettle
import Foundation

/// A published folder as it stands on disk, read without any of the tool's code.
struct ResultTree: Equatable, CustomStringConvertible {
    /// By path; folders end with a slash and hold nothing.
    private(set) var files: [String: [UInt8]] = [:]

    /// - Returns: nil if there is nothing at the path.
    init?(_ path: String) {
        guard let names = try? FileManager.default.subpathsOfDirectory(atPath: path) else { return nil }
        for name in names {
            var isFolder: ObjCBool = false
            let full = "\(path)/\(name)"
            guard FileManager.default.fileExists(atPath: full, isDirectory: &isFolder) else {
                files[name] = nil
                continue
            }
            if isFolder.boolValue {
                files[name + "/"] = []
            } else {
                files[name] = (try? Data(contentsOf: URL(fileURLWithPath: full))).map { [UInt8]($0) } ?? []
            }
        }
    }

    /// What is wrong, going by the receipt alone: the files that it lists must be there, with their sizes and digests,
    /// and no others.
    var defects: [String] {
        guard let bytes = files["receipt.json"] else { return ["there is no receipt"] }
        guard let receipt = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any],
            let entries = receipt["files"] as? [[String: Any]]
        else { return ["the receipt cannot be read"] }
        var defects = entries.isEmpty ? ["the receipt lists no files"] : []
        var listed: Set<String> = ["receipt.json"]
        for entry in entries {
            let path = entry["path"] as? String ?? "?"
            listed.insert(path)
            guard let content = files[path] else {
                defects.append("\(path) is missing")
                continue
            }
            if content.count != entry["bytes"] as? Int { defects.append("\(path) has \(content.count) bytes") }
            if Self.sha256(of: [content]) != entry["sha256"] as? String { defects.append("\(path) holds other bytes") }
        }
        for path in files.keys.sorted() where !path.hasSuffix("/") && !listed.contains(path) {
            defects.append("\(path) is not listed")
        }
        return defects
    }

    /// Short, for messages.
    var description: String { "\(files.count) names, \(digest.prefix(8))" }

    /// A digest of all names and bytes.
    var digest: String {
        Self.sha256(
            of: files.sorted { $0.key < $1.key }.flatMap { [Array("\($0)\n\($1.count)\n".utf8), $1] })
    }

    private static func sha256(of parts: [[UInt8]]) -> String {
        var state = sha256_ctx()
        nettle_sha256_init(&state)
        for part in parts { nettle_sha256_update(&state, part.count, part) }
        var hash = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_SIZE))
        sm_sha256_digest(&state, &hash)
        return hash.map { String(format: "%02x", $0) }.joined()
    }
}
