import Cryptography
import DomainNames
import FilterCompiler
import FilterIndex
import Foundation
import Quantities
import Testing
import WireFixtures

/// A damaged file is refused at open with its reason; a file made to lie harms nothing.
@Suite struct DamagedSnapshotTests {
    private static let rules: [NaiveFilter.Rule] = {
        var rules: [NaiveFilter.Rule] = []
        let names = ["ads", "track", "x", "a", "b"]
        for (number, name) in names.enumerated() {
            for top in ["com", "org", "net", "de", "fr", "test", "example"] {
                let labels = [Array(name.utf8), Array("s\(number)".utf8), Array(top.utf8)]
                rules.append(
                    .init(
                        name: labels, scope: NameScope.allCases[number % 3],
                        isAllow: number == 3, list: UInt16(number % 2)))
            }
        }
        rules.append(
            .init(
                name: [Array("cond".utf8), Array("com".utf8)], scope: .subtree, answer: .noData,
                types: [1, 28], exceptions: [([Array("ok".utf8)], .subtree)]))
        for number in 0..<4 {
            let address = IPAddress(high: 10 << 56 | 1 << 32, low: 0, isIPv4: number < 2)
            rules.append(
                .init(
                    name: [Array("client\(number)".utf8), Array("com".utf8)], scope: .subtree,
                    isAllow: number == 3,
                    clients: [
                        RuleClient(AddressPrefix(address, bits: 20 + number)),
                        RuleClient(AddressPrefix(address, bits: 32), isExcluded: true),
                    ], until: number == 1 ? nil : Int64(number) << 30))
        }
        rules.append(
            .init(
                name: [Array("imp".utf8), Array("com".utf8)], scope: .below, isImportant: true))
        return rules
    }()

    /// The rules, and rewrites with answers of each kind on some of their names.
    private func image() throws -> [UInt8] {
        var policy = PolicyRules()
        for rule in Self.rules { policy.add(rule.policyRule) }
        let answers: [RewriteAnswer?] = [
            .records([RewriteRecord(type: 1, data: [192, 0, 2, 1])]), .rcode(2),
            .alias([1, 0x61, 0]), nil,
        ]
        for (number, rule) in Self.rules.enumerated() where number % 4 == 0 {
            var rule = rule.policyRule
            let answer = answers[number / 4 % 4]
            rule.isAllow = answer == nil
            policy.add(PolicyRewrite(rule, answer: answer))
        }
        return try SnapshotBuilder().image(
            of: policy, manifest: SnapshotFixture.manifest(lists: 2))
    }

    private func error(_ octets: [UInt8]) -> SnapshotError? {
        do throws(SnapshotError) {
            _ = try SnapshotContents(verifying: octets.span, path: "f")
            return nil
        } catch {
            return error
        }
    }

    @Test func aWholeFileIsTaken() throws {
        #expect(error(try image()) == nil)
    }

    @Test func everyFlippedOctetIsRefused() throws {
        let good = try image()
        for index in good.indices {
            var bad = good
            bad[index] ^= UInt8(1 << (index % 8))
            #expect(error(bad) != nil, "octet \(index)")
        }
    }

    @Test func everyTruncationIsRefusedAsOne() throws {
        let good = try image()
        for size in good.indices {
            let found = error(Array(good.prefix(size)))
            switch found {
            case .truncated(_, let found, _): #expect(found == size)
            case .notASnapshot: #expect(size == 0)
            default: Issue.record("\(size) octets: \(String(describing: found))")
            }
        }
    }

    @Test func errorsSayWhy() throws {
        let good = try image()
        var newer = good
        newer[8] = 9
        #expect(error(newer)?.description == "f: version 9 is newer than this program (2)")
        #expect(
            error(Array(good.prefix(good.count - 1)))?.description
                == "f: truncated: \(good.count - 1) of \(good.count) octets")
        #expect(error(Array("0.0.0.0 a.example".utf8))?.description == "f: not a Sluice snapshot")
        var flipped = good
        flipped[good.count - 1] ^= 1
        #expect(error(flipped)?.description == "f: checksum differs")
        #expect(
            error(good + [0])?.description
                == "f: \(good.count + 1) octets where its header says \(good.count)")
        #expect(throws: SnapshotError.self) { try Snapshot(path: "/nonexistent/x.sluice") }
    }

    /// The checksum guards against damage, not against a liar: with a right checksum over wrong
    /// octets the reader may mislead, but must neither trap nor loop.
    @Test(arguments: 0..<1500 as Range<UInt64>)
    func aLyingFileHarmsNothing(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var image = try image()
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
            let index = Int.random(in: SnapshotLayout.tableOffset..<image.count, using: &generator)
            image[index] =
                [0, 1, 0x7F, 0x80, 0xFF, UInt8.random(in: 0...255, using: &generator)]
                .randomElement(using: &generator) ?? 0
        }
        let checksum = SnapshotLayout.checksum(of: image.span)
        for index in 0..<SHA256Digest.size {
            image[SnapshotLayout.checksumOffset + index] = checksum.octets[index]
        }
        guard error(image) == nil else { return }
        let snapshot = try SnapshotFixture.open(image)
        var answered = 0
        let occasion = Occasion(
            client: IPAddress(high: 10 << 56, low: 0, isIPv4: true), seconds: 5)
        for rule in Self.rules {
            for labels in [rule.name, [Array("q".utf8)] + rule.name, Array(rule.name.dropFirst())] {
                let name = CanonicalName(domainName(labels))
                var scratch = MatchScratch()
                let verdict = snapshot.match(name, type: 1, on: occasion, into: &scratch)
                if case .blocked(let reference, _, _) = verdict {
                    #expect(snapshot.listName(reference).utf8.count <= 255, "seed \(seed)")
                }
                _ = snapshot.allowVerdict(name, type: 1, on: occasion, into: &scratch)
                _ = snapshot.rewriteAnswer(name, type: 1, on: occasion, into: &scratch)
                _ = snapshot.blocksWholeSubtree(of: name, on: occasion)
                answered += 1
            }
        }
        #expect(answered == 3 * Self.rules.count)
    }
}
