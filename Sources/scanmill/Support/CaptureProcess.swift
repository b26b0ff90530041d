import FoundationEssentials
import Glibc
import ScanModel
import ScanPipeline
import Subprocess
import SystemPackage

/// The parent's side of a capture's process.
enum CaptureProcess {
    /// Runs a job in a child process of the same binary. A child that is killed or traps is a failed capture.
    static func launch(_ job: CaptureJob, _ event: @escaping @Sendable (CaptureEvent) -> Void) async -> CaptureOutcome {
        CaptureOutcome(input: job.input, result: await result(of: job, event))
    }

    private static func result(
        of job: CaptureJob, _ event: @escaping @Sendable (CaptureEvent) -> Void
    ) async -> Result<CaptureSummary, Problem> {
        do {
            let text = String(decoding: try JSONEncoder().encode(job), as: UTF8.self)
            let ended = try await Subprocess.run(
                .path(FilePath(executablePath)), arguments: [CaptureChildCommand.name], input: .string(text),
                output: .sequence, error: .string(limit: 1 << 16)
            ) { execution in
                var last: CaptureEvent?
                for try await line in execution.standardOutput.strings() {
                    guard let parsed = try? JSONDecoder().decode(CaptureEvent.self, from: Data(line.utf8)) else { continue }
                    event(parsed)
                    last = parsed
                }
                return last
            }
            switch ended.closureResult {
            case .done(let summary)? where ended.terminationStatus.isSuccess: return .success(summary)
            case .failed(let problem)?: return .failure(problem)
            default: return .failure(crash(job, ended.terminationStatus, ended.standardError))
            }
        } catch {
            return .failure(Problem(.environment, "cannot start a process for the capture: \(error)"))
        }
    }

    /// What a child that ended without a word most likely died of.
    private static func crash(_ job: CaptureJob, _ status: TerminationStatus, _ errors: String) -> Problem {
        let words = errors.split(separator: "\n").suffix(3).map(String.init)
        let untouched = "nothing was published for \(job.input.id); an earlier result is unchanged"
        switch status {
        case .signaled(let signal) where signal == SIGKILL:
            return Problem(
                .environment, "the capture's process was killed", notes: [untouched],
                fix: "the machine may have run out of memory: try fewer captures side by side with --jobs")
        case .signaled(let signal) where signal == SIGINT || signal == SIGTERM || signal == SIGHUP:
            return Problem(.environment, "the capture's process was stopped by signal \(signal)", notes: [untouched])
        default:
            return Problem(
                .tool, "the capture's process ended unexpectedly (\(status))", notes: words + [untouched],
                fix: "this is a mistake in ScanMill: please report it with the capture's format and these lines")
        }
    }

    /// The running binary, whatever name it was called by.
    static var executablePath: String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        guard count > 0 else { return CommandLine.arguments[0] }
        return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
