import Configuration
import Control
import Cryptography
import DomainNames
import FilterCompiler
import FilterIndex
import FilterLists
import ListImpact
import Quantities

/// For machines: one object, described in docs/JSONOutput.md.
extension TryReport {
    /// The object.
    var json: String {
        var writer = JSONWriter()
        writer.object { object in
            object.member("list", candidate.place)
            object.member("format", candidate.options.format.rawValue)
            if let policy { object.member("policy", policy) }
            if let current {
                object.member("snapshot", current.path)
                object.member("snapshotID", "\(current.snapshotID)")
            }
            object.member("names") { $0.object { writeNames(to: &$0) } }
            object.member("errors", candidate.result.diagnosticCount)
            object.member("skipped") { $0.skipped(candidate.result.skipped) }
            if sites != nil { object.member("sites") { $0.object { writeSites(to: &$0) } } }
            if history != nil { object.member("history") { $0.object { writeHistory(to: &$0) } } }
            object.member("cost") { $0.object { writeCost(to: &$0) } }
        }
        return writer.text
    }

    private func writeNames(to object: inout JSONWriter) {
        object.member("total", tally.names)
        object.member("afterCovering", candidate.result.namesAfterCovering)
        object.member("new", tally.new)
        object.strings("examples", tally.examples.map(\.description))
        object.member("blockedAlready", tally.blocked)
        object.member("widened", tally.widened)
        object.member("keptReachable", tally.allowed)
        object.member("excepted", tally.exempt)
        object.member("blockedBy") { write(counts(tally.blockedBy), to: &$0) }
        object.member("allowedBy") { write(counts(tally.allowedBy), to: &$0) }
    }

    private func write(_ counts: [(list: String, names: Int)], to writer: inout JSONWriter) {
        writer.array { array in
            for count in counts {
                array.object {
                    $0.member("list", count.list)
                    $0.member("names", count.names)
                }
            }
        }
    }

    private func writeSites(to object: inout JSONWriter) {
        guard let (file, sample) = sites else { return }
        object.member("file", file)
        object.member("sites", sample.count)
        object.member("unreadLines", sample.unreadLines)
        object.member("blockedNow", sample.blockedBefore)
        object.member("newlyBlocked", sample.newlyBlockedCount)
        object.member("newlyReachable", sample.newlyAllowedCount)
        object.member("blocked") { write(sample.newlyBlocked, to: &$0) }
        object.member("reachable") { write(sample.newlyAllowed, to: &$0) }
    }

    private func write(_ sites: [SiteSample.Site], to writer: inout JSONWriter) {
        writer.array { array in
            for site in sites {
                array.object { object in
                    object.member("rank", site.rank)
                    object.member("name", site.name.description)
                    writeLine(of: site.name, to: &object)
                }
            }
        }
    }

    private func writeHistory(to object: inout JSONWriter) {
        guard let (file, queries) = history else { return }
        object.member("file", file)
        object.member("queries", queries.queries)
        object.member("unreadLines", queries.unreadLines)
        object.member("blockedNow", queries.blockedBefore)
        object.member("newlyBlocked", queries.newlyBlocked)
        object.member("newlyAnswered", queries.newlyAllowed)
        object.member("newlyBlockedNames", queries.newlyBlockedNames)
        object.member("atLeast", queries.isCapped)
        object.member("top") { value in
            value.array { array in
                for asked in queries.top {
                    array.object { object in
                        object.member("name", asked.name.description)
                        object.member("queries", asked.queries)
                        writeLine(of: asked.name, to: &object)
                    }
                }
            }
        }
    }

    private func writeLine(of name: DomainName, to object: inout JSONWriter) {
        guard let line = lines[name] else { return }
        object.member("line", line.number)
        object.member("rule", line.text)
    }

    private func writeCost(to object: inout JSONWriter) {
        object.member("snapshotBytes", cost.snapshotSize.octets)
        object.member("prefilterBytes", cost.prefilterSize.octets)
        object.member("addedSnapshotBytes", cost.addedSize.octets)
        object.member("addedPrefilterBytes", cost.addedPrefilterSize.octets)
        object.member("addedDirectoryBytes", cost.addedDirectorySize.octets)
        if let before = cost.before, let after = cost.after {
            object.member("servingMemoryNowBytes", before.total.octets)
            object.member("servingMemoryBytes", after.total.octets)
            object.member("memoryLimitBytes", after.limit.octets)
            object.member("fits", after.isWithinLimit)
        }
    }
}
