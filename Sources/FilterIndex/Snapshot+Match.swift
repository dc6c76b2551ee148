import DomainNames
import LinuxSystem

extension Snapshot {
    /// Whether a rule of block kind may be on `name` or above it; `false` is certain.
    /// - Complexity: O(octets × labels); no allocation.
    package func prefilterMightMatch(_ name: borrowing CanonicalName) -> Bool {
        let mapped = file
        return tables.prefilterMightMatch(
            wire: name.wire, text: name.text(fromLabel: 0), in: mapped.bytes)
    }

    /// The decision on a question: the gates first, prefilter and patterns, then the exact tables.
    ///
    /// Important allow, important block, important rewrite, allow, rewrite, block, in this order;
    /// inside a tier the longest name decides, and any name before a pattern. Allow rules are
    /// looked up only when a block or rewrite applies, so a name without these is `.none`, listed
    /// as allowed or not: ask `allowVerdict` for that. Rewrites are looked up whatever the gates
    /// say.
    /// - Parameters:
    ///   - occasion: who asks, and when; the verdict is good for no other one when
    ///     `dependsOnOccasion` says so.
    ///   - scratch: room to work in; holds what the prefilter did afterwards.
    /// - Complexity: for a name that no gate lets through, O(octets × labels), and O(octets) for
    ///   each automaton of patterns. Else O(log names) key comparisons for each table asked. No
    ///   allocation.
    package func match(
        _ name: borrowing CanonicalName, type: UInt16, on occasion: Occasion,
        into scratch: inout MatchScratch
    ) -> Verdict {
        let mapped = file
        let wire = name.wire
        let text = name.text(fromLabel: 0)
        let gates = MatchTables.Gates(
            prefilter: tables.prefilterMightMatch(wire: wire, text: text, in: mapped.bytes),
            pattern: tables.findsBlockPattern(in: text, file: mapped.bytes))
        guard gates.prefilter || gates.pattern || tables.hasRewrites else {
            scratch.observation = MatchObservation(prefilterHit: false)
            return .none
        }
        scratch.key.assign(wire: wire, code: tables.nameCode)
        let decision = tables.decide(
            scratch.key.view, text: text, question: .init(type: type, occasion: occasion),
            gates: gates, in: mapped.bytes)
        scratch.observation = decision.observation
        return decision.verdict
    }

    /// What the allow rules say of a question, whether or not a block applies: `.allowed` or
    /// `.none`.
    ///
    /// For decisions that an allow rule settles outside the filter: special-use names, aliases of
    /// an allowed name, and lists that are confirmed elsewhere.
    /// - Complexity: O(log names) key comparisons for each of three tables; no allocation.
    package func allowVerdict(
        _ name: borrowing CanonicalName, type: UInt16, on occasion: Occasion,
        into scratch: inout MatchScratch
    ) -> Verdict {
        scratch.key.assign(wire: name.wire, code: tables.nameCode)
        let mapped = file
        return tables.decideAllow(
            scratch.key.view, text: name.text(fromLabel: 0),
            question: .init(type: type, occasion: occasion), in: mapped.bytes)
    }

    /// The answer of a name whose verdict is `.rewritten`, on the same occasion; `nil` for others.
    /// - Complexity: O(labels × log names) key comparisons; allocates for the answer.
    package func rewriteAnswer(
        _ name: borrowing CanonicalName, type: UInt16, on occasion: Occasion,
        into scratch: inout MatchScratch
    ) -> RewriteAnswer? {
        guard tables.hasRewrites, RewriteRules.take(type) else { return nil }
        scratch.key.assign(wire: name.wire, code: tables.nameCode)
        let mapped = file
        return tables.rewriteRules(in: mapped.bytes).answer(
            for: scratch.key.view.plain, question: .init(type: type, occasion: occasion))
    }
}
