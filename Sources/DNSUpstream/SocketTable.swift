import LinuxSystem
import Quantities

/// The open UDP sockets of a worker, found by link.
///
/// A link is a slot with a count of its uses, so that an event of a socket closed meanwhile is told
/// from one of the socket that took its slot.
struct SocketTable {
    private struct Slot {
        var socket: SharedDescriptor?
        var generation: UInt32 = 0
        /// Questions sent over it and not answered yet.
        var unanswered = 0
        var isRetired = false
    }

    /// A retired socket is heard this long for late answers.
    private static let graceTime = Duration.seconds(5)
    /// More retired sockets than this are closed early, the oldest first.
    private static let retiredLimit = 512

    private var slots: [Slot] = []
    private var free: [Int] = []
    private var retired: [(link: Link, closes: MonotonicInstant)] = []

    /// The socket of a link that is open.
    func socket(_ link: Link) -> SharedDescriptor? {
        let slot = SocketTable.slot(link)
        guard slot < slots.count, slots[slot].generation == UInt32(truncatingIfNeeded: link.number)
        else { return nil }
        return slots[slot].socket
    }

    /// Takes a socket over.
    mutating func insert(_ socket: SharedDescriptor) -> Link {
        let slot = free.popLast() ?? slots.count
        if slot == slots.count { slots.append(Slot()) }
        slots[slot] = Slot(socket: socket, generation: slots[slot].generation &+ 1)
        return Link(UInt64(slot) << 32 | UInt64(slots[slot].generation))
    }

    /// Counts a question.
    mutating func noteSent(_ link: Link) {
        guard socket(link) != nil else { return }
        slots[SocketTable.slot(link)].unanswered += 1
    }

    /// Counts an answer; a retired socket that has all of its answers is closed.
    mutating func noteAnswered(_ link: Link) {
        guard socket(link) != nil else { return }
        let slot = SocketTable.slot(link)
        slots[slot].unanswered -= 1
        if slots[slot].isRetired, slots[slot].unanswered <= 0 { close(link) }
    }

    /// Lets a socket go when its answers are in, at once if none is missing.
    mutating func retire(_ link: Link, now: MonotonicInstant) {
        guard socket(link) != nil else { return }
        let slot = SocketTable.slot(link)
        guard slots[slot].unanswered > 0 else { return close(link) }
        slots[slot].isRetired = true
        retired.append((link, now + SocketTable.graceTime))
        if retired.count > SocketTable.retiredLimit { close(retired.removeFirst().link) }
    }

    /// Closes what was retired long enough ago.
    mutating func closeRetired(now: MonotonicInstant) {
        var done = 0
        while done < retired.count, retired[done].closes <= now {
            close(retired[done].link)
            done += 1
        }
        retired.removeFirst(done)
    }

    /// Closes a socket at once.
    mutating func close(_ link: Link) {
        guard socket(link) != nil else { return }
        let slot = SocketTable.slot(link)
        slots[slot].socket = nil
        free.append(slot)
    }

    private static func slot(_ link: Link) -> Int { Int(link.number >> 32) }
}
