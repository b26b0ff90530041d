import Foundation

/// The real captures that lie beside the checkout on the developers' machines. They may not be passed on, so they are
/// not in the repository; tests that need them say aloud that they skip.
public enum SharedData {
    /// The checkout's top folder.
    public static let checkout = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    public static let folder = checkout.deletingLastPathComponent().appendingPathComponent("shared/data")

    public static let isThere: Bool = {
        let there = FileManager.default.fileExists(atPath: folder.path)
        if !there {
            print("SKIPPED: tests on real captures, because there is no folder ../shared/data beside the checkout")
        }
        return there
    }()

    public static func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    public static func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: folder.appendingPathComponent(name)))
    }

    /// An `….expected.json` file as Foundation reads it.
    public static func expected(_ name: String) throws -> [String: Any] {
        let data = try Data(contentsOf: folder.appendingPathComponent(name))
        return try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
    }
}
