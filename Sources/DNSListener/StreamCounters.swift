import Metrics

/// What the TCP side of a worker counted; written by its worker, read by any thread.
package final class StreamCounters: Sendable {
    /// Connections taken.
    package let accepted = Counter()
    /// Connections closed at once: too many in all or of one client.
    package let refused = Counter()
    /// Connections closed for want of use.
    package let idleClosed = Counter()
    /// Connections that the system did not hand over (no descriptors left).
    package let acceptFailures = Counter()

    /// All at zero.
    package init() {}
}
