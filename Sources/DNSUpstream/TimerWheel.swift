import Quantities

/// Deadlines of numbered things, sorted into slots of 8 ms round a wheel of 8 seconds.
///
/// ```
/// slots   head of a list for each 8 ms of the horizon
/// links   per thing: due time, slot, previous and next in its list
/// ```
/// Setting and cancelling cost O(1); advancing visits the slots that time has passed. A deadline
/// beyond the horizon stands in its slot too and is passed over until its turn of the wheel comes:
/// after a stall (a stopped process, a suspended machine) `lastTick` lags behind by any amount.
struct TimerWheel {
    private struct Entry {
        var due = MonotonicInstant.distantFuture
        var slot: Int32 = TimerWheel.none
        var previous: Int32 = TimerWheel.none
        var next: Int32 = TimerWheel.none
    }

    private static let none: Int32 = -1
    private static let slotNanoseconds: Int64 = 8_000_000
    private static let slotCount = 1024

    private var slots = [Int32](repeating: TimerWheel.none, count: TimerWheel.slotCount)
    private var entries: [Entry] = []
    private var lastTick: Int64
    private var setCount = 0
    /// No deadline is earlier than this.
    private var earliest = MonotonicInstant.distantFuture

    /// A wheel without deadlines.
    init(now: MonotonicInstant) { lastTick = now.nanoseconds / TimerWheel.slotNanoseconds }

    /// A time before which nothing is due; `nil` when nothing is set.
    var next: MonotonicInstant? { setCount == 0 ? nil : earliest }

    /// Octets of memory held.
    var heldOctets: Int {
        slots.capacity * MemoryLayout<Int32>.stride + entries.capacity * MemoryLayout<Entry>.stride
    }

    /// Sets the deadline of thing `number`, in place of one it had.
    mutating func set(_ number: Int, due: MonotonicInstant) {
        while entries.count <= number { entries.append(Entry()) }
        cancel(number)
        let tick = max(due.nanoseconds / TimerWheel.slotNanoseconds, lastTick)
        let slot = Int(tick % Int64(TimerWheel.slotCount))
        entries[number].due = due
        entries[number].slot = Int32(slot)
        entries[number].previous = TimerWheel.none
        entries[number].next = slots[slot]
        if slots[slot] != TimerWheel.none { entries[Int(slots[slot])].previous = Int32(number) }
        slots[slot] = Int32(number)
        setCount += 1
        earliest = min(earliest, due)
    }

    /// Forgets the deadline of thing `number`, if it has one.
    mutating func cancel(_ number: Int) {
        guard number < entries.count, entries[number].slot != TimerWheel.none else { return }
        let entry = entries[number]
        if entry.previous == TimerWheel.none {
            slots[Int(entry.slot)] = entry.next
        } else {
            entries[Int(entry.previous)].next = entry.next
        }
        if entry.next != TimerWheel.none { entries[Int(entry.next)].previous = entry.previous }
        entries[number].slot = TimerWheel.none
        setCount -= 1
        if setCount == 0 { earliest = .distantFuture }
    }

    /// Appends the things that are due to `fired` and forgets their deadlines.
    mutating func advance(to now: MonotonicInstant, fired: inout [Int]) {
        let tick = now.nanoseconds / TimerWheel.slotNanoseconds
        let first = fired.count
        let passed = min(tick - lastTick, Int64(TimerWheel.slotCount - 1))
        if setCount > 0, passed >= 0, earliest <= now {
            for step in 0...passed {
                let slot = Int((lastTick + step) % Int64(TimerWheel.slotCount))
                var number = slots[slot]
                while number != TimerWheel.none {
                    if entries[Int(number)].due <= now { fired.append(Int(number)) }
                    number = entries[Int(number)].next
                }
            }
            for number in fired[first...] { cancel(number) }
            earliest = recomputedEarliest(from: tick)
        }
        lastTick = max(lastTick, tick)
    }

    private func recomputedEarliest(from tick: Int64) -> MonotonicInstant {
        guard setCount > 0 else { return .distantFuture }
        var least = MonotonicInstant.distantFuture
        for step in 0..<Int64(TimerWheel.slotCount) {
            var number = slots[Int((tick + step) % Int64(TimerWheel.slotCount))]
            while number != TimerWheel.none {
                least = min(least, entries[Int(number)].due)
                number = entries[Int(number)].next
            }
            if least.nanoseconds / TimerWheel.slotNanoseconds <= tick + step { return least }
        }
        return least
    }
}
