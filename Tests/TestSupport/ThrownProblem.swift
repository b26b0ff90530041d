import ScanModel

/// The problem that a call ends with, also for errors that are none; nil when it ends well.
public func problem(of body: () throws -> Void) -> Problem? {
    do {
        try body()
        return nil
    } catch let problem as Problem { return problem } catch { return Problem(.tool, "\(error)") }
}
