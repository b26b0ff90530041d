import Glibc

/// A separate thread for a call that waits for ever, since thread pools have few threads.
enum DetachedThread {
    /// - Returns: false where the system gives no more threads.
    @discardableResult static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let box = Unmanaged.passRetained(Body(body)).toOpaque()
        var thread = pthread_t()
        let started = pthread_create(
            &thread, nil,
            { pointer in
                if let pointer { Unmanaged<Body>.fromOpaque(pointer).takeRetainedValue().run() }
                return nil
            }, box)
        if started == 0 { pthread_detach(thread) } else { Unmanaged<Body>.fromOpaque(box).release() }
        return started == 0
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }
}
