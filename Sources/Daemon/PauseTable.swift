import Configuration
import LinuxSystem
import Quantities
import Synchronization

/// For whom filtering is paused, and until when; kept in a file, so that it survives a restart.
///
/// ```
/// pause file   one line each: end in seconds since 1970 (0: until resumed), then the client or `*`
/// ```
final class PauseTable: Sendable {
    private struct Pauses {
        var all: MonotonicInstant?
        var clients: [IPAddress: MonotonicInstant] = [:]
    }

    /// Clients paused one by one at most.
    static let clientLimit = 256

    private let pauses: Mutex<Pauses>
    private let isAnySet: Atomic<Bool>
    private let path: String

    /// The pauses that the file at `path` holds; none when there is no such file.
    init(path: String, now: MonotonicInstant) {
        self.path = path
        let text = (try? FileIO.readWhole(path: path, limit: 64 << 10)) ?? []
        let found = PauseTable.parse(text, now: now, wall: Clock.wallSeconds())
        isAnySet = Atomic(found.all != nil || !found.clients.isEmpty)
        pauses = Mutex(found)
    }

    /// Whether filtering is paused for a client.
    /// - Complexity: one relaxed load while nothing is paused.
    func isPaused(_ client: IPAddress, now: MonotonicInstant) -> Bool {
        guard isAnySet.load(ordering: .relaxed) else { return false }
        return pauses.withLock { pauses in
            if let all = pauses.all, now < all { return true }
            if let end = pauses.clients[client.unmapped], now < end { return true }
            return false
        }
    }

    /// Pauses for a client, or for all, until `end`; without an end until `resume`.
    /// - Returns: `false` when too many clients are paused already; nothing changed then.
    /// - Throws: `SystemError` when the file cannot be written; the pause is in force all the same.
    func pause(
        _ client: IPAddress?, for duration: Duration?, now: MonotonicInstant
    ) throws(SystemError) -> Bool {
        let end = duration.map { now + $0 } ?? .distantFuture
        let isKept = pauses.withLock { pauses in
            pauses.clients = pauses.clients.filter { now < $0.value }
            if let client {
                let isNew = pauses.clients[client.unmapped] == nil
                guard !isNew || pauses.clients.count < PauseTable.clientLimit else { return false }
                pauses.clients[client.unmapped] = end
            } else {
                pauses.all = end
            }
            return true
        }
        guard isKept else { return false }
        isAnySet.store(true, ordering: .relaxed)
        try save(now: now)
        return true
    }

    /// Ends every pause.
    func resume(now: MonotonicInstant) throws(SystemError) {
        pauses.withLock { $0 = Pauses() }
        isAnySet.store(false, ordering: .relaxed)
        try FileIO.remove(path: path)
    }

    /// Who is paused and for how long yet; `nil` for all clients, `nil` for without end.
    func list(now: MonotonicInstant) -> [(client: IPAddress?, left: Duration?)] {
        pauses.withLock { pauses in
            var list: [(client: IPAddress?, left: Duration?)] = []
            if let all = pauses.all, now < all { list.append((nil, PauseTable.left(all, now))) }
            for (client, end) in pauses.clients.sorted(by: { $0.key < $1.key }) where now < end {
                list.append((client, PauseTable.left(end, now)))
            }
            return list
        }
    }

    private static func left(_ end: MonotonicInstant, _ now: MonotonicInstant) -> Duration? {
        end == .distantFuture ? nil : end - now
    }

    private func save(now: MonotonicInstant) throws(SystemError) {
        let wall = Clock.wallSeconds()
        var text = ""
        for entry in list(now: now) {
            let end = entry.left.map { wall + $0.components.seconds + 1 } ?? 0
            text += "\(end) \(entry.client.map { "\($0)" } ?? "*")\n"
        }
        let octets = Array(text.utf8)
        try FileIO.replace(path: path, with: octets.span, mode: 0o644)
    }

    private static func parse(_ text: [UInt8], now: MonotonicInstant, wall: Int64) -> Pauses {
        var pauses = Pauses()
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let words = String(decoding: line, as: UTF8.self).split(separator: " ")
            guard words.count == 2, let seconds = Int64(words[0]), seconds == 0 || seconds > wall
            else { continue }
            let end = seconds == 0 ? .distantFuture : now + .seconds(seconds - wall)
            if words[1] == "*" {
                pauses.all = end
            } else if let client = IPAddress(text: String(words[1])) {
                pauses.clients[client] = end
            }
        }
        return pauses
    }
}
