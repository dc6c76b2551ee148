import CCurl

/// An address of a list, taken apart as the transfer takes it apart.
struct ListAddress {
    /// The whole address.
    let text: String
    /// `https`, `http` or another one.
    let scheme: String
    /// The host, in lower case; an IPv6 address in brackets.
    let host: String
    /// The port.
    let port: UInt16

    /// Room for a host: a name has at most 253 octets.
    private static let hostSize = 512

    /// Takes an address apart.
    /// - Throws: `.noLibrary`, `.badAddress`.
    init(_ text: String) throws(ListFault) {
        try HTTPTransfer.openLibrary()
        var scheme = [CChar](repeating: 0, count: 16)
        var host = [CChar](repeating: 0, count: Self.hostSize)
        var port: UInt16 = 0
        // Both buffers end with a zero: the wall says no to what does not fit.
        let isGood = unsafe scheme.withUnsafeMutableBufferPointer { scheme in
            unsafe host.withUnsafeMutableBufferPointer { host in
                unsafe ccurl_split(
                    text, scheme.baseAddress, scheme.count, host.baseAddress, host.count, &port)
            }
        }
        guard isGood == 1 else { throw .badAddress(text) }
        self.text = text
        self.scheme = Self.text(scheme).lowercased()
        self.host = Self.text(host).lowercased()
        self.port = port
    }

    /// Whether it is an address of the web.
    var isWeb: Bool { scheme == "http" || isSecure }
    /// Whether nobody on the way can read or change what comes.
    var isSecure: Bool { scheme == "https" }

    /// Whether a redirect from here to `next` is followed: never out of the web, and never from
    /// where nobody can listen to where anyone can.
    func mayLead(to next: ListAddress) -> Bool { next.isWeb && (next.isSecure || !isSecure) }

    private static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The path of `file:///PATH`, percent-encoding undone (RFC 8089, RFC 3986 §2.1); `nil` when
    /// it is none.
    static func path(ofFileURL url: String) -> String? {
        guard url.hasPrefix("file:///") else { return nil }
        var octets: [UInt8] = []
        var rest = Array(url.utf8)[7...]
        while let octet = rest.popFirst() {
            guard octet == UInt8(ascii: "%") else {
                octets.append(octet)
                continue
            }
            guard rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16),
                value != 0
            else { return nil }
            octets.append(value)
            rest = rest.dropFirst(2)
        }
        return String(decoding: octets, as: UTF8.self)
    }
}
