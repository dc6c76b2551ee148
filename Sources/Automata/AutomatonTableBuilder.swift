/// Writes an automaton in the form that `AutomatonTable` runs.
package struct AutomatonTableBuilder {
    private let automaton: DeterministicAutomaton
    private let isBackward: Bool
    private let firstPattern: Int
    /// States in the order of the table, and the place of each in it.
    private var order: [Int32] = []
    private var numbers: [Int32]
    /// States that find nothing come first; this many.
    private var silentCount = 0
    private var slots: [UInt32] = []
    private var bases: [UInt32] = []

    /// States that are numbered breadth first.
    private static let hotStates = 1024
    /// Free places of the slots that a row is tried at before it goes to the end.
    private static let trialLimit = 64

    /// A table of an automaton that reads in a direction.
    /// - Parameter firstPattern: the number that its pattern 0 has in the table.
    package init(
        _ automaton: DeterministicAutomaton, direction: PatternSet.Direction, firstPattern: Int = 0
    ) {
        self.automaton = automaton
        self.firstPattern = firstPattern
        isBackward = direction == .backward
        numbers = [Int32](repeating: -1, count: automaton.stateCount)
        orderStates()
        placeRows()
    }

    /// The dead state first. Breadth first from the start, so that what most texts pass through
    /// lies together; further out depth first, so that what one text passes through does. States
    /// that find something last.
    private mutating func orderStates() {
        var visited = [Bool](repeating: false, count: automaton.stateCount)
        var queue: [Int32] = [0]
        visited[0] = true
        if !visited[Int(automaton.start)] {
            visited[Int(automaton.start)] = true
            queue.append(automaton.start)
        }
        func targets(of state: Int32) -> [Int32] {
            automaton.moves(of: Int(state)).map(\.target) + [automaton.defaults[Int(state)]]
        }
        var index = 1
        while index < queue.count, queue.count < AutomatonTableBuilder.hotStates {
            for target in targets(of: queue[index]) where !visited[Int(target)] {
                visited[Int(target)] = true
                queue.append(target)
            }
            index += 1
        }
        let frontier = queue[min(index, queue.count)...]
        for root in frontier {
            var open = targets(of: root)
            while let state = open.popLast() {
                if visited[Int(state)] { continue }
                visited[Int(state)] = true
                queue.append(state)
                open += targets(of: state)
            }
        }
        let isSilent = { [automaton] (state: Int32) in
            state == 0 || automaton.found[Int(state)] == 0 && automaton.foundAtEnd[Int(state)] == 0
        }
        order = queue.filter(isSilent)
        silentCount = order.count
        order += queue.filter { !isSilent($0) }
        for (number, state) in order.enumerated() { numbers[Int(state)] = Int32(number) }
    }

    /// Row displacement: the rows are laid over one another so that their moves fall between each
    /// other. No two rows start at one place, so the class in a slot tells whose it is.
    private mutating func placeRows() {
        bases = [UInt32](repeating: AutomatonTable.noBase, count: order.count)
        var isBase: [Bool] = []
        var firstFree = 0
        // Large rows first, while there is room between; equal ones in the order of states.
        let rows = order.indices.filter { automaton.moves(of: Int(order[$0])).count > 1 }
        for number in order.indices {
            let row = automaton.moves(of: Int(order[number]))
            guard row.count == 1, let move = row.first else { continue }
            bases[number] =
                AutomatonTable.onlyMove | UInt32(numbers[Int(move.target)]) << 8
                | UInt32(move.octetClass)
        }
        let bySize = rows.sorted { left, right in
            let sizes = (
                automaton.moves(of: Int(order[left])).count,
                automaton.moves(of: Int(order[right])).count
            )
            return sizes.0 == sizes.1 ? left < right : sizes.0 > sizes.1
        }
        for number in bySize {
            let row = Array(automaton.moves(of: Int(order[number])))
            let base = findBase(for: row, &firstFree, isBase)
            if isBase.count <= base {
                isBase.append(contentsOf: repeatElement(false, count: base + 1 - isBase.count))
            }
            isBase[base] = true
            bases[number] = UInt32(base)
            for move in row {
                let slot = base + Int(move.octetClass)
                if slots.count <= slot {
                    slots.append(
                        contentsOf: repeatElement(
                            AutomatonTable.freeSlot, count: slot + 1 - slots.count))
                }
                slots[slot] = UInt32(move.octetClass) | UInt32(numbers[Int(move.target)]) << 8
            }
        }
    }

    private func findBase(
        for row: [DeterministicAutomaton.Move], _ firstFree: inout Int, _ isBase: [Bool]
    ) -> Int {
        let first = Int(row[0].octetClass)
        while firstFree < slots.count, slots[firstFree] != AutomatonTable.freeSlot {
            firstFree += 1
        }
        var slot = firstFree
        var trials = 0
        while slot < slots.count {
            if slots[slot] == AutomatonTable.freeSlot {
                let base = slot - first
                let isFree =
                    base >= 0 && (base >= isBase.count || !isBase[base])
                    && row.allSatisfy { move in
                        let index = base + Int(move.octetClass)
                        return index >= slots.count || slots[index] == AutomatonTable.freeSlot
                    }
                if isFree { return base }
                trials += 1
                if trials == AutomatonTableBuilder.trialLimit {
                    // Places that a long search passed over are given up.
                    firstFree += 1
                    break
                }
            }
            slot += 1
        }
        var base = max(slots.count - first, 0)
        while base < isBase.count && isBase[base] { base += 1 }
        return base
    }

    /// Appends the table.
    /// - Complexity: O(states + moves).
    package func append(to octets: inout [UInt8]) {
        func append(_ value: UInt32) {
            for shift in [0, 8, 16, 24] as [UInt32] {
                octets.append(UInt8(truncatingIfNeeded: value >> shift))
            }
        }
        var offsets: [UInt32] = []
        let sets = self.sets(&offsets)
        append(UInt32(order.count))
        append(UInt32(slots.count))
        append(UInt32(silentCount))
        append(UInt32(sets.count))
        append(UInt32(numbers[Int(automaton.start)]))
        append(isBackward ? AutomatonTable.backwardFlag : 0)
        octets.append(contentsOf: automaton.classes)
        for (number, state) in order.enumerated() {
            append(bases[number])
            append(UInt32(numbers[Int(automaton.defaults[Int(state)])]))
        }
        for slot in slots { append(slot) }
        for state in order[silentCount...] {
            append(offsets[Int(automaton.found[Int(state)])])
            append(offsets[Int(automaton.foundAtEnd[Int(state)])])
        }
        octets.append(contentsOf: sets)
    }

    /// The octets of all sets, each a count and the distances between its numbers.
    private func sets(_ offsets: inout [UInt32]) -> [UInt8] {
        var octets: [UInt8] = []
        func append(varint value: Int) {
            var rest = UInt32(value)
            while rest >= 0x80 {
                octets.append(UInt8(truncatingIfNeeded: rest) | 0x80)
                rest >>= 7
            }
            octets.append(UInt8(truncatingIfNeeded: rest))
        }
        for set in automaton.sets {
            offsets.append(UInt32(octets.count))
            append(varint: set.count)
            var previous = 0
            for pattern in set {
                append(varint: Int(pattern) + firstPattern - previous)
                previous = Int(pattern) + firstPattern
            }
        }
        return octets
    }
}
