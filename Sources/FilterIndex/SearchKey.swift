import DomainNames

/// A name in both forms in which the tables of a snapshot are asked.
///
/// Two kilobytes: kept as scratch, refilled, and handed on as a view, for every other way copies
/// them.
struct SearchKey: Sendable {
    private var plain = IndexKey()
    private var coded = CodedKey()

    /// Room for a name.
    init() {}

    /// Both forms without a copy.
    var view: View {
        @_lifetime(borrow self)
        borrowing get { View(plain: plain.view, coded: coded.view) }
    }

    /// Both forms in place.
    struct View: ~Escapable {
        /// What the conditional rules sort by.
        let plain: IndexKey.View
        /// What the indexes sort by.
        let coded: CodedKey.View

        @_lifetime(copy plain, copy coded)
        fileprivate init(plain: borrowing IndexKey.View, coded: borrowing CodedKey.View) {
            self.plain = copy plain
            self.coded = copy coded
        }
    }

    /// Refills both forms.
    mutating func assign(wire: Span<UInt8>, code: borrowing NameCode) {
        plain.assign(wire: wire)
        coded.assign(plain.octets, code: code)
    }
}
