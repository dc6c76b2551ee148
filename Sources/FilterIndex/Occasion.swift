import Quantities

/// Who asks, and when: what the conditions of a rule are held against beside the question.
@frozen
public struct Occasion: Hashable, Sendable {
    /// Who asks, an IPv4 client never as IPv6; `nil` when it is not known: then no rule for
    /// single clients applies.
    public let client: IPAddress?
    /// Seconds since 1970 on the wall clock: a rule's end is a date.
    public let seconds: Int64

    /// An occasion of these facts.
    @inlinable
    public init(client: IPAddress?, seconds: Int64) {
        self.client = client?.unmapped
        self.seconds = seconds
    }

    /// Nobody in particular, before any rule ends: for what is asked of the rules themselves.
    package static var nobody: Occasion { Occasion(client: nil, seconds: 0) }
}
