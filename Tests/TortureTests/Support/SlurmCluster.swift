import Foundation
import TestSupport

/// A Slurm cluster of one-core nodes, all of them on this machine, for as long as this object lives.
final class SlurmCluster {
    static let programs = ["munged", "slurmctld", "slurmd", "sbatch", "squeue", "sinfo"]

    private let folder: TemporaryFolder
    /// What Slurm's commands need to find the cluster.
    let environment: [String: String]

    init(nodes: Int) throws {
        folder = try TemporaryFolder()
        environment = ["SLURM_CONF": folder.url("slurm.conf").path]
        let host = try runCommand(["hostname", "-s"]).require(0).output.trimmingCharacters(in: .whitespacesAndNewlines)
        let key = try folder.write((0..<1024).map { _ in UInt8.random(in: .min ... .max) }, to: "munge.key")
        chmod(key, 0o400)
        // Ports that no other cluster on this machine is likely to have.
        let port = 20_000 + Int(getpid()) % 10_000
        let names = (1...nodes).map { "n\($0)" }
        let lines =
            [
                "ClusterName=test", "SlurmctldHost=\(host)(127.0.0.1)", "SlurmUser=root", "SlurmctldPort=\(port)",
                "AuthType=auth/munge", "CredType=cred/munge",
                // A requeued job waits for as long as a credential lives: 5 s is the least.
                "AuthInfo=socket=\(folder.url("munge.sock").path),cred_expire=5",
                "StateSaveLocation=\(folder.url("state").path)", "SlurmdSpoolDir=\(folder.url("spool-%n").path)",
                "SlurmctldPidFile=\(folder.url("slurmctld.pid").path)",
                "SlurmdPidFile=\(folder.url("slurmd-%n.pid").path)",
                "SlurmctldLogFile=\(folder.url("slurmctld.log").path)",
                "SlurmdLogFile=\(folder.url("slurmd-%n.log").path)",
                // Nothing that needs systemd, cgroups or a database.
                "ProctrackType=proctrack/linuxproc", "TaskPlugin=task/none",
                "JobAcctGatherType=jobacct_gather/none", "AccountingStorageType=accounting_storage/none",
                "SelectType=select/cons_tres", "SlurmdParameters=config_overrides", "ReturnToService=2",
            ]
            + names.enumerated().map { number, name in
                "NodeName=\(name) NodeHostname=\(host) NodeAddr=127.0.0.1 Port=\(port + 1 + number) CPUs=1"
            } + ["PartitionName=all Nodes=\(names.joined(separator: ",")) Default=YES State=UP", ""]
        try folder.write(lines.joined(separator: "\n"), to: "slurm.conf")
        try runCommand(["mkdir", folder.url("state").path]).require(0)
        let files = ["pid", "log", "seed"].map { "--\($0)-file=\(folder.url("munged.\($0)").path)" }
        try start(["munged", "--force", "--key-file=\(key)", "--socket=\(folder.url("munge.sock").path)"] + files)
        try start(["slurmctld"])
        for name in names { try start(["slurmd", "-N", name]) }
        try wait("the nodes are idle") {
            let nodes = try runCommand(["sinfo", "-h", "-N", "-o", "%t"], environment: environment).output
            return nodes.split(separator: "\n").allSatisfy { $0 == "idle" } && !nodes.isEmpty
        }
    }

    deinit {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        where name.hasSuffix(".pid") {
            let text = (try? folder.bytes(name)).map { String(decoding: $0, as: UTF8.self) } ?? ""
            if let process = pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)) { kill(process, SIGKILL) }
        }
    }

    /// Starts a daemon without inherited descriptors: Foundation waits until nobody holds those open any more.
    private func start(_ command: [String]) throws {
        let script = """
            for path in /proc/self/fd/*; do
              number=${path##*/}
              [ "$number" -le 2 ] || eval "exec $number>&-"
            done
            exec "$@"
            """
        try runCommand(["bash", "-c", script, "bash"] + command, environment: environment).require(0)
    }

    /// The lines of `squeue` about jobs that wait or run.
    func queue() throws -> [Substring] {
        try runCommand(["squeue", "-h", "-r", "-o", "%i %T"], environment: environment).require(0)
            .output.split(separator: "\n")
    }

    func waitForAllJobs() throws { try wait("the queue is empty") { try queue().isEmpty } }

    func wait(_ what: String, _ isSo: () throws -> Bool) throws {
        for _ in 0..<1200 {
            if try isSo() { return }
            usleep(50_000)
        }
        let log = (try? folder.bytes("slurmctld.log")).map { String(decoding: $0, as: UTF8.self) } ?? ""
        throw TestError("a minute went by before \(what): \(log.suffix(2000))")
    }
}
