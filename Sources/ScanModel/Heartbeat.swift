import Synchronization

/// A sign of life of this process: it grows while bytes are read or written.
package enum Heartbeat {
    private static let beats = Atomic<Int>(0)

    package static var count: Int { beats.load(ordering: .relaxed) }

    /// Called by whatever moves bytes, once a piece.
    package static func beat() { beats.wrappingAdd(1, ordering: .relaxed) }
}
