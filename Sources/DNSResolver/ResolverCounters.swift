import Metrics

/// What one resolver counted since it began; written by its worker, read by any thread.
package final class ResolverCounters: Sendable {
    /// Messages received, malformed ones too.
    package let queries = Counter()
    /// Messages dropped: shorter than a header, or responses.
    package let dropped = Counter()
    /// Messages answered FORMERR, NOTIMP or BADVERS.
    package let malformed = Counter()
    /// Queries refused.
    package let refused = Counter()
    /// Queries blocked by name.
    package let blocked = Counter()
    /// Queries blocked by an alias in the answer.
    package let blockedByAlias = Counter()
    /// Queries answered in a list's own way, those that an alias led to an upstream too.
    package let rewritten = Counter()
    /// Queries answered from the cache.
    package let cacheHits = Counter()
    /// Queries answered from the cache past its time.
    package let staleHits = Counter()
    /// Questions sent on.
    package let forwarded = Counter()
    /// Queries that joined a question in flight.
    package let coalesced = Counter()
    /// Queries answered SERVFAIL by Sluice itself.
    package let failed = Counter()
    /// Names that passed the prefilter.
    package let prefilterHits = Counter()
    /// Names that passed the prefilter though no rule names them or one above.
    package let prefilterFalsePositives = Counter()

    /// All at zero.
    package init() {}
}
