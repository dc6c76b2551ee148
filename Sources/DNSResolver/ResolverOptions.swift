import FilterIndex
import Quantities

/// How blocked names are answered, when the list does not say it.
package enum BlockResponse: Sendable {
    /// NXDOMAIN.
    case nxdomain
    /// NXDOMAIN only where all below the name is blocked too, else NODATA (RFC 8020 §2).
    case nxdomainSafe
    /// NOERROR without records.
    case nodata
    /// 0.0.0.0 and ::, NODATA for other types.
    case null
    /// REFUSED.
    case refused
}

/// The settings of the resolver.
package struct ResolverOptions: Sendable {
    /// How blocked names are answered.
    package var blockResponse = BlockResponse.nxdomain
    /// TTL and MINIMUM of what a blocked name is answered with.
    package var blockTTL: UInt32 = 10
    /// TTLs of upstream answers are raised to this, zero excepted.
    package var minimumTTL: UInt32 = 0
    /// TTLs of upstream answers are cut to this.
    package var maximumTTL: UInt32 = 86_400
    /// Negative answers are kept no longer (RFC 2308 §5: one to three hours).
    package var negativeMaximumTTL: UInt32 = 10_800
    /// How long past its time an answer may be served when no upstream answers; zero: never.
    package var staleMaximumAge = Duration.seconds(86_400)
    /// After this time without an answer a client gets the stale one (RFC 8767 §5: 1.8 s).
    package var staleClientTimeout = Duration.milliseconds(1800)
    /// Questions in flight; one more is answered SERVFAIL.
    package var questionLimit = 4096
    /// Clients that wait for questions in flight; one more is answered SERVFAIL.
    package var waiterLimit = 16_384

    /// The defaults of the configuration.
    package init() {}
}
