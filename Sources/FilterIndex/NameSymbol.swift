/// The symbols that names are coded in, in the order in which keys sort.
///
/// ```
/// 0       boundary: begins every label and ends the name
/// 1       escape: one of the 218 octets that host names do not have, its number follows
/// 2       -
/// 3–12    0–9
/// 13      _
/// 14–39   a–z
/// ```
package enum NameSymbol {
    /// Symbols.
    package static let count = 40
    /// Begins a label or ends the name.
    package static let boundary = 0
    /// Stands before the number of an octet that has no symbol of its own.
    package static let escape = 1
    /// What a key has in front of the number of such an octet.
    package static let escapeOctet: UInt8 = 1
    /// Octets that have no symbol of their own.
    package static let escapedCount = 218

    /// The symbol of an octet of a label in lower case.
    @inline(__always)
    package static func of(_ octet: UInt8) -> Int {
        switch octet {
        case 0x61...0x7A: Int(octet) - 0x61 + 14
        case 0x30...0x39: Int(octet) - 0x30 + 3
        case 0x2D: 2
        case 0x5F: 13
        default: escape
        }
    }

    /// The octet of a symbol that stands for one; `nil` for boundary and escape.
    static func octet(of symbol: Int) -> UInt8? {
        switch symbol {
        case 14...39: UInt8(symbol - 14 + 0x61)
        case 3...12: UInt8(symbol - 3 + 0x30)
        case 2: 0x2D
        case 13: 0x5F
        default: nil
        }
    }

    /// The number, from 0, of an octet among those that have no symbol; 0 for those that have.
    package static func escapedNumber(of octet: UInt8) -> UInt8 {
        switch octet {
        case 0..<0x2D: octet
        case 0x2E..<0x30: octet - 1
        case 0x3A..<0x5F: octet - 11
        case 0x60: octet - 12
        case 0x7B...: octet - 38
        default: 0
        }
    }

    /// The octet that has a number among those without a symbol; `nil` from 218 on.
    package static func octet(ofEscapedNumber number: UInt8) -> UInt8? {
        switch number {
        case 0..<0x2D: number
        case 0x2D..<0x2F: number + 1
        case 0x2F..<0x54: number + 11
        case 0x54: number + 12
        case 0x55..<UInt8(escapedCount): number + 38
        default: nil
        }
    }
}
