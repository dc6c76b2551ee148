import CLinux

/// A thread of the system.
package struct Thread: ~Copyable, Sendable {
    private let handle: UInt64

    private final class Body {
        let run: @Sendable () -> Void
        let name: String
        init(name: String, run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }

    /// Starts a thread that runs `body` once. `name` (at most 15 octets) shows in `ps -T`.
    package init(name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
        let box = unsafe Unmanaged.passRetained(Body(name: name, run: body))
        var handle: UInt64 = 0
        let result = unsafe linux_start_thread(
            box.toOpaque(),
            { context in
                guard let context = unsafe context else { return }
                let body = unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue()
                unsafe linux_name_thread(body.name)
                body.run()
            }, &handle)
        if result < 0 { unsafe box.release() }
        _ = try checked(result, "pthread_create")
        self.handle = handle
    }

    /// Waits until the thread has ended.
    package consuming func join() { _ = linux_join_thread(handle) }
}
