import Control
import LinuxSystem
import ListUpdates
import Quantities

/// The daemon's status for people: a few aligned sections of what it is known to say.
enum StatusText {
    /// Figures of the section on queries: member, label, and whether its share of all is told.
    private static let counters: [(member: String, label: String, isShared: Bool)] = [
        ("queries", "queries", false), ("blocked", "blocked", true),
        ("rewritten", "rewritten", true),
        ("cacheHits", "from the cache", true), ("forwarded", "forwarded", true),
        ("coalesced", "coalesced", true), ("failed", "failed", true),
        ("refused", "refused", true), ("malformed", "malformed", false),
        ("prefilterHits", "prefilter hits", true),
        ("prefilterFalsePositives", "of them false", false),
    ]

    /// The sections of a status reply; members that are missing are left out.
    static func text(of reply: JSONValue) -> String {
        var head: [[String]] = []
        head.append(["state", reply["state"]?.string ?? "unknown"])
        if let error = reply["lastError"]?.string { head.append(["last error", error]) }
        if let seconds = reply["uptimeSeconds"]?.integer {
            head.append(["up for", time(seconds)])
        }
        if let number = reply["processID"]?.integer { head.append(["process", "\(number)"]) }
        var text = AlignedText.columns(head, indent: 0)
        text += section("policies", policies(reply))
        text += section("paused", pauses(reply))
        text += section("queries", queries(reply))
        text += section("memory", memory(reply))
        text += section("upstreams", upstreams(reply))
        return text
    }

    /// The section on lists that are fetched; empty without any.
    static func lists(_ lists: [ListStatus]) -> String {
        let now = Clock.wallSeconds()
        return section(
            "lists",
            lists.map { list in
                var words = list.state
                if let fault = list.fault {
                    words += " for \(time(now - fault.time)): \(Console.printable(fault.text))"
                }
                let text = list.text.map {
                    "\(AlignedText.count($0.rules)) rules, \(time(now - $0.time)) old"
                }
                return [list.name, text ?? "", words]
            })
    }

    private static func section(_ title: String, _ rows: [[String]]) -> String {
        rows.isEmpty ? "" : "\n\(title)\n" + AlignedText.columns(rows)
    }

    private static func policies(_ reply: JSONValue) -> [[String]] {
        (reply["policies"]?.items ?? []).map { policy in
            let names = policy["names"]?.integer.map { "\(AlignedText.count($0)) names" } ?? ""
            let identity = policy["snapshotID"]?.string.map { String($0.prefix(16)) }
            let own = policy["ownRules"]?.integer ?? 0
            return [
                policy["name"]?.string ?? "?", names, identity ?? "not compiled",
                own > 0 ? "\(AlignedText.count(own)) own rules" : "",
            ]
        }
    }

    private static func pauses(_ reply: JSONValue) -> [[String]] {
        (reply["pauses"]?.items ?? []).map { pause in
            let client = pause["client"]?.string ?? "*"
            let left = pause["secondsLeft"]?.integer
            return [
                client == "*" ? "all clients" : client,
                left.map { "for \(time($0))" } ?? "until sluice resume",
            ]
        }
    }

    private static func queries(_ reply: JSONValue) -> [[String]] {
        let total = reply["queries"]?.integer ?? 0
        return counters.compactMap { counter in
            guard let number = reply[counter.member]?.integer else { return nil }
            let share = counter.isShared ? AlignedText.share(number, of: total) : ""
            return [counter.label, AlignedText.count(number), share]
        }
    }

    private static func memory(_ reply: JSONValue) -> [[String]] {
        guard let memory = reply["memory"] else { return [] }
        var rows: [[String]] = []
        if let used = memory["rssBytes"]?.integer, let limit = memory["limitBytes"]?.integer {
            rows.append([
                "in use", "\(ByteCount(Int(used))) of \(ByteCount(Int(limit)))",
            ])
        }
        for (member, label) in [
            ("prefilterBytes", "prefilters"), ("directoryBytes", "directories, patterns"),
            ("nameBytes", "names"), ("cacheBytes", "cached answers"),
            ("pendingBytes", "questions in flight"), ("bufferBytes", "message buffers"),
            ("otherBytes", "all else"),
        ] {
            guard let size = memory[member]?.integer else { continue }
            rows.append(["  \(label)", "\(ByteCount(Int(size)))"])
        }
        if let mapped = memory["mappedBytes"]?.integer {
            rows.append(["snapshot files", "\(ByteCount(Int(mapped)))"])
        }
        return rows
    }

    private static func upstreams(_ reply: JSONValue) -> [[String]] {
        (reply["upstreams"]?.items ?? []).map { upstream in
            let latency = upstream["latencyMicroseconds"]?.number.map {
                AlignedText.decimal($0 / 1000, places: 1) + " ms"
            }
            return [
                upstream["address"]?.string ?? "?", upstream["state"]?.string ?? "", latency ?? "",
            ]
        }
    }

    /// The two largest units: `3d 4h`, `12m 5s`, `7s`.
    static func time(_ seconds: Int64) -> String {
        var left = max(0, seconds)
        var parts: [String] = []
        for (unit, size): (String, Int64) in [("d", 86_400), ("h", 3600), ("m", 60), ("s", 1)] {
            let count = left / size
            left %= size
            if count > 0 || (unit == "s" && parts.isEmpty) { parts.append("\(count)\(unit)") }
        }
        return parts.prefix(2).joined(separator: " ")
    }
}
