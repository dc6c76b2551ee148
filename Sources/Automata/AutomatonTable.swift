/// A compiled automaton in place, as the octets of a file: read and run, never decoded.
///
/// ```
/// 0      4    states, n; state 0 is dead                      u32, little-endian, as all numbers
/// 4      4    slots, m
/// 8      4    states that find nothing, f: those from f on have a find
/// 12     4    octets of sets
/// 16     4    the start
/// 20     4    flags: 1 texts are read from their end
/// 24     256  class of each octet
/// 280    8n   rows: base u32 · default u32
/// …      4m   slots: class u8 · state u24
/// …      8(n−f)  finds: set of the patterns found here u32 · of those found if the text ends here,
///             u32, both as offsets into the sets
/// …           sets: varint count · varint distance from the number before …
/// ```
/// From a state by an octet of class c: a base with bit 31 set is the row's only move, its class in
/// the low 8 bits and its state above them; it leads there if its class is c. Any other base leads
/// to the state of slot base + c, if that is there, holds c and is not the state 0xFFFFFF. Else the
/// default follows.
///
/// Most states of many patterns have one move. These take 8 octets and one look at memory, and lie
/// one after the other.
///
/// A table is believed in nothing: each index is checked where it is used, what does not fit leads
/// to the dead state, and a run takes one step for each octet.
@frozen
public struct AutomatonTable: ~Escapable {
    /// A base beyond all slots: the row has no moves.
    package static let noBase: UInt32 = 0x7FFF_FFFF
    /// Marks a base that is the only move itself.
    package static let onlyMove: UInt32 = 0x8000_0000
    /// A slot that is nobody's.
    package static let freeSlot: UInt32 = 0xFFFF_FF00
    /// See the picture.
    package static let backwardFlag: UInt32 = 1
    /// Octets in front of the rows.
    @usableFromInline static let headerSize = 280

    /// The octets.
    @usableFromInline let octets: Span<UInt8>
    /// States.
    @usableFromInline let stateCount: Int
    /// Slots.
    @usableFromInline let slotCount: Int
    /// The first state with a find.
    @usableFromInline let firstFind: Int
    /// Octets of sets.
    @usableFromInline let setsSize: Int
    /// The state before the first octet.
    @usableFromInline let start: Int
    /// Whether texts are read from their end.
    @usableFromInline let isBackward: Bool

    /// A view of a table; `nil` when its header does not fit its size.
    /// - Complexity: O(1).
    @inlinable
    @_lifetime(copy octets)
    public init?(_ octets: Span<UInt8>) {
        guard octets.count >= AutomatonTable.headerSize else { return nil }
        let states = Int(octets.word(at: 0))
        let slots = Int(octets.word(at: 4))
        let silent = Int(octets.word(at: 8))
        let sets = Int(octets.word(at: 12))
        let flags = octets.word(at: 20)
        guard silent > 0, silent <= states, flags <= 1,
            AutomatonTable.headerSize + 8 * states + 4 * slots + 8 * (states - silent) + sets
                == octets.count
        else { return nil }
        self.octets = octets
        stateCount = states
        slotCount = slots
        firstFind = silent
        setsSize = sets
        start = Int(octets.word(at: 16))
        isBackward = flags == 1
    }

    /// The state after a state and an octet; 0 for a state that the table has not.
    @inlinable
    func next(_ state: Int, _ octet: UInt8) -> Int {
        guard state < stateCount else { return 0 }
        let octetClass = octets[24 + Int(octet)]
        let row = AutomatonTable.headerSize + 8 * state
        let base = octets.word(at: row)
        if base >> 31 == 1 {
            return UInt8(truncatingIfNeeded: base) == octetClass
                ? Int(base >> 8 & 0x7F_FFFF) : Int(octets.word(at: row + 4))
        }
        let index = Int(base) + Int(octetClass)
        if index < slotCount {
            let slot = octets.word(at: AutomatonTable.headerSize + 8 * stateCount + 4 * index)
            if UInt8(truncatingIfNeeded: slot) == octetClass, slot >> 8 != 0xFF_FFFF {
                return Int(slot >> 8)
            }
        }
        return Int(octets.word(at: row + 4))
    }

    /// The patterns found in a state, and if the text ends in it: offsets into the sets.
    @inlinable
    func finds(in state: Int) -> (here: Int, atEnd: Int) {
        guard state >= firstFind, state < stateCount else { return (setsSize, setsSize) }
        let offset =
            AutomatonTable.headerSize + 8 * stateCount + 4 * slotCount + 8 * (state - firstFind)
        return (Int(octets.word(at: offset)), Int(octets.word(at: offset + 4)))
    }

