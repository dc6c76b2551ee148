import DomainNames
import FilterIndex

/// Writes the section that `NameIndex` reads.
struct NameIndexBuilder {
    /// The names.
    let names: CoveredNames

    /// Appends the section: a pass over the names for the directory, then one for the blocks.
    /// - Complexity: O(octets of the keys).
    func append(to output: inout SnapshotOutput) throws(CompilationError) {
        let blocks = (names.count + NameIndex.blockEntries - 1) / NameIndex.blockEntries
        output.octets.append(littleEndian: UInt32(names.count))
        output.octets.append(littleEndian: UInt32(blocks))
        var offset = 0
        var entry: [UInt8] = []
        try forEachEntry(&entry) { isFirst, octets throws(CompilationError) in
            if isFirst {
                guard offset <= Int(UInt32.max) else { throw .tooMuchText }
                output.octets.append(littleEndian: UInt32(offset))
                try output.flushWhenFull()
            }
            offset += octets.count
        }
        try forEachEntry(&entry) { _, octets throws(CompilationError) in
            output.octets.append(octets: octets)
            try output.flushWhenFull()
        }
    }

    private func forEachEntry(
        _ entry: inout [UInt8],
        _ body: (_ isFirst: Bool, Span<UInt8>) throws(CompilationError) -> Void
    ) throws(CompilationError) {
        var previous = [UInt8](repeating: 0, count: NameTable.keySize)
        var previousSize = 0
        var rank = 0
        try names.forEach { key, scope, _ throws(CompilationError) in
            entry.removeAll(keepingCapacity: true)
            let isFirst = rank % NameIndex.blockEntries == 0
            var shared = 0
            if !isFirst {
                shared = key.sharedPrefix(with: previous.span.extracting(0..<previousSize))
                entry.append(varint: shared)
            }
            entry.append(varint: (key.count - shared) << 2 | Int(scope.rawValue))
            entry.append(octets: key.extracting(shared..<key.count))
            var copy = previous.mutableSpan
            for index in key.indices { copy[index] = key[index] }
            previousSize = key.count
            rank += 1
            try body(isFirst, entry.span)
        }
    }
}
