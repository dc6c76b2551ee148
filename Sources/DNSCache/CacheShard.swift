import DNSWire
import Quantities

/// One shard: a ring of octets, a ring of slots beside it, and a hash index of the slots.
///
/// ```
/// octets  [ … | key · message · ttl offsets | key · message … | free | … ]   oldest first
/// slots   [ … |            s7               |       s8        |      | … ]   in the same order
/// index   bucket → newest slot → older slot of the same bucket → …
/// ```
/// New entries go to the head; room is made by dropping the oldest. An entry that is hit while it
/// lies in the older half is moved to the head, so what is asked for stays: the ring then acts like
/// CLOCK, without an allocator and without fragments.
/// Both rings start small and double up to their limits before they first wrap, so that a cache
/// takes the memory that its answers need.
/// Invariant: live slots are `tail ..< head` (mod slot count), their octets in the same order; an
/// entry never wraps round the end of the octets.
struct CacheShard: Sendable {
    private struct Slot {
        var hash: UInt64 = 0
        var judgement: UInt64 = 0
        var stored: Int64 = 0
        var expires: Int64 = 0
        var offset: UInt32 = 0
        /// Octets from `offset` to the next entry, padding before a wrap included.
        var span: UInt32 = 0
        var older: UInt32 = CacheShard.none
        var serial: UInt32 = 0
        var messageCount: UInt16 = 0
        var keyCount: UInt16 = 0
        var ttlCount: UInt16 = 0
        var isLive = false
        var hasTargets = false
    }

    private static let none = UInt32.max
    /// Octets of ring for each slot: a small answer with its key is about this long.
    private static let octetsPerSlot = 128
    /// Slots of a shard at first.
    private static let firstSlots = 64
    /// A chain is followed no further: with a seeded hash a longer one is an attack or chance.
    private static let chainLimit = 32
    /// One answer may take this share of the ring, so that a few big ones cannot empty it.
    private static let largestShare = 8

    private var octets: [UInt8] = []
    private var slots: [Slot] = []
    private let octetLimit: Int
    private let slotLimit: Int
    private var buckets: [UInt32]
    private var head = 0
    private var tail = 0
    private var headOctet = 0
    private var usedOctets = 0
    private var scratch: [UInt8] = []
    private var nextSerial: UInt32 = 0
    /// Entries that can be found.
    private(set) var entryCount = 0

    /// A shard of `size` octets, rings and index together.
    init(size: Int) {
        let perSlot = CacheShard.octetsPerSlot + MemoryLayout<Slot>.stride + 4
        let count = size / perSlot
        octetLimit = count * CacheShard.octetsPerSlot
        slotLimit = count
        var bucketCount = 1
        while bucketCount * 2 <= count { bucketCount *= 2 }
        buckets = Array(repeating: CacheShard.none, count: count == 0 ? 0 : bucketCount)
    }

    /// Octets of the ring in use.
    var octetCount: Int { usedOctets }

    /// Octets of memory held: both rings, the index, room to move entries.
    var heldOctets: Int {
        octets.capacity + slots.capacity * MemoryLayout<Slot>.stride + buckets.capacity * 4
            + scratch.capacity
    }

    /// Appends the message of a question to `output`; see `AnswerCache.find`.
    /// - Complexity: O(octets of the message).
    mutating func find(
        _ key: QuestionKey, now: MonotonicInstant, staleAge: Duration, staleTTL: UInt32,
        into output: inout [UInt8]
    ) -> CacheHit? {
        guard let index = slotIndex(key) else { return nil }
        let slot = slots[index]
        let isStale = now.nanoseconds >= slot.expires
        if isStale, now.nanoseconds >= slot.expires &+ staleAge.wholeNanoseconds {
            remove(index)
            return nil
        }
        let start = output.count
        let message = Int(slot.offset) + Int(slot.keyCount)
        output.append(contentsOf: octets[message..<(message + Int(slot.messageCount))])
        let age = UInt32(clamping: (now.nanoseconds &- slot.stored) / 1_000_000_000)
        patchTTLs(of: slot, in: &output, from: start, age: isStale ? nil : age, staleTTL: staleTTL)
        let hit = CacheHit(
            count: Int(slot.messageCount), isStale: isStale, hasTargets: slot.hasTargets,
            judgement: slot.judgement, serial: slot.serial)
        if !isStale, isInOlderHalf(index) { moveToHead(index, key: key) }
        return hit
    }

