import DNSWire
import DomainNames
import Quantities

/// What of a query is needed to write its reply.
struct Asker: Sendable {
    /// The flags of a query that a reply repeats.
    static let repeatedFlags =
        HeaderFlags.opcodeMask | HeaderFlags.recursionDesired | HeaderFlags.checkingDisabled

    /// The least that any UDP reply may be (RFC 1035 §4.2.1).
    static let plainLimit = 512
    /// The most that we send over UDP, whatever the client takes: no fragments (RFC 9715 §3.1).
    static let udpLimit = 1232

    /// Who gets the reply.
    var token: ClientToken
    /// Its address; `nil` when it has none.
    var address: IPAddress?
    /// The policy that filters for it; `nil` while filtering is paused for it.
    var policy: Int?
    /// The id of its query.
    var id: UInt16
    /// The flags of its query.
    var flags: UInt16
    /// The case of the name in its question.
    var nameCase: NameCase
    /// The longest reply that it takes.
    var limit: Int
    /// Whether its query has an OPT record, so that the reply gets one (RFC 6891 §6.1.1).
    var hasEDNS: Bool
    /// DO: whether it wants DNSSEC records.
    var dnssecOK: Bool
    /// Where a list's aliases led its question to; `nil` when they did not.
    var rewrite: RewritePath?

    /// What a query and its client say.
    init(_ header: Header, nameCase: NameCase, edns: EDNS?, client: Client) {
        token = client.token
        address = client.address
        policy = client.policy
        id = header.id
        flags = header.flags
        self.nameCase = nameCase
        hasEDNS = edns != nil
        dnssecOK = edns?.dnssecOK ?? false
        switch client.transport {
        case .tcp: limit = 0xFFFF
        case .udp: limit = min(edns?.payloadSize ?? Asker.plainLimit, Asker.udpLimit)
        }
    }

    /// Whether AD in a reply means something to it (RFC 6840 §5.7, §5.8).
    var wantsAuthenticData: Bool { dnssecOK || flags & HeaderFlags.authenticData != 0 }
}

/// An extended error for the OPT record of a reply (RFC 8914).
struct ReplyNote: Sendable {
    /// The most octets of its text.
    static let textLimit = 96

    /// The code.
    var code: ExtendedErrorCode
    /// EXTRA-TEXT, UTF-8.
    var text: [UInt8]

    /// A note whose text was cut before.
    init(_ code: ExtendedErrorCode, text: [UInt8]) {
        self.code = code
        self.text = text
    }

    /// A note whose text is cut to `textLimit` octets.
    init(_ code: ExtendedErrorCode, _ text: String) {
        self.code = code
        var end = text.utf8.index(
            text.startIndex, offsetBy: ReplyNote.textLimit, limitedBy: text.endIndex)
        // EXTRA-TEXT is UTF-8 (RFC 8914 §2): a character is kept whole or not at all.
        while let cut = end, cut < text.endIndex, text.utf8[cut] & 0xC0 == 0x80 {
            end = text.utf8.index(before: cut)
        }
        self.text = Array(text.utf8[..<(end ?? text.endIndex)])
    }
}
