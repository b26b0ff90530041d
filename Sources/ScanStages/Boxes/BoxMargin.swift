import ScanModel

/// Boxes that options make smaller.
enum BoxMargin {
    /// What to say if nothing is left of a box.
    /// - Parameter margins: the options that take something off, with their values in metres.
    static func leavesNothing(of box: OrientedBox, _ margins: [String: Double], _ label: String) -> Problem {
        let half = box.cutByItsFloor.halfSize
        let least = min(half.x, half.y, half.z)
        let names = margins.keys.sorted()
        let options = names.map { "`\($0): \((margins[$0] ?? 0).shortText)`" }.joined(separator: " and ")
        return Problem(
            .usage, "\(options) \(names.count > 1 ? "leave" : "leaves") nothing of the box",
            notes: ["half of its shortest side is \(least.rounded(decimals: 3).shortText) m"],
            fix: "take less off the box, such as  "
                + names.map { ShellWord.setting(label, "\($0)=0") }.joined(separator: " "))
    }
}

extension OrientedBox {
    /// Its size and its middle, for messages: of a box that a floor cuts off, of what is left.
    var place: String {
        func text(_ vector: Vector3) -> String {
            vector.components.map { $0.shortText(decimals: 2) }.joined(separator: ", ")
        }
        let solid = cutByItsFloor
        return "the box measures \(text(solid.halfSize * 2)) and has its middle at \(text(solid.center))"
    }
}
