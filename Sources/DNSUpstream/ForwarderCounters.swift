import Metrics

/// What one forwarder counted since it began; written by its worker, read by any thread.
package final class ForwarderCounters: Sendable {
    /// Messages sent to upstreams.
    package let sends = Counter()
    /// Answers that belonged to a question.
    package let answers = Counter()
    /// Messages that belonged to none: late, forged or broken.
    package let mismatched = Counter()
    /// Attempts that got no answer in time or could not be sent.
    package let failures = Counter()

    /// All at zero.
    package init() {}
}
