import DNSListener
import DNSResolver
import DNSUpstream
import Metrics
import Synchronization

/// What one worker counts and shows: written by it, read by the control thread.
final class WorkerStatus: Sendable {
    /// The resolver's counters.
    let resolver = ResolverCounters()
    /// The forwarder's counters.
    let forwarder = ForwarderCounters()
    /// TCP connections of clients.
    let streams = StreamCounters()
    /// Replies that the system did not take.
    let repliesLost = Counter()
    /// The state of each upstream as this worker sees it.
    let upstreams: [UpstreamGauge]
    /// Octets of memory of its tables of questions and ways back.
    let pendingOctets = Atomic(0)
    /// Octets of memory of its buffers of messages.
    let bufferOctets = Atomic(0)
    /// Set when the worker has ended.
    let isDone = Atomic(false)

    /// All at zero, with a gauge for each upstream.
    init(upstreamCount: Int) {
        upstreams = (0..<upstreamCount).map { _ in UpstreamGauge() }
    }
}

/// An upstream's health as last seen by a worker.
final class UpstreamGauge: Sendable {
    private let roundTripNanoseconds = Atomic<Int64>(0)
    private let isResting = Atomic(false)

    /// Smoothed round-trip time; zero while unknown.
    var roundTrip: Duration { .nanoseconds(roundTripNanoseconds.load(ordering: .relaxed)) }

    /// Whether it fails and is asked last.
    var isDown: Bool { isResting.load(ordering: .relaxed) }

    /// Shows what the worker sees now.
    func set(roundTrip: Duration, isDown: Bool) {
        let nanoseconds = roundTrip / .nanoseconds(1)
        roundTripNanoseconds.store(Int64(nanoseconds), ordering: .relaxed)
        isResting.store(isDown, ordering: .relaxed)
    }
}
