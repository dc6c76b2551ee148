import Quantities

/// What a key takes; the facts from which a message or the documentation is made.
package enum ExpectedValue: Equatable, Sendable {
    /// `true` or `false`.
    case boolean
    /// A whole number, the bounds included.
    case integer(ClosedRange<Int>)
    /// A word, or a whole number.
    case integerOr(word: String, ClosedRange<Int>)
    /// Digits and a unit of time.
    case duration(ClosedRange<Duration>)
    /// Digits and a unit of size.
    case size(ClosedRange<ByteCount>)
    /// A decimal number, the bounds included.
    case fraction(ClosedRange<Double>)
    /// One of some words.
    case oneOf([String])
    /// `ADDRESS[:PORT]`, IPv6 in brackets.
    case endpoint
    /// An endpoint, or an encrypted upstream.
    case upstream
    /// An IP address.
    case address
    /// An IP address with an optional number of bits.
    case prefix
    /// A name in presentation form.
    case domainName
    /// A path of at most `limit` octets.
    case path(limit: Int)
    /// A web address.
    case url
    /// An address that a list may have.
    case listURL
    /// A whole number of percent.
    case percentage
    /// A word, or a web address.
    case urlOr(word: String)
    /// The name of a list or policy.
    case name
    /// Any text that is not empty.
    case text
}

extension ExpectedValue: CustomStringConvertible {
    /// What to write, as the end of "expected …".
    package var description: String {
        switch self {
        case .boolean: "true or false"
        case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .integerOr(let word, let range):
            "\(word), or a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .duration(let range):
            "a duration such as 10s (ms, s, m, h, d) from "
                + "\(DurationText.text(of: range.lowerBound)) to "
                + DurationText.text(of: range.upperBound)
        case .size(let range):
            "a size such as 8MiB (B, KiB, MiB, GiB) from "
                + "\(ByteCountText.text(of: range.lowerBound)) to "
                + ByteCountText.text(of: range.upperBound)
        case .fraction(let range): "a number from \(range.lowerBound) to \(range.upperBound)"
        case .oneOf(let words): words.joined(separator: " | ")
        case .endpoint: "ADDRESS[:PORT], an IPv6 address in brackets"
        case .upstream:
            "ADDRESS[:PORT], an IPv6 address in brackets, tls://ADDRESS[:PORT]#NAME or "
                + "https://HOST/PATH"
        case .address: "an IPv4 or IPv6 address"
        case .prefix: "ADDRESS or ADDRESS/BITS"
        case .domainName: "a domain name"
        case .path(let limit): "a path of at most \(limit) octets"
        case .url: "an https:// or http:// address"
        case .listURL: "an https://, http:// or file:/// address"
        case .percentage: "a share such as 50%, from 0% to 100%"
        case .urlOr(let word): "\(word), or an https:// or http:// address"
        case .name:
            "1 to \(ConfigurationLimits.nameSize) letters, digits, '-', '_' and '.', "
                + "a letter or digit first"
        case .text: "a text that is not empty"
        }
    }
}
