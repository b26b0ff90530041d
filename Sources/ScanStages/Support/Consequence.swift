/// What becomes of a capture in which a stage finds something wrong: a warning, or it fails.
public enum Consequence: String, CaseIterable, Sendable { case warn, fail }