    /// Keeps an answer at the head of the ring; see `AnswerCache.store`.
    /// - Complexity: O(octets of the message), and of those that make room for it.
    mutating func store(
        _ answer: CachedAnswer, for key: QuestionKey, now: MonotonicInstant
    ) {
        if let old = slotIndex(key) { remove(old) }
        let keyCount = key.span.count
        let count = keyCount + answer.message.count + 2 * answer.ttlOffsets.count
        guard count <= octetLimit / CacheShard.largestShare, answer.message.count <= 0xFFFF
        else { return }
        let index = makeRoom(count)
        let start = headOctet
        var next = start
        let span = key.span
        for position in span.indices {
            octets[next] = span[position]
            next += 1
        }
        octets.replaceSubrange(next..<(next + answer.message.count), with: answer.message)
        next += answer.message.count
        for offset in answer.ttlOffsets {
            octets[next] = UInt8(truncatingIfNeeded: offset >> 8)
            octets[next + 1] = UInt8(truncatingIfNeeded: offset)
            next += 2
        }
        var slot = Slot()
        slot.hash = key.hash
        slot.judgement = answer.judgement
        slot.serial = nextSerial
        nextSerial &+= 1
        slot.stored = now.nanoseconds
        slot.expires = (now + answer.lifetime).nanoseconds
        slot.messageCount = UInt16(answer.message.count)
        slot.keyCount = UInt16(keyCount)
        slot.ttlCount = UInt16(answer.ttlOffsets.count)
        slot.hasTargets = answer.hasTargets
        link(slot, at: index, offset: start, count: count)
    }

    /// Notes a judgement on the very answer that `serial` names.
    mutating func markJudged(_ key: QuestionKey, serial: UInt32, judgement: UInt64) {
        guard let index = slotIndex(key), slots[index].serial == serial else { return }
        slots[index].judgement = judgement
    }

    /// Forgets the answer to a question.
    mutating func remove(_ key: QuestionKey) {
        if let index = slotIndex(key) { remove(index) }
    }

    /// Takes out all entries, or those of a wire name in lower case; returns how many.
    mutating func flush(name: [UInt8]?) -> Int {
        var flushed = 0
        for index in slots.indices where slots[index].isLive {
            let slot = slots[index]
            let offset = Int(slot.offset)
            if let name {
                guard Int(slot.keyCount) == name.count + 5,
                    octets[offset..<(offset + name.count)].elementsEqual(name)
                else { continue }
            }
            remove(index)
            flushed += 1
        }
        return flushed
    }

    /// The live slot that holds the answer to a question.
    private func slotIndex(_ key: QuestionKey) -> Int? {
        guard !buckets.isEmpty else { return nil }
        var candidate = buckets[Int(key.hash & UInt64(buckets.count - 1))]
        for _ in 0..<CacheShard.chainLimit {
            guard candidate != CacheShard.none else { return nil }
            let slot = slots[Int(candidate)]
            if slot.hash == key.hash {
                let start = Int(slot.offset)
                let stored = octets.span.extracting(start..<(start + Int(slot.keyCount)))
                if key.matches(stored) { return Int(candidate) }
            }
            candidate = slot.older
        }
        return nil
    }

    private func patchTTLs(
        of slot: Slot, in output: inout [UInt8], from start: Int, age: UInt32?, staleTTL: UInt32
    ) {
        var next = Int(slot.offset) + Int(slot.keyCount) + Int(slot.messageCount)
        for _ in 0..<slot.ttlCount {
            let position = start + (Int(octets[next]) << 8 | Int(octets[next + 1]))
            next += 2
            let ttl: UInt32
            if let age {
                let original =
                    UInt32(output[position]) << 24 | UInt32(output[position + 1]) << 16
                    | UInt32(output[position + 2]) << 8 | UInt32(output[position + 3])
                ttl = original > age ? original - age : 0
            } else {
                ttl = staleTTL
            }
            output[position] = UInt8(truncatingIfNeeded: ttl >> 24)
            output[position + 1] = UInt8(truncatingIfNeeded: ttl >> 16)
            output[position + 2] = UInt8(truncatingIfNeeded: ttl >> 8)
            output[position + 3] = UInt8(truncatingIfNeeded: ttl)
        }
    }

