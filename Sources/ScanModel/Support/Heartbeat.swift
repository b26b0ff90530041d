import Synchronization

/// A sign of life of this process: a count that grows while bytes are read or written, or something long is computed. A
/// process that gives none for as long as `--patience` is ended.
package enum Heartbeat {
    private static let beats = Atomic<Int>(0)

    package static var count: Int { beats.load(ordering: .relaxed) }

    /// Called by whatever moves bytes, once per piece, and by whatever takes seconds or more without moving any.
    package static func beat() { beats.wrappingAdd(1, ordering: .relaxed) }
}
