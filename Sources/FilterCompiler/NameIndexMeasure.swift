import DomainNames
import FilterIndex

/// The first pass over the names of one index: what they share, as octets of their keys.
struct NameSymbolPass {
    private var previous: [UInt8] = []
    private var rank = 0

    /// Nothing seen.
    init() {}

    /// Counts the symbols of the next name, keys ascending.
    mutating func add(_ key: Span<UInt8>, to code: inout NameCodeBuilder) {
        var shared = 0
        if rank % NameIndex.blockEntries != 0 {
            shared = key.sharedPrefix(with: previous.span)
        }
        code.count(key, shared: shared)
        previous.removeAll(keepingCapacity: true)
        previous.append(octets: key)
        rank += 1
    }
}

/// The second pass: how many bits entries share, how long their tails are, which scopes they have.
struct NameIndexMeasure {
    /// Entries seen.
    private(set) var entryCount = 0
    private var scopeSeen: InlineArray<3, Bool> = [false, false, false]
    private var names = CodedPair()

    /// Nothing seen.
    init() {}

    /// Measures the next name, keys ascending.
    mutating func add(
        _ key: Span<UInt8>, _ scope: NameScope, code: borrowing NameCode,
        to sizes: inout EntrySizeCounts
    ) {
        names.assign(key, code: code)
        if entryCount % NameIndex.blockEntries == 0 {
            sizes.count(first: names.size)
        } else {
            let shared = names.shared
            sizes.count(shared: shared, tail: names.size - shared - 1)
        }
        scopeSeen[Int(scope.rawValue)] = true
        entryCount += 1
    }

    /// The scopes that entries have, ascending.
    var scopes: [NameScope] {
        NameScope.allCases.filter { scopeSeen[Int($0.rawValue)] }
    }
}

/// Two names in bits, one after the other in order.
///
/// The words are kept in arrays of their own: a `CodedKey` is a kilobyte, and reading a field of
/// one in place copies it whole.
struct CodedPair {
    /// The words of the later name, zeros after its last bit.
    private(set) var bits: [UInt64] = []
    /// Bits of the later name.
    private(set) var size = 0
    /// Bits that the two names share at the start; the next one is a 0 before and a 1 now.
    private(set) var shared = 0
    private var previous: [UInt64] = []
    private var key = CodedKey()

    /// No names.
    init() {}

    /// Makes a name the current one and the current one the one before.
    mutating func assign(_ name: Span<UInt8>, code: borrowing NameCode) {
        swap(&previous, &bits)
        size = key.assign(name, code: code)
        key.copyBits(to: &bits)
        var index = 0
        while index < previous.count, index < bits.count, previous[index] == bits[index] {
            index += 1
        }
        guard index < previous.count, index < bits.count else {
            precondition(previous.isEmpty, "no entry of an index begins another one")
            return
        }
        shared = index * 64 + (previous[index] ^ bits[index]).leadingZeroBitCount
    }
}
