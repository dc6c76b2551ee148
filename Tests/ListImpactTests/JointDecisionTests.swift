import DomainNames
import FilterIndex
import FilterLists
import Testing
import WireFixtures

@testable import ListImpact

/// Two snapshots asked together say what one snapshot of all their lists says.
@Suite struct JointDecisionTests {
    private static func isBlocked(_ snapshot: Snapshot, _ name: CanonicalName, _ type: UInt16)
        -> Bool
    {
        var scratch = MatchScratch()
        if case .blocked = snapshot.match(name, type: type, on: .nobody, into: &scratch) {
            return true
        }
        return false
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func theyAgreeWithACompilationOfBoth(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let policy = (0..<generator.number(0..<4)).map { _ in generator.list() }
        let candidate = generator.list()
        let current = try ListFixture.compile(policy)
        let joint = try ListFixture.compile(policy + [candidate])
        var decision = JointDecision(
            current: current, candidate: try ListFixture.compile([candidate]))
        for _ in 0..<40 {
            let text = generator.fewName()
            let name = CanonicalName(try DomainName(text: text))
            for type: UInt16 in [1, 28] {
                let change = decision.change(of: name, type: type)
                #expect(
                    change.wasBlocked == Self.isBlocked(current, name, type)
                        && change.isBlocked == Self.isBlocked(joint, name, type),
                    "seed \(seed): \(text) type \(type): \(change)")
            }
        }
    }

    @Test func withoutAPolicyTheListDecidesAlone() throws {
        let candidate = ListFixture(format: .adblock, text: "||a.example^\n@@||b.a.example^")
        var decision = JointDecision(
            current: nil, candidate: try ListFixture.compile([candidate]))
        let blocked = CanonicalName(try DomainName(text: "x.a.example"))
        let allowed = CanonicalName(try DomainName(text: "b.a.example"))
        #expect(
            decision.change(of: blocked, type: 1) == .init(wasBlocked: false, isBlocked: true))
        #expect(
            decision.change(of: allowed, type: 1) == .init(wasBlocked: false, isBlocked: false))
    }
}
