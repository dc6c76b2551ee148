import Cryptography
import DNSCache
import DNSResolver
import DNSWire
import FilterCompiler
import FilterIndex
import FilterLists
import Foundation
import Quantities
import QueryEvents
import WireFixtures

/// A resolver on a fake clock, its upstream played by the test.
final class ResolverRig {
    /// A reply, read.
    struct Reply {
        let token: UInt32
        let octets: [UInt8]
        let message: MessageReading
        let outcome: QueryOutcome
    }

    /// A question to the upstream.
    struct Ask {
        let question: QuestionToken
        let octets: [UInt8]
        let message: MessageReading
    }

    /// What one event led to.
    struct Step {
        var replies: [Reply] = []
        var drops: [UInt32] = []
        var asks: [Ask] = []
    }

    var resolver: Resolver
    let cache: AnswerCache
    var now = MonotonicInstant(nanoseconds: 1_000_000_000_000)
    private var lastToken: UInt32 = 0

    init(
        lists: [String]? = nil, options: ResolverOptions = ResolverOptions(),
        cacheSize: ByteCount = .mebibytes(2)
    ) throws {
        cache = AnswerCache(size: cacheSize, seed: 7)
        resolver = Resolver(
            options: options, cache: cache,
            filters: try ResolverRig.filters(lists ?? ["||ads.example^"], epoch: 1),
            counters: ResolverCounters())
    }

    /// A filter with one policy for each text in adblock syntax; list N is named `listN`.
    static func filters(_ lists: [String], epoch: UInt32) throws -> FilterSet {
        let policies = try lists.enumerated().map { index, text in
            FilterSet.Policy(
                name: "policy\(index)", snapshot: try snapshot(text, name: "list\(index)"))
        }
        return FilterSet(policies: policies, epoch: epoch)
    }

    /// A filter with one policy, whose only list has these rules.
    static func filters(rules: [PolicyRule], epoch: UInt32) throws -> FilterSet {
        var policy = PolicyRules()
        for rule in rules { policy.add(rule) }
        let list = SnapshotManifest.List(
            name: "own", source: "", format: "adblock", isAllowList: false,
            digest: SHA256.digest(of: [UInt8]().span), textSize: 0, lineCount: 0, blockRules: 0,
            allowRules: 0, skipped: [])
        let image = try SnapshotBuilder().image(
            of: policy,
            manifest: SnapshotManifest(namesRead: rules.count, namesKept: 0, lists: [list]))
        let snapshot = try opened(octets: image)
        return FilterSet(policies: [.init(name: "policy0", snapshot: snapshot)], epoch: epoch)
    }

    private static func snapshot(_ text: String, name: String) throws -> Snapshot {
        let source = ListSource(
            name: name, text: .octets(Array(text.utf8)), options: ListOptions(format: .adblock))
        return try opened { _ = try Compilation(lists: [source]).write(to: $0.path) }
    }

    /// The snapshot that these octets are.
    static func opened(octets: [UInt8]) throws -> Snapshot {
        try opened { try Data(octets).write(to: $0) }
    }

    private static func opened(_ write: (URL) throws -> Void) throws -> Snapshot {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("sluice-resolver-\(UUID().uuidString).sluice")
        defer { try? FileManager.default.removeItem(at: url) }
        try write(url)
        return try Snapshot(path: url.path)
    }

    /// Puts another filter in force.
    func reload(_ lists: [String], epoch: UInt32) throws {
        resolver.install(try ResolverRig.filters(lists, epoch: epoch))
    }

    /// A client sends octets.
    func send(
        _ octets: [UInt8], from address: String? = nil, policy: Int? = 0,
        transport: Client.Transport = .udp, isAllowed: Bool = true
    ) throws -> Step {
        lastToken += 1
        var actions = ResolverActions()
        resolver.receive(
            octets.span,
            from: Client(
                token: ClientToken(lastToken),
                address: address.flatMap { IPAddress(text: $0) }, policy: policy,
                isAllowed: isAllowed, transport: transport),
            now: now, actions: &actions)
        return try step(actions)
    }

    /// A client asks.
    func ask(
        _ name: String, _ type: RecordType = .a, from address: String? = nil, policy: Int? = 0,
        edns: UInt16? = nil, bits: UInt32 = 0, flags: UInt16 = 0x0100,
        transport: Client.Transport = .udp
    ) throws -> Step {
        var draft = MessageDraft(flags: flags).asking(name, type)
        if let edns { draft = draft.addingOPT(size: edns, bits: bits) }
        return try send(draft.octets, from: address, policy: policy, transport: transport)
    }

    /// The upstream answers.
    func answer(_ ask: Ask, _ draft: MessageDraft, isTrusted: Bool = false) throws -> Step {
        var actions = ResolverActions()
        resolver.complete(
            ask.question, with: draft.octets.span, isTrusted: isTrusted, now: now,
            actions: &actions)
        return try step(actions)
    }

    /// The forwarder gives up.
    func fail(_ ask: Ask, _ failure: UpstreamFailure = .timeout) throws -> Step {
        var actions = ResolverActions()
        resolver.fail(ask.question, because: failure, now: now, actions: &actions)
        return try step(actions)
    }

    /// Time passes; the resolver looks at the clock.
    func wait(_ duration: Duration) throws -> Step {
        now = now + duration
        var actions = ResolverActions()
        resolver.tick(now: now, actions: &actions)
        return try step(actions)
    }

    private func step(_ actions: ResolverActions) throws -> Step {
        Step(
            replies: try actions.replies.map { reply in
                let octets = Array(actions.octets[reply.range])
                return Reply(
                    token: reply.client.number, octets: octets, message: try MessageReading(octets),
                    outcome: reply.outcome)
            },
            drops: actions.drops.map(\.number),
            asks: try actions.asks.map { ask in
                let octets = Array(actions.octets[ask.range])
                return Ask(
                    question: ask.question, octets: octets, message: try MessageReading(octets))
            })
    }
}

extension ResolverRig.Step {
    /// The only reply, when nothing else was done.
    var reply: ResolverRig.Reply? {
        replies.count == 1 && drops.isEmpty && asks.isEmpty ? replies[0] : nil
    }

    /// The only question to the upstream, when nothing else was done.
    var ask: ResolverRig.Ask? {
        asks.count == 1 && drops.isEmpty && replies.isEmpty ? asks[0] : nil
    }

    /// Whether nothing was done.
    var isEmpty: Bool { replies.isEmpty && drops.isEmpty && asks.isEmpty }
}

/// An upstream's answer to a question.
func answer(
    _ name: String, _ type: RecordType = .a, rcode: UInt16 = 0, flags: UInt16 = 0
) -> MessageDraft {
    MessageDraft(id: 9, flags: MessageDraft.answerFlags | flags | rcode).asking(name, type)
}
