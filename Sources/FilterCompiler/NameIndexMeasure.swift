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
struct CodedPair {
    /// The later one.
    private(set) var name = CodedKey()
    private var previous: [UInt64] = []

    /// No names.
    init() {}

    /// Makes a name the current one and the current one the one before.
    mutating func assign(_ key: Span<UInt8>, code: borrowing NameCode) {
        previous.removeAll(keepingCapacity: true)
        for index in 0..<((name.size + 63) / 64) { previous.append(name.bits[index]) }
        name.assign(key, code: code)
    }

    /// Bits of the current name.
    var size: Int { name.size }

    /// Bits that the two names share at the start; the next one is a 0 before and a 1 now.
    var shared: Int {
        let bits = name.bits
        for index in previous.indices where previous[index] != bits[index] {
            return index * 64 + (previous[index] ^ bits[index]).leadingZeroBitCount
        }
        preconditionFailure("no entry of an index begins another one")
    }
}
