import DomainNames
import FilterIndex

/// Several runs read as one: every key once, in ascending order, with all that is said of it.
///
/// A heap of the runs by their next key; of equal keys the records are gathered, each once.
struct NameMerge {
    private var readers: [NameRunReader] = []
    /// Indices of the readers that have a record, the least key first; a heap.
    private var heap: [Int] = []
    private var keyOctets = [UInt8](repeating: 0, count: NameTable.keySize)
    private var size = 0
    /// What is said of the key, ascending, each once.
    private(set) var records: [NameRecord] = []
    /// Records read so far.
    private(set) var recordCount = 0

    /// A merge before its first key.
    init(_ runs: [NameRun], memory: BuildMemory) throws(CompilationError) {
        let bufferSize = memory.bufferSize(forRuns: runs.count)
        for run in runs where run.count > 0 {
            var reader = NameRunReader(run, bufferSize: bufferSize)
            if try reader.advance() { readers.append(reader) }
        }
        heap = Array(readers.indices)
        for place in heap.indices.reversed() { siftDown(from: place) }
    }

    /// The key.
    var key: Span<UInt8> {
        @_lifetime(borrow self)
        borrowing get { keyOctets.span.extracting(0..<size) }
    }

    /// Steps to the next key; `false` at the end.
    /// - Complexity: O(octets + records × log runs).
    mutating func next() throws(CompilationError) -> Bool {
        guard let first = heap.first else { return false }
        size = readers[first].copyKey(to: &keyOctets)
        records.removeAll(keepingCapacity: true)
        repeat {
            let top = heap[0]
            var hasMore = true
            repeat {
                records.append(readers[top].record)
                recordCount += 1
                hasMore = try readers[top].advance()
            } while hasMore && readers[top].isSameKey
            if !hasMore {
                heap[0] = heap[heap.count - 1]
                heap.removeLast()
            }
            siftDown(from: 0)
        } while !heap.isEmpty && isKey(readers[heap[0]])
        if records.count > 1 { order() }
        return true
    }

    private func isKey(_ reader: borrowing NameRunReader) -> Bool {
        let other = reader.key
        return other.count == size && other.hasPrefix(keyOctets.span.extracting(0..<size))
    }

    private mutating func order() {
        records.sort { $0.order < $1.order }
        var kept = 1
        for index in 1..<records.count where records[index] != records[kept - 1] {
            records[kept] = records[index]
            kept += 1
        }
        records.removeSubrange(kept...)
    }

    private mutating func siftDown(from start: Int) {
        var place = start
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2] where child < heap.count {
                if NameMerge.precedes(readers[heap[child]], readers[heap[least]]) { least = child }
            }
            if least == place { return }
            heap.swapAt(place, least)
            place = least
        }
    }

    private static func precedes(
        _ left: borrowing NameRunReader, _ right: borrowing NameRunReader
    ) -> Bool {
        if left.head != right.head { return left.head < right.head }
        return left.key.precedes(right.key)
    }
}
