extension Sequence {
    /// What `transform` gives for the first element for which it gives anything.
    ///
    /// `lazy.compactMap(…).first` asks it twice and relies on the second answer: of files it may be another by then.
    package func firstNonNil<Value, E: Error>(
        _ transform: (Element) throws(E) -> Value?
    ) throws(E) -> Value? {
        for element in self {
            if let value = try transform(element) { return value }
        }
        return nil
    }
}
