/// What happens to a capture that lacks what a stage is to work with: it fails, or passes as it is.
public enum Missing: String, CaseIterable, Sendable { case fail, pass }
