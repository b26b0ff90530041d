/// What happens to a capture in which a stage finds something wrong: it gets a warning, or it fails.
public enum Consequence: String, CaseIterable, Sendable { case warn, fail }
