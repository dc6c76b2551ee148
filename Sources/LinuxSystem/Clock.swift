import CLinux
import Quantities

/// The clocks of the system.
public enum Clock {
    /// Now, on the clock that never jumps.
    public static func now() -> MonotonicInstant {
        MonotonicInstant(nanoseconds: linux_monotonic_nanoseconds())
    }

    /// Seconds since 1970, for people and files; may jump.
    package static func wallSeconds() -> Int64 { linux_wall_clock_seconds() }

    /// Waits; for start and stop only, nothing on the query path ever sleeps.
    package static func pause(_ duration: Duration) {
        linux_sleep_milliseconds(UInt32(clamping: duration.wholeMillisecondsRoundedUp))
    }
}
