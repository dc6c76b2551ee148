import DNSResolver
import DNSWire
import FilterCompiler
import FilterIndex
import QueryEvents
import Testing
import WireFixtures

/// Own rules decide before the lists of a policy, for names and for what they lead to.
@Suite struct OwnRulesTests {
    private static let lists =
        "||listed.example^\n||forced.example^$important\n@@||free.example^\n"
        + "@@||freed.example^$important\n||free.example^\n||freed.example^"

    private func rig(
        _ own: String, options: ResolverOptions = ResolverOptions()
    ) throws -> ResolverRig {
        let rig = try ResolverRig(lists: [Self.lists], options: options)
        try install(own, into: rig, epoch: 2)
        return rig
    }

    private func install(_ own: String, into rig: ResolverRig, epoch: UInt32) throws {
        let image = try OwnRules(Array(own.utf8)).image(policy: "default", at: 0)
        let overlay = try image.map { try ResolverRig.opened(octets: $0) }
        let policy = try #require(rig.resolver.filters.policies.first)
        rig.resolver.install(
            FilterSet(
                policies: [
                    .init(name: policy.name, snapshot: policy.snapshot, ownRules: overlay)
                ], epoch: epoch))
    }

    private func isBlocked(_ step: ResolverRig.Step) -> Bool {
        step.reply?.message.rcode == 3 && step.asks.isEmpty
    }

    @Test func anOwnRuleDecidesBeforeTheLists() throws {
        let rig = try rig(
            "allow listed.example\nallow forced.example\nblock free.example\n"
                + "block freed.example\nblock new.example\n")
        for name in ["listed.example", "forced.example"] {
            #expect(try rig.ask(name).asks.count == 1, "\(name)")
        }
        // An own rule on the name alone leaves the names below to the lists.
        for name in [
            "free.example", "freed.example", "new.example", "x.listed.example", "x.forced.example",
        ] {
            #expect(isBlocked(try rig.ask(name)), "\(name)")
        }
        #expect(try rig.ask("x.new.example").asks.count == 1)
    }

    @Test func anOwnRuleOutdoesRewritesAndBlocksWhereTheyLead() throws {
        let rewrites = """
            ||nas.example^$dnsrewrite=192.0.2.1
            ||hard.example^$dnsrewrite=192.0.2.2,important
            |led.example^$dnsrewrite=target.example
            """
        let rig = try ResolverRig(lists: [rewrites])
        try install(
            "allow nas.example\nblock hard.example\nblock target.example\n", into: rig, epoch: 2)
        #expect(try rig.ask("nas.example").asks.count == 1)
        #expect(try rig.ask("x.nas.example").reply?.outcome == .rewritten(list: 0))
        #expect(isBlocked(try rig.ask("hard.example")))
        let led = try #require(try rig.ask("led.example").reply)
        #expect(led.outcome == .blockedByAlias(list: RuleReference.own.list))
        #expect(led.message.rcode == 3 && led.message.question == "led.example")
    }

    @Test func theAnswerNamesTheOwnRules() throws {
        let rig = try rig("block new.example\n")
        let reply = try #require(try rig.ask("new.example", edns: 1232).reply)
        #expect(reply.outcome == .blocked(list: RuleReference.own.list))
        #expect(reply.octets.contains(sequence: Array("blocked by list own".utf8)))
    }

    @Test func withoutListsOwnRulesAreInForce() throws {
        let rig = try ResolverRig()
        let image = try OwnRules(Array("block new.example".utf8)).image(policy: "default", at: 0)
        let overlay = try ResolverRig.opened(octets: try #require(image))
        rig.resolver.install(
            FilterSet(
                policies: [.init(name: "policy0", snapshot: nil, ownRules: overlay)], epoch: 2))
        #expect(isBlocked(try rig.ask("new.example")))
        #expect(try rig.ask("ads.example").asks.count == 1)
    }

    /// Asks a name whose answer leads to another; whether the answer got through.
    private func leads(_ name: String, to target: String, _ rig: ResolverRig) throws -> Bool {
        let step = try rig.ask(name)
        guard let ask = step.ask else { return step.reply?.message.rcode == 0 }
        let answer = MessageDraft(flags: 0x8180).asking(name, .a)
            .adding(name, .cname, MessageDraft.wire(target))
            .adding(target, .a, [192, 0, 2, 1])
        return try rig.answer(ask, answer).reply?.message.rcode == 0
    }

    @Test func targetsAreJudgedByOwnRulesToo() throws {
        let rig = try rig(
            "allow listed.example\nblock new.example\nallow mine.example\n")
        #expect(try leads("www.example", to: "listed.example", rig))
        #expect(try !leads("a.example", to: "new.example", rig))
        #expect(try !leads("b.example", to: "forced.example", rig))
        // An own rule that allows the name lets pass what it leads to; a rule of a list does not
        // outdo an own block.
        #expect(try leads("mine.example", to: "forced.example", rig))
        #expect(try !leads("freed.example", to: "new.example", rig))
    }

    @Test func aCachedAnswerIsJudgedAgainWhenOwnRulesChangeOrEnd() throws {
        let rig = try rig("block unrelated.example until 50\n")
        rig.resolver.setWallClock(seconds: 10)
        #expect(try leads("www.example", to: "cdn.example", rig))
        #expect(try leads("www.example", to: "cdn.example", rig))
        try install("block cdn.example until 20\n", into: rig, epoch: 3)
        #expect(try !leads("www.example", to: "cdn.example", rig))
        rig.resolver.setWallClock(seconds: 20)
        #expect(try leads("www.example", to: "cdn.example", rig))
        try install("", into: rig, epoch: 4)
        #expect(try leads("www.example", to: "cdn.example", rig))
    }

    /// RFC 8020 §2: NXDOMAIN would deny what own rules let through below.
    @Test func safeNXDOMAINHeedsOwnRules() throws {
        var options = ResolverOptions()
        options.blockResponse = .nxdomainSafe
        let rig = try rig(
            "allow ok.listed.example\nblock new.example subtree\nblock alone.example\n",
            options: options)
        func rcode(_ name: String) throws -> UInt16? { try rig.ask(name).reply?.message.rcode }
        #expect(try rcode("listed.example") == 0)
        #expect(try rcode("new.example") == 3)
        #expect(try rcode("x.forced.example") == 3)
        #expect(try rcode("alone.example") == 0)
        #expect(try rig.ask("listed.example", .ds).asks.count == 1)
    }
}

extension Array<UInt8> {
    fileprivate func contains(sequence: [UInt8]) -> Bool {
        indices.contains { self[$0...].starts(with: sequence) }
    }
}
