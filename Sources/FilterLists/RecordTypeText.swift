/// Record types by the mnemonics of the IANA registry.
package enum RecordTypeText {
    private static let table: [(text: String, type: UInt16)] = [
        ("A", 1), ("NS", 2), ("CNAME", 5), ("SOA", 6), ("PTR", 12), ("HINFO", 13), ("MX", 15),
        ("TXT", 16), ("AAAA", 28), ("LOC", 29), ("SRV", 33), ("NAPTR", 35), ("DNAME", 39),
        ("DS", 43), ("SSHFP", 44), ("RRSIG", 46), ("NSEC", 47), ("DNSKEY", 48), ("NSEC3", 50),
        ("NSEC3PARAM", 51), ("TLSA", 52), ("CDS", 59), ("CDNSKEY", 60), ("OPENPGPKEY", 61),
        ("SVCB", 64), ("HTTPS", 65), ("SPF", 99), ("ANY", 255), ("URI", 256), ("CAA", 257),
    ]

    /// The type that a text names: a mnemonic in any case, or `TYPE` and a number (RFC 3597 §5).
    package static func type(of text: Span<UInt8>) -> UInt16? {
        let whole = 0..<text.count
        for entry in table where entry.text.utf8.count == text.count {
            if text.equals(entry.text.lowercased(), in: whole) { return entry.type }
        }
        guard text.hasPrefix("type", in: whole) else { return nil }
        return text.decimal(in: 4..<text.count, limit: 0xFFFF).map { UInt16($0) }
    }

    /// The mnemonic of a type, or `TYPE` and its number.
    package static func text(of type: UInt16) -> String {
        table.first { $0.type == type }?.text ?? "TYPE\(type)"
    }
}
