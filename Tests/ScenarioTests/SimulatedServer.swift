import DNSCache
import DNSResolver
import DNSUpstream
import Quantities

/// Resolver, forwarder and cache as the daemon joins them, on a clock that moves when told to; the
/// scripted upstream is the network.
struct SimulatedServer: ~Copyable {
    /// An answer on its way from an upstream.
    private struct Arrival {
        var due: MonotonicInstant
        var link: Link
        var answer: ScriptedUpstream.Answer
    }

    /// The way to an upstream and back.
    private static let travelTime = Duration.milliseconds(1)
    /// Rounds without an end in sight are a fault of what is tested.
    private static let roundLimit = 100_000

    private(set) var now = MonotonicInstant(nanoseconds: 1_000_000_000_000)
    /// What clients got, by token.
    private(set) var replies: [UInt32: (octets: [UInt8], at: MonotonicInstant)] = [:]
    let resolverCounters = ResolverCounters()
    private let upstream: ScriptedUpstream
    private let addresses: [String]
    private var resolver: Resolver
    private var forwarder: Forwarder
    private var actions = ResolverActions()
    private var forwarding = ForwarderActions()
    private var arrivals: [Arrival] = []
    private var linkCount: UInt64 = 0

    init(
        options: ResolverOptions, filters: FilterSet, addresses: [String],
        upstream: ScriptedUpstream
    ) {
        self.upstream = upstream
        self.addresses = addresses
        resolver = Resolver(
            options: options, cache: AnswerCache(size: .mebibytes(1), seed: 0x5EED),
            filters: filters, counters: resolverCounters)
        // As the daemon has it for loopback addresses, where the scripted upstreams really are.
        forwarder = Forwarder(
            upstreams: addresses.map { Upstream(name: $0, isTrusted: true) },
            options: ForwarderOptions(), counters: ForwarderCounters(), now: now)
    }

    /// Puts another filter in force.
    mutating func replaceFilters(_ filters: FilterSet) { resolver.install(filters) }

    /// Takes a client's query.
    mutating func receive(_ octets: [UInt8], from client: Client) {
        resolver.receive(octets.span, from: client, now: now, actions: &actions)
        settle()
    }

    /// Lets time pass until `end`, or until a client has its answer.
    mutating func advance(to end: MonotonicInstant, orAnswerTo token: UInt32? = nil) {
        for _ in 0..<SimulatedServer.roundLimit {
            if let token, replies[token] != nil { return }
            guard let next = nextEvent, next <= end else {
                now = max(now, end)
                return
            }
            now = max(now, next)
            deliver()
            forwarder.tick(now: now, actions: &forwarding)
            settle()
            resolver.tick(now: now, actions: &actions)
            settle()
        }
        preconditionFailure("the clock does not move on: events at \(now) never end")
    }

    private var nextEvent: MonotonicInstant? {
        var next = arrivals.first?.due
        for tick in [forwarder.nextTick, resolver.nextTick] {
            if let tick { next = next.map { min($0, tick) } ?? tick }
        }
        return next
    }

    private mutating func deliver() {
        while let arrival = arrivals.first, arrival.due <= now {
            arrivals.removeFirst()
            guard upstream.isCurrent(arrival.answer) else { continue }
            forwarder.receive(
                arrival.answer.octets.span, over: arrival.link, now: now, actions: &forwarding)
            settle()
        }
    }

    /// Does what the resolver and the forwarder want done, until neither wants more.
    private mutating func settle() {
        repeat {
            for ask in actions.asks {
                let query = Array(actions.octets[ask.range])
                forwarder.begin(
                    query.span, tag: ask.question.tag, now: now, actions: &forwarding)
            }
            collectReplies()
            actions.removeAll()
            sendToUpstreams()
            for (tag, ending) in forwarding.endings {
                let question = QuestionToken(tag: tag)
                switch ending {
                case .answer(let range, let isTrusted):
                    let message = Array(forwarding.octets[range])
                    resolver.complete(
                        question, with: message.span, isTrusted: isTrusted, now: now,
                        actions: &actions)
                case .failure(let failure):
                    resolver.fail(
                        question, because: UpstreamFailure(failure), now: now, actions: &actions)
                }
            }
            forwarding.removeAll()
        } while !actions.asks.isEmpty || !actions.replies.isEmpty || !actions.drops.isEmpty
    }

    private mutating func collectReplies() {
        for reply in actions.replies {
            let token = reply.client.number
            precondition(replies[token] == nil, "a query has one answer")
            replies[token] = (Array(actions.octets[reply.range]), now)
        }
    }

    private mutating func sendToUpstreams() {
        for send in forwarding.sends {
            linkCount += 1
            let link = Link(linkCount)
            forwarder.noteSent(send.attempt, over: link)
            let query = Array(forwarding.octets[send.range])
            let transport: ScriptedUpstream.Transport = send.transport == .udp ? .udp : .tcp
            let address = addresses[send.upstream]
            guard let answer = upstream.answer(query, at: address, over: transport) else {
                continue
            }
            let arrival = Arrival(
                due: now + SimulatedServer.travelTime + answer.delay,
                link: link, answer: answer)
            let index = arrivals.firstIndex { $0.due > arrival.due } ?? arrivals.count
            arrivals.insert(arrival, at: index)
        }
    }
}

extension QuestionToken {
    fileprivate var tag: UInt64 { UInt64(slot) << 32 | UInt64(generation) }

    fileprivate init(tag: UInt64) {
        self.init(
            slot: UInt32(truncatingIfNeeded: tag >> 32), generation: UInt32(truncatingIfNeeded: tag)
        )
    }
}

extension UpstreamFailure {
    fileprivate init(_ failure: ExchangeFailure) {
        switch failure {
        case .timeout, .overloaded: self = .timeout
        case .unreachable: self = .unreachable
        case .failedUpstream: self = .failedUpstream
        case .malformed: self = .malformed
        }
    }
}
