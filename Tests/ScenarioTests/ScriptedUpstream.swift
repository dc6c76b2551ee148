import DNSWire
import DomainNames
import Synchronization

/// The upstreams of a scenario: what each answers, and what each was asked.
///
/// Both runners ask it, the real one from the thread of its server; so its state has a lock.
final class ScriptedUpstream: Sendable {
    enum Transport: Sendable {
        case udp, tcp
    }

    /// A query that an upstream got.
    struct OutQuery: Sendable {
        var address: String
        var transport: Transport
        var octets: [UInt8]
    }

    /// An answer that is to be sent.
    struct Answer: Sendable {
        var delay: Duration
        var octets: [UInt8]
        /// Answers of an earlier generation are lost on the way.
        var generation: Int
    }

    private struct State {
        var step = 0
        var isSilent = false
        var generation = 0
        /// How often an entry was used, by range and place.
        var uses: [[Int]]
        var log: [OutQuery] = []
        var checked: Set<Int> = []
        var unexpected: [String] = []
    }

    private let ranges: [AnswerRange]
    private let state: Mutex<State>

    init(_ scenario: Scenario) {
        ranges = scenario.ranges
        state = Mutex(State(uses: scenario.ranges.map { $0.entries.map { _ in 0 } }))
    }

    /// Begins a step: the ranges with its number answer from now on.
    func enter(step: Int) { state.withLock { $0.step = step } }

    /// While silent, nothing is answered; what is on its way is lost.
    func setSilent(_ isSilent: Bool) {
        state.withLock { state in
            state.isSilent = isSilent
            state.generation += 1
        }
    }

    /// Whether an answer still arrives.
    func isCurrent(_ answer: Answer) -> Bool {
        state.withLock { $0.generation == answer.generation }
    }

    /// Queries that no entry answered.
    var unexpectedQueries: [String] { state.withLock { $0.unexpected } }

    /// How many queries came, to one upstream or all, over streams only or any way.
    func queryCount(at address: String?, streamsOnly: Bool) -> Int {
        state.withLock { state in
            state.log.count {
                (address == nil || $0.address == address)
                    && (!streamsOnly || $0.transport == .tcp)
            }
        }
    }

    /// The oldest query, to one upstream or any, that was not taken before.
    func takeQuery(at address: String?) -> OutQuery? {
        state.withLock { state in
            let index = state.log.indices.first {
                !state.checked.contains($0)
                    && (address == nil || state.log[$0].address == address)
            }
            guard let index else { return nil }
            state.checked.insert(index)
            return state.log[index]
        }
    }

    /// Takes a query and says what is answered; `nil` for nothing.
    func answer(
        _ query: [UInt8], at address: String, over transport: Transport
    ) -> Answer? {
        guard let message = try? ReceivedMessage.read(query) else {
            state.withLock { $0.unexpected.append("to \(address), which is malformed") }
            return nil
        }
        return state.withLock { state in
            state.log.append(OutQuery(address: address, transport: transport, octets: query))
            guard !state.isSilent else { return nil }
            guard let (range, index) = find(message, address, transport, &state) else {
                state.unexpected.append(describe(message, address, state.step))
                return nil
            }
            state.uses[range][index] += 1
            let entry = ranges[range].entries[index]
            guard !entry.isSilent else { return nil }
            return Answer(
                delay: entry.delay ?? .zero, octets: entry.answer(to: message),
                generation: state.generation)
        }
    }

    private func find(
        _ message: ReceivedMessage, _ address: String, _ transport: Transport,
        _ state: inout State
    ) -> (range: Int, entry: Int)? {
        for (range, answers) in ranges.enumerated()
        where answers.address == address && answers.steps.contains(state.step) {
            for (index, entry) in answers.entries.enumerated()
            where state.uses[range][index] < entry.uses && entry.answers(message, over: transport) {
                return (range, index)
            }
        }
        return nil
    }

    private func describe(_ message: ReceivedMessage, _ address: String, _ step: Int) -> String {
        let name = message.asked.map { NameText.text(of: $0.name.span) } ?? "?"
        return "\(name) TYPE\(message.asked?.type ?? 0) to \(address) in step \(step)"
    }
}

extension ScenarioEntry {
    /// Whether this entry answers a query.
    func answers(_ query: ReceivedMessage, over transport: ScriptedUpstream.Transport) -> Bool {
        if match.contains(.udp), transport != .udp { return false }
        if match.contains(.tcp), transport != .tcp { return false }
        if match.contains(.dnssecOK), query.edns?.dnssecOK != true { return false }
        if match.contains(.opcode), query.header.flags & 0x7800 != message.flags & 0x7800 {
            return false
        }
        guard let asked = query.asked else { return false }
        guard let own = message.questions.first else {
            return match.isDisjoint(with: [.qname, .qtype, .subdomain])
        }
        let name = own.name.map(\.asciiLowercased)
        if match.contains(.qname), asked.name != name { return false }
        if match.contains(.subdomain), !ScenarioEntry.isBelow(asked.name, name) { return false }
        return !match.contains(.qtype) || asked.type == own.type
    }

    private static func isBelow(_ wire: [UInt8], _ ancestor: [UInt8]) -> Bool {
        var rest = wire[...]
        while rest.count > ancestor.count, let length = rest.first {
            rest = rest.dropFirst(1 + Int(length))
        }
        return rest.elementsEqual(ancestor)
    }

    /// The octets that answer a query.
    func answer(to query: ReceivedMessage) -> [UInt8] {
        var message = message
        if truncates {
            message.flags |= HeaderFlags.truncated
            message.sections = [[], [], []]
        }
        // Without `copy_id` the id is wrong for sure.
        let id = copiesID ? query.header.id : query.header.id ^ 0x5555
        return message.encoded(id: id, question: copiesQuery ? query.question : nil)
    }
}
