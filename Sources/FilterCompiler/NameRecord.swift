import DomainNames

/// What one line says of one name, as the sort and the runs carry it.
struct NameRecord: Hashable, Sendable {
    /// What it is there for.
    enum Purpose: UInt8 {
        /// A rule of the tier.
        case rule = 0
        /// An allow rule of a list in which the more specific entry wins, not settled yet.
        case listAllow = 1
        /// The zone answers with its local data.
        case redirectZone = 2
        /// The name has local data that leads somewhere.
        case rewrite = 3
    }

    /// Which names it speaks of.
    var scope: NameScope
    /// What it is there for.
    var purpose: Purpose
    /// Its list; after covering the number that the file writes.
    var list: UInt16

    /// A rule.
    init(scope: NameScope, purpose: Purpose = .rule, list: UInt16) {
        self.scope = scope
        self.purpose = purpose
        self.list = list
    }

    /// The record whose `bits` these are.
    init(bits: UInt8, list: UInt16) {
        scope = NameScope(rawValue: bits & 3) ?? .exact
        purpose = Purpose(rawValue: bits >> 2 & 3) ?? .rule
        self.list = list
    }

    /// Scope and purpose in four bits.
    var bits: UInt8 { scope.rawValue | purpose.rawValue << 2 }

    /// Place among the records of one name.
    var order: UInt32 { UInt32(list) << 8 | UInt32(bits) }
}
