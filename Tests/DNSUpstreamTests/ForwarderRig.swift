import DNSUpstream
import DNSWire
import Quantities
import WireFixtures

/// A forwarder on a fake clock; the test plays sockets and upstreams.
final class ForwarderRig {
    /// A message that went out.
    struct Sent {
        let attempt: Int
        let upstream: Int
        let transport: UpstreamTransport
        let link: Link
        let octets: [UInt8]
        /// Since the rig began.
        let time: Duration

        var id: UInt16 { UInt16(octets[0]) << 8 | UInt16(octets[1]) }
    }

    /// How a question ended.
    enum End: Equatable {
        case answer([UInt8], isTrusted: Bool)
        case failure(ExchangeFailure)
    }

    var forwarder: Forwarder
    let start = MonotonicInstant(nanoseconds: 77_000_000_000)
    var now: MonotonicInstant
    /// Everything sent so far.
    private(set) var sent: [Sent] = []
    /// Every end so far, by tag, with its time.
    private(set) var ends: [(tag: UInt64, end: End, time: Duration)] = []
    /// Upstreams whose sockets cannot send.
    var unreachable: Set<Int> = []
    private var lastLink: UInt64 = 0

    init(upstreams count: Int = 1, options: ForwarderOptions = ForwarderOptions()) {
        now = start
        let upstreams = (0..<count).map { Upstream(name: "u\($0)", isTrusted: $0 == 1) }
        forwarder = Forwarder(
            upstreams: upstreams, options: options, counters: ForwarderCounters(), now: start)
    }

    /// Starts a question; returns what went out.
    @discardableResult
    func begin(_ name: String = "www.example", tag: UInt64 = 1) -> [Sent] {
        var actions = ForwarderActions()
        let query = MessageDraft(id: 0).asking(name).addingOPT().octets
        forwarder.begin(query.span, tag: tag, now: now, actions: &actions)
        return perform(&actions)
    }

    /// Time passes, a millisecond a look at the clock; returns what went out.
    @discardableResult
    func wait(_ duration: Duration) -> [Sent] {
        var out: [Sent] = []
        let end = now + duration
        while now < end {
            now = min(now + .milliseconds(1), end)
            out += tick()
        }
        return out
    }

    /// A look at the clock; returns what went out.
    @discardableResult
    func tick() -> [Sent] {
        var actions = ForwarderActions()
        forwarder.tick(now: now, actions: &actions)
        return perform(&actions)
    }

    /// A message comes; returns whether it belonged to a question, and what went out.
    @discardableResult
    func receive(
        _ octets: [UInt8], over link: Link
    ) -> (belongs: Bool, sent: [Sent]) {
        var actions = ForwarderActions()
        let belongs = forwarder.receive(octets.span, over: link, now: now, actions: &actions)
        return (belongs, perform(&actions))
    }

    /// The right answer to a message comes; returns what went out.
    @discardableResult
    func answer(_ sent: Sent, flags: UInt16 = 0, rcode: UInt16 = 0) -> [Sent] {
        receive(ForwarderRig.answer(sent, flags: flags, rcode: rcode), over: sent.link).sent
    }

    /// A link breaks; returns what went out.
    @discardableResult
    func breakLink(_ link: Link) -> [Sent] {
        var actions = ForwarderActions()
        forwarder.noteFailure(of: link, now: now, actions: &actions)
        return perform(&actions)
    }

    /// The right answer to a message.
    static func answer(
        _ sent: Sent, flags: UInt16 = 0, rcode: UInt16 = 0, name: String = "www.example"
    ) -> [UInt8] {
        MessageDraft(id: sent.id, flags: 0x8180 | flags | rcode).asking(name)
            .adding(name, .a, [192, 0, 2, 1]).octets
    }

    /// The ends of one question.
    func ends(of tag: UInt64) -> [End] { ends.filter { $0.tag == tag }.map(\.end) }

    private func perform(_ actions: inout ForwarderActions) -> [Sent] {
        var out: [Sent] = []
        var done = 0
        while done < actions.sends.count {
            let send = actions.sends[done]
            done += 1
            if unreachable.contains(send.upstream) {
                forwarder.noteUnsent(send.attempt, now: now, actions: &actions)
                continue
            }
            lastLink += 1
            let link = Link(lastLink)
            forwarder.noteSent(send.attempt, over: link)
            out.append(
                Sent(
                    attempt: send.attempt, upstream: send.upstream, transport: send.transport,
                    link: link, octets: Array(actions.octets[send.range]), time: now - start))
        }
        sent += out
        for (tag, ending) in actions.endings {
            let end: End
            switch ending {
            case .answer(let range, let isTrusted):
                end = .answer(Array(actions.octets[range]), isTrusted: isTrusted)
            case .failure(let failure): end = .failure(failure)
            }
            ends.append((tag, end, now - start))
        }
        return out
    }
}
