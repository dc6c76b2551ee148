import Quantities

/// The times and limits of forwarding.
package struct ForwarderOptions: Sendable {
    /// A question without an answer fails after this: before a stub resolver gives up at 5 s
    /// (resolv.conf(5)), with time for the reply.
    package var deadline = Duration.milliseconds(4300)
    /// The first try waits this long at most, well before a client asks again.
    package var longestFirstWait = Duration.milliseconds(700)
    /// The first try waits this long at least, however fast the upstream was.
    package var shortestFirstWait = Duration.milliseconds(250)
    /// The second try waits this long.
    package var secondWait = Duration.milliseconds(1100)
    /// Datagrams sent for a question at most, to all upstreams together.
    package var sendLimit = 3
    /// Streams tried for a question at most.
    package var streamLimit = 2
    /// An upstream that failed this often in a row is asked last for `restTime`.
    package var failuresUntilRest = 3
    /// How long a failing upstream is asked last.
    package var restTime = Duration.seconds(1)
    /// Questions in flight at most.
    package var exchangeLimit = 4096

    package init() {}
}

/// An upstream resolver.
package struct Upstream: Sendable {
    /// Whether the AD bit of its answers may be passed on (RFC 6840 §5.8): the path to it is safe.
    package let isTrusted: Bool
    /// Its address for people.
    package let name: String

    package init(name: String, isTrusted: Bool) {
        self.name = name
        self.isTrusted = isTrusted
    }
}

/// What is known of an upstream's health.
package struct UpstreamHealth: Sendable {
    /// Smoothed round-trip time; zero while unknown (RFC 6298 §2: an eighth of each new sample).
    package internal(set) var roundTrip = Duration.zero
    /// Failures since the last answer.
    package internal(set) var failuresInARow = 0
    /// Asked last until then.
    package internal(set) var restsUntil = MonotonicInstant.distantPast

    /// Whether it is asked last now.
    package func isResting(_ now: MonotonicInstant) -> Bool { now < restsUntil }

    mutating func noteAnswer(after time: Duration) {
        failuresInARow = 0
        restsUntil = .distantPast
        roundTrip = roundTrip == .zero ? time : roundTrip + (time - roundTrip) / 8
    }

    mutating func noteFailure(now: MonotonicInstant, options: ForwarderOptions) {
        failuresInARow += 1
        if failuresInARow >= options.failuresUntilRest { restsUntil = now + options.restTime }
    }
}
