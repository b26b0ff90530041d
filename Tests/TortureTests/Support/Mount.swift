import Foundation
import TestSupport

/// A filesystem that is mounted for as long as this object lives.
final class Mount {
    private let folder: TemporaryFolder
    let path: String

    private init() throws {
        folder = try TemporaryFolder()
        path = folder.url("mount").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { _ = try? runCommand(["umount", "-l", path]) }

    static func tmpfs(size: String) throws -> Mount {
        let mount = try Mount()
        try runCommand(["mount", "-t", "tmpfs", "-o", "size=\(size)", "tmpfs", mount.path]).require(0)
        return mount
    }

    /// A read-only view of an existing folder.
    static func readOnly(_ original: String) throws -> Mount {
        let mount = try Mount()
        try runCommand(["mount", "--bind", original, mount.path]).require(0)
        try runCommand(["mount", "-o", "remount,bind,ro", mount.path]).require(0)
        return mount
    }
}

/// A small ext4 filesystem in a file that can lose its power.
final class LoopDisk {
    private let folder: TemporaryFolder
    private var image: String { folder.url("disk.img").path }
    /// Where it is mounted.
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.url("mount").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try runCommand(["truncate", "-s", "24M", image]).require(0)
        try runCommand(["mkfs.ext4", "-q", "-F", image]).require(0)
        try mount()
        try keep(as: "empty")
    }

    deinit { _ = try? runCommand(["umount", "-l", path]) }

    private func mount() throws { try runCommand(["mount", "-o", "loop", image, path]).require(0) }
    private func unmount() throws { try runCommand(["umount", path]).require(0) }

    /// Keeps what is on the disk now under a name.
    func keep(as name: String) throws {
        try unmount()
        try runCommand(["cp", "--sparse=always", image, folder.url(name).path]).require(0)
        try mount()
    }

    /// Restores the disk to what was kept under a name.
    func restore(_ name: String) throws {
        try unmount()
        try runCommand(["cp", "--sparse=always", folder.url(name).path, image]).require(0)
        try mount()
    }

    /// From now on nothing reaches the disk.
    /// - Parameter flush: writes the journal first, but no data: names are then on the disk, but perhaps not the data
    ///   that they name.
    func cutPower(flush: Bool = false) throws {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY)
        defer { close(descriptor) }
        var flags: UInt32 = flush ? 1 : 2
        // EXT4_IOC_SHUTDOWN, which is _IOR('X', 125, __u32).
        guard ioctl(descriptor, 0x8004_587D, &flags) == 0 else {
            throw TestError("the filesystem cannot be shut down: \(String(cString: strerror(errno)))")
        }
    }

    /// Blocks all writes until ``thaw()``: a process that tries to write waits, and cannot be killed meanwhile.
    func freeze() throws { try runCommand(["fsfreeze", "-f", path]).require(0) }
    func thaw() throws { try runCommand(["fsfreeze", "-u", path]).require(0) }

    /// What is on the disk after a power cut: everything that was only in memory is gone.
    func powerUp() throws {
        try unmount()
        try mount()
    }
}
