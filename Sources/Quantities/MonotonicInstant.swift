/// A point on the monotonic clock: 64 bits, nanoseconds since an arbitrary start.
///
/// Only differences mean something. Scenarios make their own instants, so that a fake clock
/// drives the very code that the real clock drives.
@frozen
public struct MonotonicInstant: Comparable, Hashable, Sendable {
    /// Nanoseconds since the arbitrary start.
    public let nanoseconds: Int64

    /// An instant `nanoseconds` after the arbitrary start.
    @inlinable
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// Before every instant that a clock gives.
    @inlinable
    public static var distantPast: MonotonicInstant { MonotonicInstant(nanoseconds: .min / 4) }

    /// After every instant that a clock gives.
    @inlinable
    public static var distantFuture: MonotonicInstant { MonotonicInstant(nanoseconds: .max / 4) }

    /// Order in time.
    @inlinable
    public static func < (left: MonotonicInstant, right: MonotonicInstant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The instant `duration` later.
    @inlinable
    public static func + (instant: MonotonicInstant, duration: Duration) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: instant.nanoseconds &+ duration.wholeNanoseconds)
    }

    /// Time from `earlier` to `later`; negative when they are the other way round.
    @inlinable
    public static func - (later: MonotonicInstant, earlier: MonotonicInstant) -> Duration {
        .nanoseconds(later.nanoseconds &- earlier.nanoseconds)
    }

    /// Whole seconds from `earlier` to this instant, rounded down; the unit of a DNS TTL.
    @inlinable
    public func wholeSeconds(since earlier: MonotonicInstant) -> Int64 {
        (nanoseconds &- earlier.nanoseconds) / 1_000_000_000
    }
}

extension Duration {
    /// This duration in nanoseconds, cut to 64 bits (292 years).
    @inlinable
    public var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000
    }

    /// This duration in milliseconds, rounded up, so that a timer never fires early.
    @inlinable
    public var wholeMillisecondsRoundedUp: Int64 {
        (wholeNanoseconds + 999_999) / 1_000_000
    }
}
