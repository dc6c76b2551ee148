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
    /// How long a failing upstream is asked last, at first; twice as long after each probe that
    /// fails.
    package var restTime = Duration.seconds(1)
    /// The rest is doubled this often at most: one question in 32 seconds finds out whether a dead
    /// upstream is back, and waits for it (RFC 9520 §3.2: no longer than five minutes).
    package var restDoublings = 5
    /// Questions in flight at most.
    package var exchangeLimit = 4096

    /// The defaults.
    package init() {}
}

/// An upstream resolver.
package struct Upstream: Sendable {
    /// Whether the AD bit of its answers may be passed on (RFC 6840 §5.8): the path to it is safe.
    package let isTrusted: Bool
    /// Its address for people.
    package let name: String

    /// An upstream of these facts.
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

    /// Whether a question sent now would find out if it is back.
    func isDueForProbe(_ now: MonotonicInstant, options: ForwarderOptions) -> Bool {
        failuresInARow >= options.failuresUntilRest && !isResting(now)
    }

    /// Counts an answer.
    mutating func noteAnswer(after time: Duration) {
        failuresInARow = 0
        restsUntil = .distantPast
        roundTrip = roundTrip == .zero ? time : roundTrip + (time - roundTrip) / 8
    }

    /// Counts a failure. One that comes while it rests is of a question that was under way before,
    /// or of a probe that was counted when it went out.
    mutating func noteFailure(now: MonotonicInstant, options: ForwarderOptions) {
        guard !isResting(now) else { return }
        failuresInARow += 1
        let over = failuresInARow - options.failuresUntilRest
        guard over >= 0 else { return }
        restsUntil = now + options.restTime * (1 << min(over, options.restDoublings))
    }
}
