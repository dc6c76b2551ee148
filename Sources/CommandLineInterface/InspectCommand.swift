import Control
import Cryptography
import FilterIndex
import Quantities

/// `sluice inspect FILE [--json]`
enum InspectCommand {
    /// Verifies the snapshot and prints what it holds.
    static func run(
        _ invocation: Invocation, console: Console
    ) throws(CommandError) -> CommandOutcome {
        let path = invocation.argumentText ?? ""
        let snapshot: Snapshot
        do { snapshot = try Snapshot(path: path) } catch { throw .snapshot(error) }
        console.output(invocation.has(.json) ? json(snapshot) + "\n" : text(snapshot))
        return .good
    }

    private static func bytesPerName(_ snapshot: Snapshot) -> Double {
        let names = snapshot.nameCount
        return names == 0 ? 0 : Double(snapshot.size.octets) / Double(names)
    }

    /// Lines of all lists that made no rule, by kind.
    private static func skipped(_ snapshot: Snapshot) -> [SnapshotManifest.Skipped] {
        var counts: [String: Int] = [:]
        for list in snapshot.manifest.lists {
            for kind in list.skipped { counts[kind.kind, default: 0] += kind.count }
        }
        return counts.sorted { $0.key < $1.key }.map { .init(kind: $0.key, count: $0.value) }
    }

    // MARK: For people

    private static func text(_ snapshot: Snapshot) -> String {
        let filter = snapshot.prefilter
        var text = AlignedText.columns(
            [
                ["snapshot", snapshot.path],
                ["id", "\(snapshot.snapshotID)"],
                [
                    "size",
                    "\(snapshot.size), "
                        + "\(AlignedText.decimal(bytesPerName(snapshot), places: 2)) bytes a name",
                ],
                ["names", AlignedText.count(snapshot.manifest.namesRead)],
                ["after covering", AlignedText.count(snapshot.nameCount)],
                [
                    "prefilter",
                    "\(AlignedText.count(filter.nameCount)) names, "
                        + "\(AlignedText.count(filter.bitCount)) bits, \(filter.hashCount) hashes, "
                        + "false-positive rate \(filter.falsePositiveRate), seed \(filter.seed)",
                ],
            ], indent: 0)
        text += "\nsections\n"
        text += AlignedText.columns(
            SectionKind.allCases.map { kind in
                let names = nameCount(of: kind, in: snapshot)
                let patterns =
                    kind == .patterns
                    ? "\(AlignedText.count(snapshot.patternCount)) patterns" : ""
                return [
                    kind.title.description, "\(snapshot.size(of: kind))",
                    names.map { "\(AlignedText.count($0)) names" } ?? patterns,
                ]
            })
        text += "\nlists\n" + AlignedText.columns(snapshot.manifest.lists.flatMap(rows))
        let kinds = skipped(snapshot)
        guard !kinds.isEmpty else { return text }
        return text + "\nlines without a rule\n"
            + AlignedText.columns(kinds.map { [$0.kind, AlignedText.count($0.count)] })
    }

    private static func rows(_ list: SnapshotManifest.List) -> [[String]] {
        [
            [
                list.name, list.format + (list.isAllowList ? ", allow list" : ""),
                "\(AlignedText.count(list.lineCount)) lines, "
                    + "\(AlignedText.count(list.blockRules)) block, "
                    + "\(AlignedText.count(list.allowRules)) allow, "
                    + "\(AlignedText.count(list.rewriteRules)) rewrite",
            ],
            ["", "from", list.source],
            ["", "sha256", "\(list.digest)"],
        ]
    }

    private static func nameCount(of kind: SectionKind, in snapshot: Snapshot) -> Int? {
        if kind == .conditional { return snapshot.conditionalNameCount }
        if kind == .rewrites { return snapshot.rewriteNameCount }
        return RuleTier.allCases.first { $0.names == kind }.map { snapshot.nameCount(of: $0) }
    }

    // MARK: For machines

    private static func json(_ snapshot: Snapshot) -> String {
        var writer = JSONWriter()
        writer.object { object in
            object.member("file", snapshot.path)
            object.member("version", SnapshotLayout.version)
            object.member("snapshotID", "\(snapshot.snapshotID)")
            object.member("bytes", snapshot.size.octets)
            object.member("names", snapshot.manifest.namesRead)
            object.member("namesAfterCovering", snapshot.nameCount)
            object.member("bytesPerName", bytesPerName(snapshot))
            object.member("prefilter") { value in
                let filter = snapshot.prefilter
                value.object {
                    $0.member("names", filter.nameCount)
                    $0.member("bits", filter.bitCount)
                    $0.member("hashes", filter.hashCount)
                    $0.member("seed", filter.seed)
                    $0.member("falsePositiveRate", filter.falsePositiveRate)
                }
            }
            object.member("sections") { value in
                value.array { array in
                    for kind in SectionKind.allCases {
                        array.object {
                            $0.member("name", kind.title.description)
                            $0.member("bytes", snapshot.size(of: kind).octets)
                            if let names = nameCount(of: kind, in: snapshot) {
                                $0.member("names", names)
                            }
                            if kind == .patterns { $0.member("patterns", snapshot.patternCount) }
                        }
                    }
                }
            }
            object.member("lists") { $0.lists(snapshot.manifest.lists) }
            object.member("skipped") { $0.skipped(skipped(snapshot)) }
        }
        return writer.text
    }
}
