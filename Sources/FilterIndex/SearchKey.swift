import DomainNames

/// A name in both forms in which the tables of a snapshot are asked.
///
/// Two kilobytes: kept as scratch and refilled, handed on as borrowed.
struct SearchKey: Sendable {
    /// What the conditional rules sort by.
    private(set) var plain = IndexKey()
    /// What the indexes sort by.
    private(set) var coded = CodedKey()

    /// Room for a name.
    init() {}

    /// Refills both forms.
    mutating func assign(wire: Span<UInt8>, code: borrowing NameCode) {
        plain.assign(wire: wire)
        coded.assign(plain.octets, code: code)
    }
}
