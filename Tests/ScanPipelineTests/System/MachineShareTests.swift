import Foundation
import ScanPipeline
import TestSupport
import Testing

/// What control groups leave to a process, read from files as the kernel writes them.
@Suite struct MachineShareTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func share(_ list: String, _ files: [String: String]) throws -> MachineShare {
        try folder.write(list, to: "list")
        for (path, text) in files { try folder.write(text + "\n", to: "groups/\(path)") }
        return MachineShare(
            cores: 64, memory: 8_000_000_000,
            groups: ControlGroups(of: "\(folder.path)/list", at: "\(folder.path)/groups"))
    }

    @Test func withoutLimitsItIsTheMachine() throws {
        let share = try share(
            "0::/user.slice\n",
            ["cpu.max": "max 100000", "user.slice/cpu.max": "max 100000", "user.slice/memory.max": "max"])
        #expect(share.cores == 64)
        #expect(share.memory == 8_000_000_000)
    }

    /// A systemd unit with CPUQuota=250% in a slice with MemoryHigh=.
    @Test func limitsOfAllGroupsAboveHold() throws {
        let share = try share(
            "0::/night.slice/scanmill.service\n",
            [
                "night.slice/scanmill.service/cpu.max": "250000 100000",
                "night.slice/scanmill.service/memory.max": "6000000000",
                "night.slice/cpu.max": "400000 100000", "night.slice/memory.high": "2000000000",
            ])
        #expect(share.cores == 3)
        #expect(share.memory == 2_000_000_000)
    }

    /// Version 1 in a container: the group's path is the machine's, and what is mounted is the container's own group.
    @Test func versionOneInAContainer() throws {
        let share = try share(
            "4:memory:/docker/0123\n3:cpu,cpuacct:/docker/0123\n0::/\n",
            [
                "cpu,cpuacct/cpu.cfs_quota_us": "50000", "cpu,cpuacct/cpu.cfs_period_us": "100000",
                "memory/memory.limit_in_bytes": "1073741824",
            ])
        #expect(share.cores == 1)
        #expect(share.memory == 1_073_741_824)
    }

    /// As version 1 says that there is none.
    @Test func versionOneWithoutLimits() throws {
        let share = try share(
            "4:memory:/a\n3:cpu,cpuacct:/a\n",
            [
                "cpu,cpuacct/a/cpu.cfs_quota_us": "-1", "cpu,cpuacct/a/cpu.cfs_period_us": "100000",
                "memory/a/memory.limit_in_bytes": "9223372036854771712",
            ])
        #expect(share.cores == 64)
        #expect(share.memory == 8_000_000_000)
    }

    /// Both versions are mounted, and version 2 beside the other's controllers.
    @Test func bothVersions() throws {
        let share = try share(
            "3:cpu:/a\n0::/b\n", ["unified/b/memory.max": "3000000000", "cpu/a/cpu.cfs_quota_us": "1"])
        #expect(share.cores == 64)
        #expect(share.memory == 3_000_000_000)
    }

    /// A group that lies outside of what is mounted.
    @Test func onlyWhatIsMountedIsRead() throws {
        try folder.write("100000 100000", to: "other/cpu.max")
        let share = try share("0::/../other\n", ["memory.max": "4000000000"])
        #expect(share.cores == 64)
        #expect(share.memory == 4_000_000_000)
    }

    @Test(arguments: ["", "nonsense\n", "0::\n", "::\n", "0:/a\n"])
    func oddLists(_ list: String) throws {
        let share = try share(list, ["cpu.max": "0 0", "memory.max": "0"])
        #expect(share.cores == 64)
        #expect(share.memory == 8_000_000_000)
    }

    @Test func ofThisProcess() throws {
        #expect(MachineShare.own.cores <= ProcessInfo.processInfo.processorCount)
        #expect(try #require(MachineShare.own.memory) <= Int64(ProcessInfo.processInfo.physicalMemory))
    }
}
