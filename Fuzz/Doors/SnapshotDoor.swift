import DomainNames
import FilterIndex
import LinuxSystem
import Quantities

/// The door of a snapshot file made to lie: mapped, verified and asked as the daemon does.
///
/// Size and checksum are set right first, so that what is wrong reaches the readers behind them. A
/// fault is a trap, a search without end, or a promise below that does not hold.
package struct SnapshotDoor: ~Copyable {
    /// Where each file is written before it is mapped.
    private let path: String
    private let names: [CanonicalName]
    private var scratch = MatchScratch()

    /// Query types that the conditional rules of the corpus tell apart, and one that none names.
    private static let types: [UInt16] = [1, 28, 65, 255]

    /// A door that writes its files in `directory`.
    package init(directory: String) {
        path = "\(directory)/pushed.\(Process.id).sluice"
        let escaped: [[UInt8]] = [[0], [1], [0, 1, 0x2E, 0xFF]]
        names =
            SnapshotDoor.asked.map {
                SnapshotDoor.name($0.utf8.split(separator: UInt8(ascii: ".")))
            }
            + [SnapshotDoor.name(escaped), SnapshotDoor.longest]
    }

    /// Asks a file everything that is asked of snapshots.
    /// - Returns: whether it was taken for a snapshot.
    @discardableResult
    package mutating func push(_ octets: Span<UInt8>) -> Bool {
        let image = SnapshotPatch.repaired(octets)
        do { try FileIO.replace(path: path, with: image.span) } catch {
            preconditionFailure("the scratch directory takes a file: \(error)")
        }
        guard let snapshot = try? Snapshot(path: path) else { return false }
        for kind in SectionKind.allCases {
            precondition(snapshot.size(of: kind).octets <= image.count, "a part is in the file")
        }
        for name in names { ask(snapshot, about: name) }
        for tier in RuleTier.allCases {
            var count = 0
            snapshot.forEachName(of: tier) { _, _ in count += 1 }
            precondition(count <= snapshot.nameCount(of: tier), "a walk ends with the names")
        }
        return true
    }

    private mutating func ask(_ snapshot: Snapshot, about name: borrowing CanonicalName) {
        _ = snapshot.blocksWholeSubtree(of: name, on: .nobody)
        let isCandidate = snapshot.prefilterMightMatch(name)
        for type in SnapshotDoor.types {
            let verdict = snapshot.match(name, type: type, on: .nobody, into: &scratch)
            precondition(
                scratch.observation.prefilterHit == isCandidate, "the prefilter answers once")
            if case .blocked = verdict {
                precondition(
                    isCandidate || snapshot.patternCount > 0,
                    "a miss of the prefilter is final but for patterns")
            }
            check(verdict, of: snapshot)
            check(snapshot.rewriteAnswer(name, type: type, on: .nobody, into: &scratch))
            let allow = snapshot.allowVerdict(name, type: type, on: .nobody, into: &scratch)
            if case .blocked = allow { preconditionFailure("an allow rule does not block") }
            check(allow, of: snapshot)
        }
    }

    private func check(_ verdict: Verdict, of snapshot: Snapshot) {
        switch verdict {
        case .none: break
        case .allowed(let rule, _), .blocked(let rule, _, _), .rewritten(let rule, _):
            _ = snapshot.listName(rule)
        }
    }

    private func check(_ answer: RewriteAnswer?) {
        guard case .records(let records) = answer else { return }
        precondition(records.count <= RewriteAnswer.recordLimit, "records of rewrites are bounded")
    }

    /// Names of the corpus's lists, above, beside and below them; some in no list.
    private static let asked = [
        "", "com", "example", "example.com", "ads.example.com", "a.ads.example.com",
        "b.a.ads.example.com", "adz.example.com", "ad.example.com", "ads1.example.com",
        "example.org", "track.example.org", "www.track.example.org", "good.track.example.org",
        "typed.example.org", "x.typed.example.org", "important.example.net",
        "x.important.example.net", "allowed.example.net", "zzz", "zzz.zzz", "0.0.0.0",
        "_dmarc.example.com", "xn--bcher-kva.example", "shop.xn--bcher-kva.example",
    ]

    private static var longest: CanonicalName {
        name([[UInt8]](repeating: [0x61], count: NameLimits.labelCount))
    }

    private static func name<Label: Collection<UInt8>>(_ labels: [Label]) -> CanonicalName {
        var name = CanonicalName()
        for label in labels {
            let octets = Array(label)
            let added: Void? = try? name.append(label: octets.span)
            precondition(added != nil, "the names asked hold to the limits")
        }
        return name
    }
}
