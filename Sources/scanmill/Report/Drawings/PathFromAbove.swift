/// The camera's path seen from above, coloured by speed, with the box in it and a scale. It is turned to the box, as the
/// pictures of a result are: the front is below, and what is named the left is on the right.
enum PathFromAbove {
    private static let width = 200.0
    private static let height = 132.0

    static func draw(_ motion: Measured.Motion) -> HTML? {
        guard motion.track.count > 1 else { return nil }
        let turn = Turn(to: motion.boxOutline)
        let track = motion.track.map { turn($0.a, $0.b) }
        let box = motion.boxOutline.map { turn($0.a, $0.b) }
        let xs = (track + box).map(\.a)
        let ys = (track + box).map(\.b)
        guard let left = xs.min(), let right = xs.max(), let low = ys.min(), let high = ys.max() else { return nil }
        let span = max(right - left, high - low, 1e-6)
        let scale = min((width - 16) / max(right - left, 1e-6), (height - 34) / max(high - low, 1e-6), 150 / span * 4)
        // Centred: the first axis goes right, the second up.
        let origin = (
            x: width / 2 - (left + right) / 2 * scale, y: (height - 18) / 2 + (low + high) / 2 * scale
        )
        func point(_ a: Double, _ b: Double) -> (x: Double, y: Double) { (origin.x + a * scale, origin.y - b * scale) }
        func text(_ point: (x: Double, y: Double)) -> String { "\(HTML.short(point.x)) \(HTML.short(point.y))" }

        let limit = reddest(motion)
        var paths = Array(repeating: "", count: unknown + 1)
        var last = -1
        for (number, place) in motion.track.enumerated().dropFirst() {
            let band = limit.flatMap { limit in place.speed.map { Self.band($0, limit) } } ?? unknown
            let (from, to) = (track[number - 1], track[number])
            if band != last { paths[band] += "M\(text(point(from.a, from.b)))" }
            paths[band] += "L\(text(point(to.a, to.b)))"
            last = band
        }
        let lines = paths.enumerated().compactMap { band, path -> HTML? in
            path.isEmpty ? nil : "<path class=\"v\(band)\" d=\"\(path)\"/>"
        }
        let corners = box.map { text(point($0.a, $0.b)) }
        let outline: HTML =
            corners.isEmpty ? HTML() : "<path class=\"box\" d=\"M\(corners.joined(separator: "L"))Z\"/>"
        let start = point(track[0].a, track[0].b)
        return """
            <svg class="path" viewBox="0 0 \(width) \(height)" role="img" aria-label="\(label(motion))">\
            \(outline)\(lines)\(turn.isTurned ? front(point(box[0].a, box[0].b), point(box[1].a, box[1].b)) : nil)\
            <circle class="start" cx="\(start.x)" cy="\(start.y)" r="3"/>\(ruler(scale, motion))</svg>
            """
    }

    /// The edge of the box below its front, with the word.
    private static func front(_ from: (x: Double, y: Double), _ to: (x: Double, y: Double)) -> HTML {
        """
        <path class="front" d="M\(HTML.short(from.x)) \(HTML.short(from.y))L\(HTML.short(to.x)) \(HTML.short(to.y))"/>\
        <text x="\((from.x + to.x) / 2)" y="\(max(from.y, to.y) + 11)" text-anchor="middle">front</text>
        """
    }

    /// A turn of what is seen from above that brings a box's front down; none without a box, or where its front cannot
    /// be told, as when it lies on its back.
    private struct Turn {
        private var cosine = 1.0
        private var sine = 0.0
        private(set) var isTurned = false

        /// - Parameter outline: once round the bottom: the two corners of the front, then those of the back.
        init(to outline: [(a: Double, b: Double)]) {
            guard outline.count == 4 else { return }
            let front = (
                a: outline[0].a + outline[1].a - outline[2].a - outline[3].a,
                b: outline[0].b + outline[1].b - outline[2].b - outline[3].b
            )
            let length = (front.a * front.a + front.b * front.b).squareRoot()
            guard length > 1e-6 else { return }
            (cosine, sine, isTurned) = (-front.b / length, -front.a / length, true)
        }

        func callAsFunction(_ a: Double, _ b: Double) -> (a: Double, b: Double) {
            (cosine * a - sine * b, sine * a + cosine * b)
        }
    }

    /// The speed from which the path is red: the limit above which frames are too fast, or the highest speed where the
    /// unit is unknown. Nil where no speed is known.
    static func reddest(_ motion: Measured.Motion) -> Double? {
        guard motion.track.contains(where: { $0.speed != nil }) else { return nil }
        return motion.isMetric ? motion.fastLimit : motion.speed?.highest
    }

    /// Which of four colours a speed has; a fifth is for unknown speeds.
    private static func band(_ speed: Double, _ limit: Double) -> Int {
        speed >= limit ? 3 : speed > 0 ? Int(speed / limit * 3) : 0
    }

    private static let unknown = 4

    /// A length of 1, 2 or 5 times a power of ten, about a third of the drawing long; none for a camera that stands
    /// still, where the shortest would be longer than the drawing.
    private static func ruler(_ scale: Double, _ motion: Measured.Motion) -> HTML {
        let most = width * 0.4 / scale
        let lengths = [1e-3, 1e-2, 0.1, 1, 10, 100, 1000, 1e4].flatMap { power in [1.0, 2, 5].map { $0 * power } }
        guard let length = lengths.last(where: { $0 <= most }) else { return HTML() }
        let end = 8 + length * scale
        let y = height - 6
        let words =
            if !motion.isMetric {
                "\(Wording.measure(length)) \(motion.unit)"
            } else if length >= 1 {
                "\(Int(length)) m"
            } else if length >= 0.01 {
                "\(Int((length * 100).rounded())) cm"
            } else {
                "\(Int((length * 1000).rounded())) mm"
            }
        return """
            <path class="ruler" d="M8 \(y - 3)v6M8 \(y)H\(end)M\(end) \(y - 3)v6"/>\
            <text x="\(end + 5)" y="\(y + 3)">\(words)</text>
            """
    }

    private static func label(_ motion: Measured.Motion) -> String {
        "path of the camera seen from above, \(Wording.measure(motion.pathLength)) \(motion.unit) long"
            + (motion.boxOutline.isEmpty ? "" : ", around the box")
    }
}