    // MARK: The rings

    private func isInOlderHalf(_ index: Int) -> Bool {
        let live = (head - tail + slots.count) % slots.count
        let age = (head - index + slots.count) % slots.count
        // Long answers fill the octets first, short ones the slots.
        let isHalfFull = live > slotLimit / 2 || usedOctets > octetLimit / 2
        return age > live / 2 && isHalfFull
    }

    /// Copies an entry to the head, where it is the youngest again.
    private mutating func moveToHead(_ index: Int, key: QuestionKey) {
        var slot = slots[index]
        let start = Int(slot.offset)
        let count = Int(slot.keyCount) + Int(slot.messageCount) + 2 * Int(slot.ttlCount)
        scratch.removeAll(keepingCapacity: true)
        scratch.append(contentsOf: octets[start..<(start + count)])
        remove(index)
        let free = makeRoom(count)
        octets.replaceSubrange(headOctet..<(headOctet + count), with: scratch)
        slot.older = CacheShard.none
        link(slot, at: free, offset: headOctet, count: count)
    }

    /// Drops the oldest entries until a slot and `count` octets in one piece are free at the head.
    /// - Returns: the free slot; `headOctet` is where the octets go.
    private mutating func makeRoom(_ count: Int) -> Int {
        if head + 2 > slots.count, slots.count < slotLimit { growSlots() }
        while true {
            // Empty: start over at the front, so that no padding is left behind.
            if tail == head { headOctet = 0 }
            if headOctet + count > octets.count, octets.count < octetLimit {
                growOctets(toHold: headOctet + count)
            }
            if tail == head { return head }
            let tailOctet = Int(slots[tail].offset)
            if (head + 1) % slots.count == tail {
                dropTail()
            } else if headOctet > tailOctet {
                if headOctet + count <= octets.count { return head }
                if count < tailOctet {
                    let last = (head + slots.count - 1) % slots.count
                    slots[last].span += UInt32(octets.count - headOctet)
                    usedOctets += octets.count - headOctet
                    headOctet = 0
                    return head
                }
                dropTail()
            } else {
                if headOctet + count < tailOctet { return head }
                dropTail()
            }
        }
    }

    private mutating func growSlots() {
        let count = min(max(slots.count * 2, CacheShard.firstSlots), slotLimit)
        slots.reserveCapacity(count)
        slots.append(contentsOf: repeatElement(Slot(), count: count - slots.count))
    }

    private mutating func growOctets(toHold least: Int) {
        let first = CacheShard.firstSlots * CacheShard.octetsPerSlot
        let count = min(max(octets.count * 2, least, first), octetLimit)
        octets.reserveCapacity(count)
        octets.append(contentsOf: repeatElement(0, count: count - octets.count))
    }

    private mutating func link(_ filled: Slot, at index: Int, offset: Int, count: Int) {
        var slot = filled
        let bucket = Int(slot.hash & UInt64(buckets.count - 1))
        slot.offset = UInt32(offset)
        slot.span = UInt32(count)
        slot.older = buckets[bucket]
        slot.isLive = true
        slots[index] = slot
        buckets[bucket] = UInt32(index)
        headOctet = offset + count
        usedOctets += count
        head = (index + 1) % slots.count
        entryCount += 1
    }

    /// Takes an entry out of the index; its octets stay until the tail passes them.
    private mutating func remove(_ index: Int) {
        guard slots[index].isLive else { return }
        slots[index].isLive = false
        entryCount -= 1
        let bucket = Int(slots[index].hash & UInt64(buckets.count - 1))
        let older = slots[index].older
        if buckets[bucket] == UInt32(index) {
            buckets[bucket] = older
            return
        }
        var candidate = buckets[bucket]
        while candidate != CacheShard.none {
            let next = slots[Int(candidate)].older
            if next == UInt32(index) {
                slots[Int(candidate)].older = older
                return
            }
            candidate = next
        }
    }

    private mutating func dropTail() {
        remove(tail)
        usedOctets -= Int(slots[tail].span)
        tail = (tail + 1) % slots.count
    }
}
