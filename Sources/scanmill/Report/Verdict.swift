/// The report in a few sentences.
struct Verdict: Sendable {
    /// "397 of 412 captures are ready."
    let headline: String
    /// The warnings that most captures share, which leave them ready; without a full stop.
    let shared: String?
    /// What stands out among the captures that failed or are worth a look, where something does.
    let standsOut: String?
    /// The group that ``standsOut`` is about, by its place in ``NightReport/findings``.
    let group: Int?

    /// The headline with the warnings.
    var text: String { shared.map { FindingRules.sentences([headline, $0]) } ?? headline }

    /// - Parameters:
    ///   - common: warnings that most captures have, and how many.
    ///   - lackOfEnd: what is to be said of a run that has not said how it went.
    init(
        _ summary: Summary, _ groups: [FindingGroup], _ captures: [CaptureFacts],
        common: [(text: String, count: Int)], lackOfEnd: String?
    ) {
        shared = Self.shared(common, of: captures.count)
        headline = Self.headline(summary) + (lackOfEnd.map { " \($0)" } ?? "")
        let odd = captures.indices.filter { captures[$0].status == .failed || captures[$0].status == .look }
        // Nothing stands out among two or three: a reader sees them all.
        guard odd.count >= 4 else {
            (standsOut, group) = (nil, nil)
            return
        }
        let sizes = groups.map { $0.isUsual ? [] : Set($0.findings.map(\.capture)) }
        let largest = sizes.indices.max { sizes[$0].count < sizes[$1].count }
        if let largest, sizes[largest].count >= 2, 3 * sizes[largest].count >= odd.count {
            let concerned = sizes[largest]
            let share =
                concerned.count == odd.count
                ? "all \(Wording.word(odd.count))"
                : "\(Wording.word(concerned.count)) of the \(Wording.word(odd.count))"
            let device = Self.sharedDevice(Array(concerned), captures).map { ", all on \($0)" } ?? ""
            standsOut = "One cause stands out: \(Self.uncapitalised(groups[largest].title)), in \(share)\(device)."
            group = largest
            return
        }
        group = nil
        standsOut = Self.device(odd, captures)
    }

    private static func headline(_ summary: Summary) -> String {
        let (ready, all) = (summary.ready, summary.captures)
        if all == 0 { return "There are no captures here." }
        if ready == all {
            return all == 1 ? "The capture is ready." : "\(every(all)) are ready."
        }
        if ready == 0 {
            if summary.look > 0 { return odd(summary.look, of: all) }
            switch all {
            case 1: return "The capture is not ready."
            case 2: return "Neither capture is ready."
            default: return "None of \(Wording.grouped(all)) captures is ready."
            }
        }
        return "\(Wording.grouped(ready)) of \(Wording.grouped(all)) captures \(ready.isOrAre) ready."
    }

    /// Where none is ready but some have results: something odd about these does not make them worthless.
    private static func odd(_ look: Int, of all: Int) -> String {
        if all == 1 { return "The capture has a result that needs a look." }
        if look == all { return "\(every(all)) have results that need a look." }
        let results = look == 1 ? "has a result that needs a look" : "have results, and all of them need a look"
        return "\(Wording.grouped(look)) of \(Wording.grouped(all)) captures \(results)."
    }

    /// - Parameter count: at least two.
    private static func every(_ count: Int) -> String {
        count == 2 ? "Both captures" : "All \(Wording.grouped(count)) captures"
    }

    private static func shared(_ common: [(text: String, count: Int)], of all: Int) -> String? {
        guard let first = common.first else { return nil }
        if common.count > 1 { return "most share \(Wording.word(common.count)) warnings, such as: \(first.text)" }
        let who = first.count == all ? "all \(Wording.word(all))" : Wording.word(first.count)
        return "\(who) share a warning: \(first.text)"
    }

    /// A device that has much more than its share of the odd captures.
    private static func device(_ odd: [Int], _ captures: [CaptureFacts]) -> String? {
        let all = Dictionary(grouping: captures.compactMap(\.device), by: \.self).mapValues(\.count)
        let oddOnes = Dictionary(grouping: odd.compactMap { captures[$0].device }, by: \.self).mapValues(\.count)
        guard all.count > 1, let (name, count) = oddOnes.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }) else {
            return nil
        }
        let share = Double(count) / Double(odd.count)
        let usual = Double(all[name] ?? 0) / Double(captures.count)
        // Three of five may be chance.
        guard count >= 4, share >= 0.4, share >= 2 * usual else { return nil }
        return "One device stands out: \(name), with \(Wording.word(count)) of the \(Wording.word(odd.count))."
    }

    /// The device that all of these were recorded with, if the batch has several.
    private static func sharedDevice(_ concerned: [Int], _ captures: [CaptureFacts]) -> String? {
        let devices = Set(concerned.map { captures[$0].device })
        guard devices.count == 1, let device = devices.first, Set(captures.compactMap(\.device)).count > 1 else {
            return nil
        }
        return device
    }

    /// Abbreviations and names stay as they are: "PNG truncated", "OpenCV's axes".
    private static func uncapitalised(_ text: String) -> String {
        if text.prefix(while: { $0 != " " }).dropFirst().contains(where: \.isUppercase) { return text }
        return text.prefix(1).lowercased() + text.dropFirst()
    }
}
