/// Why a capture has nothing of a channel that its format knows, and what to do about it. A string literal makes one with
/// a reason only.
public struct Absence: Hashable, Sendable, ExpressibleByStringInterpolation {
    /// For the message when a stage needs the channel.
    public var reason: String
    /// What to do where the capture's own description contradicts the absence: the copy is incomplete.
    public var remedy: String?
    /// What to do where a stage needs what captures like this one never have; until then it is nothing to speak of.
    public var advice: String?
    /// What keeps this machine from providing a channel that the capture has: a missing tool.
    public var obstacle: Problem?

    public init(_ reason: String, remedy: String? = nil, advice: String? = nil, obstacle: Problem? = nil) {
        self.reason = reason
        self.remedy = remedy
        self.advice = advice
        self.obstacle = obstacle
    }

    public init(stringLiteral reason: String) { self.init(reason) }
}
