/// The camera's path seen from above, coloured by speed, with the box in it and a scale.
enum PathFromAbove {
    private static let width = 200.0
    private static let height = 132.0

    static func draw(_ motion: Measured.Motion) -> HTML? {
        guard motion.track.count > 1 else { return nil }
        let xs = motion.track.map(\.a) + motion.boxOutline.map(\.a)
        let ys = motion.track.map(\.b) + motion.boxOutline.map(\.b)
        guard let left = xs.min(), let right = xs.max(), let low = ys.min(), let high = ys.max() else { return nil }
        let span = max(right - left, high - low, 1e-6)
        let scale = min((width - 16) / max(right - left, 1e-6), (height - 34) / max(high - low, 1e-6), 150 / span * 4)
        // Centred, north up: the first axis goes right, the second up.
        let origin = (
            x: width / 2 - (left + right) / 2 * scale, y: (height - 18) / 2 + (low + high) / 2 * scale
        )
        func point(_ a: Double, _ b: Double) -> (x: Double, y: Double) { (origin.x + a * scale, origin.y - b * scale) }
        func text(_ point: (x: Double, y: Double)) -> String { "\(HTML.short(point.x)) \(HTML.short(point.y))" }

        let limit = reddest(motion)
        var paths = Array(repeating: "", count: unknown + 1)
        var last = -1
        for (from, to) in zip(motion.track, motion.track.dropFirst()) {
            let band = limit.flatMap { limit in to.speed.map { Self.band($0, limit) } } ?? unknown
            if band != last { paths[band] += "M\(text(point(from.a, from.b)))" }
            paths[band] += "L\(text(point(to.a, to.b)))"
            last = band
        }
        let lines = paths.enumerated().compactMap { band, path -> HTML? in
            path.isEmpty ? nil : "<path class=\"v\(band)\" d=\"\(path)\"/>"
        }
        let corners = motion.boxOutline.map { text(point($0.a, $0.b)) }.joined(separator: "L")
        let start = point(motion.track[0].a, motion.track[0].b)
        return """
            <svg class="path" viewBox="0 0 \(width) \(height)" role="img" aria-label="\(label(motion))">\
            \(corners.isEmpty ? HTML() : "<path class=\"box\" d=\"M\(corners)Z\"/>")\(lines)\
            <circle class="start" cx="\(start.x)" cy="\(start.y)" r="3"/>\(ruler(scale, motion))</svg>
            """
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
