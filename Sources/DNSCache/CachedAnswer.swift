import Quantities

/// An answer as the cache takes it.
public struct CachedAnswer: Sendable {
    /// The message without its OPT record.
    public var message: [UInt8]
    /// Where the TTLs stand in `message`.
    public var ttlOffsets: [UInt16]
    /// How long it may be served as fresh.
    public var lifetime: Duration
    /// Whether it holds names that the filter judges: alias and service targets.
    public var hasTargets: Bool
    /// The filter state under which the targets were last found clean.
    public var judgement: UInt64

    /// An answer with nothing in it, to be filled.
    public init() {
        message = []
        ttlOffsets = []
        lifetime = .zero
        hasTargets = false
        judgement = 0
    }
}

/// What a look-up found; the message itself was appended to the caller's buffer.
public struct CacheHit: Sendable {
    /// Octets of the message.
    public let count: Int
    /// Whether its time is over.
    public let isStale: Bool
    /// Whether it holds names that the filter judges.
    public let hasTargets: Bool
    /// The filter state under which those were last found clean.
    public let judgement: UInt64
    /// Tells this answer from an earlier or later one to the same question.
    let serial: UInt32
}
