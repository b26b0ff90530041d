extension RGBImage {
    /// Writes what the picture shows into its corners: the view's name, a scale bar in orthographic views, and what the
    /// colours of the cameras mean.
    /// - Parameter isMetric: whether the world's unit is a metre; otherwise lengths have no unit.
    public mutating func addLegend(
        _ title: String, view: SceneView, trail: CameraTrail?, isMetric: Bool
    ) {
        let dot = height >= 500 ? 2 : 1
        let margin = 6 * dot
        let line = BitmapFont.height * dot
        write(title, x: margin, y: margin, scale: dot, color: Scene.ink)
        if let scale = view.scale {
            let length = Self.roundLength(atMost: Double(width) / 4 / scale)
            let pixels = Int((length * scale).rounded())
            let (left, bottom) = (width - margin - pixels, height - margin)
            fill(x: left, y: bottom - 2 * dot, width: pixels, height: 2 * dot, Scene.ink)
            let text = Self.number(length) + (isMetric ? " m" : "")
            write(
                text, x: width - margin - BitmapFont.width(of: text, scale: dot), y: bottom - 4 * dot - line,
                scale: dot,
                color: Scene.ink)
        }
        guard let trail, !trail.stations.isEmpty else { return }
        let (barWidth, barHeight) = (60 * dot, 4 * dot)
        let (low, high) = Self.words(trail, isMetric: isMetric)
        let middle = height - margin - line
        var x = margin
        write(low, x: x, y: middle, scale: dot, color: Scene.ink)
        x += BitmapFont.width(of: low, scale: dot) + 3 * dot
        for column in 0..<barWidth {
            let color = ColorMap.turbo.color(at: Double(column) / Double(barWidth - 1))
            fill(x: x + column, y: middle + dot, width: 1, height: barHeight, color)
        }
        write(high, x: x + barWidth + 3 * dot, y: middle, scale: dot, color: Scene.ink)
    }

    /// The labels before and after the colours of the cameras. Some frames may be faster than the speed at the end.
    private static func words(_ trail: CameraTrail, isMetric: Bool) -> (low: String, high: String) {
        let (low, high) = (number(trail.limits.lowerBound), number(trail.limits.upperBound))
        switch trail.measure {
        case .time: return (low, "\(high) s")
        case .speed: return (low, "≥ \(high) \(isMetric ? "m/s" : "/s")")
        case .number: return ("frame \(low)", high)
        }
    }

    /// The largest of 1, 2 or 5 times a power of ten that is no longer than `length`.
    static func roundLength(atMost length: Double) -> Double {
        guard length.isFinite, length > 1e-9 else { return 1e-9 }
        var power = 1e-9
        while power * 10 <= length { power *= 10 }
        // Rounds powers that are a little off.
        let decimal = power < 1 ? 1 / (1 / power).rounded() : power.rounded()
        return [5.0, 2, 1].map { $0 * decimal }.first { $0 <= length } ?? decimal
    }

    /// With two significant figures or the whole number: 0.05, 1.5, 12, 130.
    static func number(_ value: Double) -> String {
        value.isFinite && value >= 0 && value < 1e9 ? value.shortText(digits: 2) : "?"
    }
}
