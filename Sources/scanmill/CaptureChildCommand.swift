import ArgumentParser
import FoundationEssentials
import Glibc
import ScanFormats
import ScanModel
import ScanPipeline
import ScanStages

/// The child's side of a capture's process: reads a job from stdin, runs it, and says one event a line on stdout.
struct CaptureChildCommand: ParsableCommand {
    static let name = "run-one-capture"
    static let configuration = CommandConfiguration(commandName: name, shouldDisplay: false)

    func run() throws {
        let job = try JSONDecoder().decode(CaptureJob.self, from: Self.readStandardInput())
        let ticker = ProgressTicker()
        do throws(Problem) {
            let summary = try Self.process(job) { ticker.tell($0) }
            Self.say(.done(summary))
        } catch {
            Self.say(.failed(error))
        }
    }

    private static func process(
        _ job: CaptureJob, report: @escaping @Sendable (RunProgress) -> Void
    ) throws(Problem) -> CaptureSummary {
        let pipeline: Pipeline
        do throws(PipelineMistakes) {
            var overrides: [OptionOverride] = []
            for setting in job.settings {
                do throws(Problem) { overrides.append(try OptionOverride(parsing: setting)) } catch {
                    throw PipelineMistakes(problems: [error])
                }
            }
            pipeline = try Pipeline.load(
                text: job.pipelineText, path: job.pipelinePath, overrides: overrides, library: .builtIn)
        } catch {
            throw error.problems.first ?? Problem(.usage, "the pipeline is not valid")
        }
        let output = try OutputFolder(root: job.output, id: job.input.id)
        let runner = Runner(pipeline: pipeline, workers: job.workers, tool: Tool.nameAndVersion, report: report)
        do throws(Problem) {
            let receipt = try runner.run(job.input, into: output)
            try output.publish(receipt: receipt.bytes)
            return CaptureSummary(receipt)
        } catch {
            let hadResult = output.hasPublishedResult
            output.abandon()
            throw error.noting(
                hadResult
                    ? "nothing was published for \(job.input.id); the last good result is unchanged"
                    : "nothing was published for \(job.input.id)")
        }
    }

    fileprivate static func say(_ event: CaptureEvent) {
        guard let data = try? JSONEncoder().encode(event) else { return }
        Console.out(String(decoding: data, as: UTF8.self))
    }

    private static func readStandardInput() -> Data {
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(STDIN_FILENO, &buffer, buffer.count)
            if count <= 0 { return data }
            data.append(contentsOf: buffer[..<count])
        }
    }
}

/// Sends progress at most ten times a second.
private final class ProgressTicker: @unchecked Sendable {
    private var last = ContinuousClock.now - .seconds(1)

    /// Called by one worker at a time.
    func tell(_ progress: RunProgress) {
        let now = ContinuousClock.now
        guard now - last > .milliseconds(100) else { return }
        last = now
        CaptureChildCommand.say(
            .progress(stage: progress.stage, frame: progress.frame, frameCount: progress.frameCount))
    }
}
