/// What happens to a capture in which a stage finds something wrong: it gets a warning, or it fails.
public enum Consequence: String, CaseIterable, Sendable { case warn, fail }

/// What happens to a capture that lacks what a stage is to work with: it fails, or passes as it is.
public enum Missing: String, CaseIterable, Sendable { case fail, pass }
