import CLinux

/// What a descriptor is waited for, and what happened to it.
package struct Readiness: OptionSet, Sendable {
    /// Bits of epoll(7).
    package let rawValue: UInt32

    /// A set of these bits.
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// There is something to read.
    package static let readable = Readiness(rawValue: UInt32(LINUX_READABLE))
    /// There is room to write.
    package static let writable = Readiness(rawValue: UInt32(LINUX_WRITABLE))
    /// It failed.
    package static let failed = Readiness(rawValue: UInt32(LINUX_FAILED))
    /// The other side hung up.
    package static let hungUp = Readiness(rawValue: UInt32(LINUX_HUNG_UP))
}

/// One descriptor that is ready.
package struct ReadyEvent: Sendable {
    /// The token given when it was added.
    package let token: UInt64
    /// What it is ready for.
    package let readiness: Readiness
}

/// The kernel's queue of ready descriptors (epoll(7)), level-triggered.
package struct Epoll: ~Copyable {
    private let queue: FileDescriptor
    private var events: [linux_event]

    /// At most this many events a wait: as many as the shim takes.
    package static let batch = 64

    /// A queue that watches nothing.
    package init() throws(SystemError) {
        queue = FileDescriptor(taking: try checked(linux_epoll_create(), "epoll_create1"))
        events = Array(repeating: linux_event(), count: Epoll.batch)
    }

    /// Starts to watch a descriptor.
    package borrowing func add(
        _ number: Int32, for readiness: Readiness, token: UInt64
    ) throws(SystemError) {
        _ = try checked(
            linux_epoll_add(queue.number, number, readiness.rawValue, token), "epoll_ctl")
    }

    /// Changes what a descriptor is watched for.
    package borrowing func modify(
        _ number: Int32, for readiness: Readiness, token: UInt64
    ) throws(SystemError) {
        _ = try checked(
            linux_epoll_modify(queue.number, number, readiness.rawValue, token), "epoll_ctl")
    }

    /// Stops watching a descriptor; closing it does the same.
    package borrowing func remove(_ number: Int32) {
        _ = linux_epoll_remove(queue.number, number)
    }

    /// Waits until something is ready, or for `milliseconds` (-1: for ever).
    /// - Returns: how many events `event(_:)` now holds.
    package mutating func wait(milliseconds: Int32) throws(SystemError) -> Int {
        let number = queue.number
        let got = unsafe events.withUnsafeMutableBufferPointer { buffer in
            unsafe linux_epoll_wait(number, buffer.baseAddress, Int32(buffer.count), milliseconds)
        }
        return Int(try checked(got, "epoll_wait"))
    }

    /// Event `index` of the last wait.
    package borrowing func event(_ index: Int) -> ReadyEvent {
        ReadyEvent(
            token: events[index].token, readiness: Readiness(rawValue: events[index].events))
    }
}

/// Wakes a thread that waits in `Epoll` (eventfd(2)).
package final class WakeUp: Sendable {
    private let counter: FileDescriptor

    /// A descriptor that is not readable yet.
    package init() throws(SystemError) {
        counter = FileDescriptor(taking: try checked(linux_eventfd_create(), "eventfd"))
    }

    /// The descriptor to watch.
    package var number: Int32 { counter.number }

    /// Makes the descriptor readable; from any thread.
    package func signal() { _ = linux_eventfd_signal(counter.number) }

    /// Makes it unreadable again.
    package func clear() { _ = linux_eventfd_clear(counter.number) }
}

/// Signals as something to read (signalfd(2)).
package struct SignalSource: ~Copyable {
    private let descriptor: FileDescriptor

    /// A signal that the daemon acts on.
    package enum Signal: Int32, CaseIterable, Sendable {
        /// Reload.
        case hangUp = 1
        /// Stop.
        case interrupt = 2
        /// Print the status.
        case user1 = 10
        /// Stop.
        case terminate = 15
    }

    /// Blocks the signals in this thread and in those it starts later.
    package init() throws(SystemError) {
        let numbers = Signal.allCases.map(\.rawValue)
        let result = unsafe numbers.withUnsafeBufferPointer { buffer in
            unsafe linux_signal_descriptor(buffer.baseAddress, Int32(buffer.count))
        }
        descriptor = FileDescriptor(taking: try checked(result, "signalfd"))
    }

    /// The descriptor to watch.
    package var number: Int32 { descriptor.number }

    /// The next signal that came; `nil` when there is none.
    package borrowing func next() -> Signal? {
        Signal(rawValue: linux_next_signal(descriptor.number))
    }
}
