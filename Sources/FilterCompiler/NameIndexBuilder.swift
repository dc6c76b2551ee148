import DomainNames
import FilterIndex

/// Writes the section that `NameIndex` reads.
struct NameIndexBuilder {
    /// The names, sorted and covered.
    let table: NameTable

    /// Appends the section.
    /// - Complexity: O(octets of the keys).
    func append(to image: inout [UInt8]) {
        let count = table.entries.count
        let blocks = (count + NameIndex.blockEntries - 1) / NameIndex.blockEntries
        image.append(littleEndian: UInt32(count))
        image.append(littleEndian: UInt32(blocks))
        let directory = image.count
        for _ in 0..<blocks { image.append(littleEndian: 0 as UInt32) }
        let blocksStart = image.count
        let keys = table.keys.span
        var previous = 0..<0
        for (rank, entry) in table.entries.enumerated() {
            let key = keys.extracting(entry.range)
            var shared = 0
            if rank % NameIndex.blockEntries == 0 {
                let block = rank / NameIndex.blockEntries
                image.set(UInt32(image.count - blocksStart), at: directory + 4 * block)
            } else {
                shared = key.sharedPrefix(with: keys.extracting(previous))
                image.append(varint: shared)
            }
            image.append(varint: (key.count - shared) << 2 | Int(entry.scope.rawValue))
            image.append(octets: key.extracting(shared..<key.count))
            previous = entry.range
        }
    }
}

extension Array where Element == UInt8 {
    /// Writes a little-endian 32-bit number over what stands at `offset`.
    mutating func set(_ value: UInt32, at offset: Int) {
        for index in 0..<4 {
            self[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * UInt32(index)))
        }
    }

    /// Writes a little-endian 64-bit number over what stands at `offset`.
    mutating func set(_ value: UInt64, at offset: Int) {
        for index in 0..<8 {
            self[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * UInt64(index)))
        }
    }
}
