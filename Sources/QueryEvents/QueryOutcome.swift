/// How one query ended.
@frozen
public enum QueryOutcome: Hashable, Sendable {
    /// Blocked by its name; `list` is the list's number in the client's policy.
    case blocked(list: UInt16)
    /// Blocked because an alias in the answer is listed.
    case blockedByAlias(list: UInt16)
    /// Answered in a list's own way; `list` is the list's number in the client's policy.
    case rewritten(list: UInt16)
    /// Answered from the cache.
    case cached
    /// Answered from the cache past its time, since no upstream answered.
    case stale
    /// Answered by an upstream.
    case forwarded
    /// No upstream answered.
    case failed
    /// Refused: this client may not ask, or may not ask this.
    case refused
    /// Answered with an error of format or support.
    case malformed
    /// Answered by Sluice itself.
    case local

    /// One word for logs.
    public var word: String {
        switch self {
        case .blocked: "blocked"
        case .blockedByAlias: "blocked-by-alias"
        case .rewritten: "rewritten"
        case .cached: "cached"
        case .stale: "stale"
        case .forwarded: "forwarded"
        case .failed: "failed"
        case .refused: "refused"
        case .malformed: "malformed"
        case .local: "local"
        }
    }
}
