extension Collection<Double> {
    /// How long a step in time usually is, of steps that do not go back: their median, or their mean where most are 0
    /// because they lead to equal times. Steps of 0 count, or the others would seem to come more slowly than they do.
    /// - Parameter median: of these steps; nil of none.
    /// - Returns: nil where no step is longer than 0.
    func usualStep(median: Double?) -> Double? {
        guard let median else { return nil }
        let step = median > 0 ? median : reduce(0, +) / Double(count)
        return step > 0 ? step : nil
    }
}
