import Quantities

/// Which of many prefixes covers an address most closely: clients to policies, and who may ask.
///
/// ```
/// prefixes  sorted by family, then bits (longest first), then address
/// groups    one per (family, bits): a range of prefixes, searched by binary search
/// ```
/// Built once from the settings and never written again. A look-up allocates nothing.
public struct AddressPrefixTable: Sendable {
    /// The prefixes of one length.
    @usableFromInline
    struct Group: Sendable {
        /// Their length.
        @usableFromInline let bits: Int
        /// Their family.
        @usableFromInline let isIPv4: Bool
        /// Where they are among all.
        @usableFromInline let range: Range<Int>

        /// The prefixes at `range`.
        init(bits: Int, isIPv4: Bool, range: Range<Int>) {
            self.bits = bits
            self.isIPv4 = isIPv4
            self.range = range
        }
    }

    /// The prefixes, sorted as above.
    @usableFromInline let prefixes: [AddressPrefix]
    /// The value of each prefix.
    @usableFromInline let values: [Int]
    /// The groups, longest prefixes of a family first.
    @usableFromInline let groups: [Group]

    /// A table of `entries`; of two entries with the same prefix the first counts.
    package init(_ entries: [(prefix: AddressPrefix, value: Int)]) {
        var seen = Set<AddressPrefix>()
        let sorted = entries.filter { seen.insert($0.prefix).inserted }.sorted { left, right in
            let (first, second) = (left.prefix, right.prefix)
            if first.address.isIPv4 != second.address.isIPv4 { return first.address.isIPv4 }
            if first.bits != second.bits { return first.bits > second.bits }
            return first.address < second.address
        }
        var groups = [Group]()
        var start = 0
        while start < sorted.count {
            let first = sorted[start].prefix
            var end = start
            while end < sorted.count, sorted[end].prefix.bits == first.bits,
                sorted[end].prefix.address.isIPv4 == first.address.isIPv4
            {
                end += 1
            }
            groups.append(
                Group(bits: first.bits, isIPv4: first.address.isIPv4, range: start..<end))
            start = end
        }
        prefixes = sorted.map(\.prefix)
        values = sorted.map(\.value)
        self.groups = groups
    }

    /// The value of the longest prefix that contains `address`; an IPv4-mapped IPv6 address counts
    /// as the IPv4 address.
    /// - Complexity: O(distinct lengths · log prefixes); no allocation.
    @inlinable
    public func longestMatch(_ address: IPAddress) -> Int? {
        let candidate = address.unmapped
        for group in groups where group.isIPv4 == candidate.isIPv4 {
            let key = candidate.masked(to: group.bits)
            var lower = group.range.lowerBound
            var upper = group.range.upperBound
            while lower < upper {
                let middle = lower + (upper - lower) / 2
                if prefixes[middle].address < key { lower = middle + 1 } else { upper = middle }
            }
            if lower < group.range.upperBound, prefixes[lower].address == key {
                return values[lower]
            }
        }
        return nil
    }
}
