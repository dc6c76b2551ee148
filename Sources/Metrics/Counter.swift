import Synchronization

/// A number that only grows, written by one thread and read by any.
///
/// One writer needs no locked addition: a relaxed load and a relaxed store cost what a plain
/// increment costs. A second writer would lose counts.
public struct Counter: ~Copyable, Sendable {
    /// The count.
    @usableFromInline let value = Atomic<UInt64>(0)

    /// A counter at zero.
    @inlinable
    public init() {}

    /// Adds `amount`; from the owning thread only.
    @inlinable
    public borrowing func add(_ amount: UInt64 = 1) {
        value.store(value.load(ordering: .relaxed) &+ amount, ordering: .relaxed)
    }

    /// What was counted so far; from any thread.
    @inlinable
    public borrowing func load() -> UInt64 { value.load(ordering: .relaxed) }
}
