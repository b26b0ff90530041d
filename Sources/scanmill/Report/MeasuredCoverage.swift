import ScanModel
import ScanPipeline

extension Measured {
    /// Which sides of the box the pictures show.
    struct Coverage: Sendable {
        static let faces = ["front", "left", "right", "back", "top", "bottom"]

        /// How a side of the box is seen in the pictures.
        struct Side: Sendable {
            /// How many pictures show half of it or more.
            var views = 0
            /// The share of its surface that any picture shows.
            var share = 0.0
            /// The nearest camera whose picture shows any of it.
            var nearest: Double?
        }

        /// The largest stretch of the circle around the box without a view; degrees, 0 facing the front, 90 the right.
        struct Ring: Sendable {
            var gap: Double
            var from: Double
            var to: Double
        }

        /// How many cameras are aimed at each face, and past the box.
        var aimed: [String: Int]
        var miss: Int
        /// What the pictures show of each side; nil where that was not computed, as in earlier revisions of the stage
        /// or without intrinsics.
        var sides: [String: Side]?
        /// Pictures that show all or part of the box, and those that do not.
        var shown = 0
        var absent = 0
        var ring: Ring?
        /// How many views of a side, or cameras aimed at a face, there should be.
        var goal: Int
        /// Views by direction around the box: rows from the top down, columns once around; empty when not measured.
        var sphere: [[Int]]

        init?(_ json: JSONValue?) {
            guard let json, let faces = json["faces"] else { return nil }
            aimed = [:]
            for face in Self.faces { aimed[face] = faces[face]?.asCount ?? 0 }
            miss = faces["miss"]?.asCount ?? 0
            if let seen = json["sides"] {
                let sides = Self.faces.map { face in
                    Side(
                        views: seen[face]?["views"]?.asCount ?? 0, share: seen[face]?["share"]?.boundedNumber ?? 0,
                        nearest: seen[face]?["nearest"]?.boundedNumber)
                }
                self.sides = Dictionary(uniqueKeysWithValues: zip(Self.faces, sides))
                let pictures = json["pictures"]
                shown = (pictures?["all"]?.asCount ?? 0) + (pictures?["part"]?.asCount ?? 0)
                absent = pictures?["none"]?.asCount ?? 0
                if let gap = json["ring"]?["gap"]?.boundedNumber, let from = json["ring"]?["from"]?.boundedNumber,
                    let to = json["ring"]?["to"]?.boundedNumber
                {
                    ring = Ring(gap: gap, from: from, to: to)
                }
            }
            goal = json[sides == nil ? "aim-goal" : "goal"]?.asCount ?? json["goal"]?.asCount ?? 10
            let rows = (json["sphere"]?["views"]?.array ?? []).map { ($0.array ?? []).map { $0.asCount ?? 0 } }
            let isGrid = rows.count <= 64 && rows.allSatisfy { $0.count == rows.first?.count && $0.count <= 128 }
            sphere = isGrid ? rows : []
        }

        /// Views of a side, or how many cameras are aimed at it where only that is known.
        subscript(face: String) -> Int { sides.map { $0[face]?.views ?? 0 } ?? aimed[face] ?? 0 }

        /// The side, or the edge between two, that a viewer at an angle faces: degrees as in ``Ring``.
        static func direction(_ degrees: Double) -> String {
            let names = [
                "front", "front right", "right", "back right", "back", "back left", "left", "front left",
            ]
            return names[(Int((degrees / 45).rounded()) % 8 + 8) % 8]
        }
    }
}
