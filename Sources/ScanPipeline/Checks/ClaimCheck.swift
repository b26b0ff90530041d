import ScanModel

/// Checks that no two steps write the same path, and that none writes the receipt's.
enum ClaimCheck {
    /// - Parameter id: the capture's; nil as long as it is not known and is `{id}` in what steps claim.
    static func mistakes(in steps: [Pipeline.Step], id: String? = nil) -> [OrderCheck.Finding] {
        var mistakes: [OrderCheck.Finding] = []
        var owners: [(claim: String, step: Int)] = []
        for (index, step) in steps.enumerated() {
            let claims = step.uses.claims.map { claim in id.map { claim.replacing("{id}", with: $0) } ?? claim }
            if let problem = mistake(of: step, claims, besides: owners, steps) {
                mistakes.append(OrderCheck.Finding(step: index, problem: problem))
            }
            owners += claims.map { ($0, index) }
        }
        return mistakes
    }

    private static func mistake(
        of step: Pipeline.Step, _ claims: [String], besides owners: [(claim: String, step: Int)],
        _ steps: [Pipeline.Step]
    ) -> Problem? {
        if let claim = claims.first(where: { overlap($0, Receipt.fileName) }) {
            return Problem(
                .usage, "`\(step.label)` would write \(claim), and \(Receipt.fileName) is the result's own",
                fix: "give it another name")
        }
        for claim in claims {
            guard let owner = owners.first(where: { overlap($0.claim, claim) }) else { continue }
            return Problem(
                .usage, "`\(step.label)` and `\(steps[owner.step].label)` both write \(claim)",
                fix: "keep one of them, or give one another name where it has an option for that")
        }
        return nil
    }

    private static func overlap(_ a: String, _ b: String) -> Bool {
        // A folder's claim ends in a slash; with one added to both, "starts with" is "is or lies in".
        let (a, b) = (a.endsInSlash ? a : a + "/", b.endsInSlash ? b : b + "/")
        return a.hasPrefix(b) || b.hasPrefix(a)
    }
}