    /// A number of a set and the offset after it; `nil` past the end or after five octets.
    @inlinable
    func varint(at offset: Int) -> (value: Int, next: Int)? {
        let start = octets.count - setsSize
        var value = 0
        var index = 0
        while index < 5, offset + index < setsSize {
            let octet = octets[start + offset + index]
            value |= Int(octet & 0x7F) << (7 * index)
            index += 1
            if octet < 0x80 { return (value, offset + index) }
        }
        return nil
    }

    /// Whether any pattern is found in the text.
    /// - Complexity: O(octets of the text); no allocation.
    @inlinable
    public func findsAny(in text: Span<UInt8>) -> Bool {
        var state = start
        var index = 0
        let count = text.count
        while true {
            if state >= firstFind {
                let finds = finds(in: state)
                if !isEmptySet(finds.here) { return true }
                if index == count { return !isEmptySet(finds.atEnd) }
            }
            if state == 0 || index == count { return false }
            state = next(state, text[isBackward ? count - 1 - index : index])
            index += 1
        }
    }

    /// Whether a pattern may be found in a text that has these octets where reading starts, then
    /// `octet`, and goes on: `false` is certain.
    /// - Complexity: O(octets of the text); no allocation.
    @inlinable
    public func mayFind(after text: Span<UInt8>, _ octet: UInt8) -> Bool {
        var state = start
        var index = 0
        while index <= text.count {
            if state >= firstFind, !isEmptySet(finds(in: state).here) { return true }
            if state == 0 { return false }
            let isLast = index == text.count
            state = next(
                state, isLast ? octet : text[isBackward ? text.count - 1 - index : index])
            index += 1
        }
        return state != 0
    }

    /// Whether a set holds nothing, or cannot be read.
    @inlinable
    func isEmptySet(_ offset: Int) -> Bool {
        guard let (count, _) = varint(at: offset) else { return true }
        return count == 0
    }

    /// A run over a text, which gives the patterns found one by one.
    @inlinable
    @_lifetime(copy self, copy text)
    public func finds(in text: Span<UInt8>) -> Finds { Finds(self, text) }

    /// The patterns that are found in a text, in the order of reading; one pattern may come more
    /// than once.
    @frozen
    public struct Finds: ~Escapable {
        /// The table.
        @usableFromInline let table: AutomatonTable
        /// The text.
        @usableFromInline let text: Span<UInt8>
        /// The state that the next octet is read in.
        @usableFromInline var state: Int
        /// Octets read.
        @usableFromInline var count = 0
        /// Where the next number of the set at hand stands.
        @usableFromInline var offset = 0
        /// Numbers left in the set at hand.
        @usableFromInline var left = 0
        /// The last number given of it.
        @usableFromInline var pattern = 0
        /// The set to give after the one at hand.
        @usableFromInline var pending: Int?

        /// A run at the start of the text.
        @inlinable
        @_lifetime(copy table, copy text)
        init(_ table: AutomatonTable, _ text: Span<UInt8>) {
            self.table = table
            self.text = text
            state = table.start
            pending = nil
            enter()
        }

        /// Takes note of what the state finds.
        @inlinable
        @_lifetime(self: copy self)
        mutating func enter() {
            guard state >= table.firstFind else { return }
            let finds = table.finds(in: state)
            open(finds.here)
            pending = count == text.count ? finds.atEnd : nil
        }

        /// Starts a set.
        @inlinable
        @_lifetime(self: copy self)
        mutating func open(_ set: Int) {
            left = 0
            pattern = 0
            guard let (count, next) = table.varint(at: set) else { return }
            left = count
            offset = next
        }

        /// The number of the next pattern found; `nil` at the end.
        @inlinable
        @_lifetime(self: copy self)
        public mutating func next() -> Int? {
            while true {
                if left > 0, let (distance, next) = table.varint(at: offset) {
                    left -= 1
                    offset = next
                    pattern &+= distance
                    return pattern
                }
                if let set = pending {
                    pending = nil
                    open(set)
                    continue
                }
                left = 0
                if state == 0 || count == text.count { return nil }
                state = table.next(
                    state, text[table.isBackward ? text.count - 1 - count : count])
                count += 1
                enter()
            }
        }
    }
}

extension Span<UInt8> {
    /// The little-endian 32-bit number at `offset`, which the caller has checked to be inside.
    @inlinable
    func word(at offset: Int) -> UInt32 {
        let low = UInt32(self[offset]) | UInt32(self[offset + 1]) << 8
        return low | UInt32(self[offset + 2]) << 16 | UInt32(self[offset + 3]) << 24
    }
}
