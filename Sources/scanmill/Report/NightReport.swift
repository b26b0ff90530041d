import ScanModel
import ScanPipeline

/// Everything that the report shows, gathered from OUT: receipts, failure notes, the record of the newest run, and what
/// the reports of earlier runs said. `report.json` and the page are both made from it.
struct NightReport: Sendable {
    let output: String
    let run: RunFacts?
    /// Sorted by id.
    var captures: [CaptureFacts]
    let findings: [FindingGroup]
    /// The findings of each capture that has any, each with its group's place.
    let findingsOf: [Int: [(group: Int, finding: Finding)]]
    /// Warnings that most captures have.
    let commonWarnings: [(text: String, count: Int)]
    /// What follows from the pipeline, for how many captures, and the places of the first few of these.
    let notes: [(text: String, count: Int, first: [Int])]
    let summary: Summary
    let stages: [StageRow]
    let devices: [DeviceRow]
    let trends: [Trend]
    /// How many earlier runs something is known about.
    let earlierCount: Int
    let verdict: Verdict

    /// Folders around captures, and what is the path of several: who names one may not mean all that lies there.
    let crowdedPlaces: Set<String>
    /// The resolved pipeline of the newest run; without one, that of the first result.
    let pipeline: JSONValue?

    /// Places in ``captures`` in the order in which they ran; captures that did not run come first.
    var order: [Int] {
        captures.indices.sorted {
            (captures[$0].share?.begin ?? -1, $0) < (captures[$1].share?.begin ?? -1, $1)
        }
    }

    /// - Parameter run: the name of the run to report on; nil for the newest.
    init(output: String, run: String?) {
        let state = StateFolder(output: output)
        let run = (run ?? RunFacts.newest(in: state)).map { RunFacts($0, in: state) }
        let earlier = EarlierRun.all(in: state, before: run?.name)
        var captures = CaptureGathering(state, run).captures()
        let first = captures.first { $0.hasResult }.flatMap { PublishedResult($0.id, in: output) }
        self.output = output
        self.run = run
        pipeline = run?.pipeline ?? first?.receipt["pipeline"]
        let usual = DeviceRow.usual(earlier)
        let norms = BatchNorms(captures, sharpnessOfDevices: usual.compactMapValues(\.sharpness))
        findings = FindingGroup.grouped(FindingRules.findings(against: norms), of: captures)
        for finding in findings.filter({ !$0.isUsual }).flatMap(\.findings)
        where captures[finding.capture].status == .ready {
            captures[finding.capture].fate = .look
        }
        var findingsOf: [Int: [(group: Int, finding: Finding)]] = [:]
        for (group, findings) in findings.enumerated() {
            for finding in findings.findings { findingsOf[finding.capture, default: []].append((group, finding)) }
        }
        self.findingsOf = findingsOf
        commonWarnings = norms.commonWarnings.map { (text: $0.phrase.text, count: $0.count) }
        notes = Phrase.counted(captures, \.notes).map { (text: $0.phrase.text, count: $0.count, first: $0.first) }
        self.captures = captures
        crowdedPlaces = Self.crowdedPlaces(captures, run)
        summary = Summary(captures, run)
        stages = StageRow.all(captures, pipeline: pipeline)
        devices = DeviceRow.all(captures, usual: usual)
        trends = Trend.all(summary, earlier)
        earlierCount = earlier.count
        verdict = Verdict(
            summary, findings, captures, common: commonWarnings, lackOfEnd: run?.lackOfEnd(waiting: summary.waiting))
    }
}
