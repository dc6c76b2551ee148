import Configuration
import DomainNames
import FilterCompiler
import FilterIndex
import FilterLists
import ListImpact
import ListUpdates

/// What `sluice try` prints: what is new in the list, what that would block, what it costs.
struct TryReport {
    /// The list.
    let candidate: CandidateList
    /// The policy that it may join; `nil` for a snapshot that was named.
    let policy: String?
    /// What is in force; `nil` when the policy was never compiled.
    let current: Snapshot?
    /// The sample of sites and what becomes of them; `nil` without a sample.
    let sites: (file: String, sample: SiteSample)?
    /// The queries and what becomes of them; `nil` without any.
    let history: (file: String, queries: QueryHistory)?
    /// The list's names by what the policy says of them.
    let tally: CandidateWalk.Tally
    /// The lines that speak of the names shown.
    let lines: [DomainName: CandidateWalk.Line]
    /// What it costs.
    let cost: TryCost

    /// Sites that are shown to people.
    private static let shownSites = 20
    /// Examples of new names that are shown in a line.
    private static let shownNames = 3

    /// What is odd about the list as a whole, and how many of its lines are wrong.
    var warnings: [String] {
        var warnings: [String] = []
        for list in candidate.result.lists {
            if let suspicion = ListSuspicion(list) {
                warnings.append(suspicion.text(list, path: candidate.place))
            }
        }
        let wrong = candidate.result.diagnosticCount
        if wrong > 0 {
            warnings.append(
                "wrong lines: \(AlignedText.count(wrong)); see: sluice lint "
                    + "\(candidate.place):\(candidate.options.format.rawValue)")
        }
        return warnings
    }

    /// The name of a list of the policy.
    func listName(_ list: Int) -> String {
        let lists = current?.manifest.lists ?? []
        return list < lists.count ? lists[list].name : "?"
    }

    /// Lists with their counts, the highest count first.
    func counts(_ byList: [Int: Int]) -> [(list: String, names: Int)] {
        byList.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { (listName($0.key), $0.value) }
    }

    // MARK: For people

    /// All of it.
    var text: String {
        var text = Console.printable(headline) + "\n" + AlignedText.columns(nameRows)
        text += sitesText + historyText + costText
        return text
    }

    private var headline: String {
        let names = AlignedText.count(tally.names)
        let place =
            switch (policy, current) {
            case (nil, _): "beside \(current?.path ?? "")"
            case (let policy?, nil): "beside policy \(policy), which was never compiled"
            case (let policy?, _): "beside policy \(policy)"
            }
        return "\(candidate.place): \(names) names to block, read as "
            + "\(candidate.options.format.rawValue), \(place)"
    }

    private var nameRows: [[String]] {
        let total = Int64(tally.names)
        func row(_ title: String, _ count: Int, _ remark: String) -> [String] {
            [title, AlignedText.count(count), AlignedText.share(Int64(count), of: total), remark]
        }
        var new = tally.examples.prefix(Self.shownNames).map(\.description)
            .joined(separator: ", ")
        if tally.new > Self.shownNames { new += ", …" }
        var rows = [row("new", tally.new, new)]
        rows.append(row("blocked already", tally.blocked, Self.text(counts(tally.blockedBy))))
        if tally.widened > 0 {
            rows.append(
                row("  of these", tally.widened, "would be blocked with all names below them"))
        }
        if tally.allowed > 0 {
            rows.append(row("kept reachable", tally.allowed, Self.text(counts(tally.allowedBy))))
        }
        if tally.exempt > 0 {
            rows.append(row("not blocked", tally.exempt, "the list itself makes an exception"))
        }
        return rows
    }

    /// `list ads 12, list more 3`
    private static func text(_ counts: [(list: String, names: Int)]) -> String {
        counts.map { "list \($0.list) \(AlignedText.count($0.names))" }.joined(separator: ", ")
    }

    private var sitesText: String {
        guard let (file, sample) = sites else {
            return "sites: none to ask for; name a file of sites by --sites FILE\n"
        }
        let new = sample.newlyBlockedCount
        var text =
            "sites: \(AlignedText.count(new)) of \(AlignedText.count(sample.count)) would be "
            + "blocked, \(AlignedText.count(sample.blockedBefore)) are now (\(file))"
        if sample.newlyAllowedCount > 0 {
            text +=
                "; \(AlignedText.count(sample.newlyAllowedCount)) of these would be reachable"
        }
        text = Console.printable(text) + "\n"
        let shown = sample.newlyBlocked.prefix(Self.shownSites)
        text += AlignedText.columns(
            shown.map {
                ["#\(AlignedText.count($0.rank))", $0.name.description, line(of: $0.name)]
            }
        )
        if new > shown.count { text += "  and \(AlignedText.count(new - shown.count)) more\n" }
        return text + Self.unread(sample.unreadLines)
    }

    private var historyText: String {
        guard let (file, queries) = history else { return "" }
        let total = Int64(queries.queries)
        func share(_ count: Int) -> String {
            let share = AlignedText.share(Int64(count), of: total)
            return AlignedText.count(count) + (share.isEmpty ? "" : " (\(share))")
        }
        var text =
            "queries: \(share(queries.newlyBlocked)) of \(AlignedText.count(total)) would be "
            + "blocked, \(share(queries.blockedBefore)) are now (\(file))"
        if queries.newlyAllowed > 0 {
            text += "; \(share(queries.newlyAllowed)) of these would be answered"
        }
        text = Console.printable(text) + "\n"
        let top = queries.top
        text += AlignedText.columns(
            top.map { [AlignedText.count($0.queries), $0.name.description, line(of: $0.name)] })
        let rest = queries.newlyBlockedNames - top.count
        if rest > 0 {
            let least = queries.isCapped ? "at least " : ""
            text += "  and \(least)\(AlignedText.count(rest)) more names\n"
        }
        return text + Self.unread(queries.unreadLines)
    }

    /// `line 12: ||ads.example^`
    private func line(of name: DomainName) -> String {
        lines[name].map { "line \($0.number): \($0.text)" } ?? ""
    }

    private static func unread(_ lines: Int) -> String {
        lines == 0 ? "" : "  \(AlignedText.count(lines)) lines are not understood\n"
    }

    private var costText: String {
        var text =
            "cost: a snapshot grows by about \(cost.addedSize), \(cost.addedPrefilterSize) of it "
            + "always in memory\n"
        if let before = cost.before, let after = cost.after {
            text +=
                "serving memory: \(after.total) of \(after.limit), now \(before.total)"
                + (after.isWithinLimit ? "\n" : "; that does not fit: \(after.refusal)\n")
        }
        return text
    }
}
