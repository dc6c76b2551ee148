import Cryptography
import DomainNames
import FilterIndex
import LinuxSystem

/// The file of the user's own rules: lines that are rules, and others that stay as they are.
///
/// A person may edit it. A line that is no rule is reported and kept: only rules that are replaced,
/// removed or have ended are taken out.
package struct OwnRules: Equatable, Sendable {
    /// What a line is.
    package enum Meaning: Equatable, Sendable {
        /// A rule.
        case rule(OwnRule)
        /// Blank, or a comment after `#`.
        case blank
        /// Not understood.
        case malformed(OwnRule.Fault)
    }

    /// A line.
    package struct Line: Equatable, Sendable {
        /// Its octets, without the line feed.
        package let octets: [UInt8]
        /// What it is.
        package let meaning: Meaning

        /// The rule, when it is one.
        package var rule: OwnRule? {
            if case .rule(let rule) = meaning { return rule }
            return nil
        }

        /// The line as text.
        package var text: String { String(decoding: octets, as: UTF8.self) }
    }

    /// Rules in the file at most, of all policies: each is looked at when one changes.
    package static let ruleLimit = 4096
    /// Octets of the file at most.
    package static let sizeLimit = 1 << 20
    /// The name of the file in the state directory.
    package static let fileName = "own.rules"
    private static let head =
        "# Own rules: block|allow NAME [subtree] [policy POLICY] [until SECONDS-SINCE-1970].\n"
        + "# Kept by `sluice allow`, `block` and `rules`; after editing run: sluice rules\n"

    /// The lines, in order.
    package private(set) var lines: [Line]

    /// The lines of a text.
    package init(_ text: [UInt8]) {
        var rules = 0
        lines = []
        var parts = text.split(separator: 0x0A, omittingEmptySubsequences: false)
        if parts.last?.isEmpty == true { parts.removeLast() }
        for part in parts {
            var meaning = Self.meaning(of: part)
            if case .rule = meaning {
                rules += 1
                if rules > Self.ruleLimit { meaning = .malformed(.tooMany(limit: Self.ruleLimit)) }
            }
            lines.append(Line(octets: Array(part), meaning: meaning))
        }
    }

    /// The rules in a state directory; none when there is no file.
    package static func read(stateDirectory: String) throws(SystemError) -> OwnRules {
        let path = path(stateDirectory: stateDirectory)
        guard FileIO.kind(path: path) != nil else { return OwnRules(Array(head.utf8)) }
        return OwnRules(try FileIO.readWhole(path: path, limit: sizeLimit))
    }

    /// Where the file is.
    package static func path(stateDirectory: String) -> String { "\(stateDirectory)/\(fileName)" }

    private static func meaning(of octets: ArraySlice<UInt8>) -> Meaning {
        let text = String(decoding: octets, as: UTF8.self)
        let first = text.first { $0 != " " && $0 != "\t" && $0 != "\r" }
        guard let first, first != "#" else { return .blank }
        do { return .rule(try OwnRule(line: text)) } catch { return .malformed(error) }
    }

    /// The rules, each with its line from 1 on; of several on one name in one policy the last.
    package var rules: [(line: Int, rule: OwnRule)] {
        var last: [Place: Int] = [:]
        for (index, line) in lines.enumerated() {
            if let rule = line.rule { last[Place(rule)] = index }
        }
        return lines.enumerated().compactMap { index, line in
            guard let rule = line.rule, last[Place(rule)] == index else { return nil }
            return (index + 1, rule)
        }
    }

    /// What one rule takes the place of another by.
    private struct Place: Hashable {
        let name: DomainName
        let policy: String

        init(_ rule: OwnRule) {
            name = rule.name
            policy = rule.policy
        }
    }

    /// The rules of a policy that speak of a name and have not ended, the deciding one first: that
    /// on the longest name.
    package func matching(
        _ name: DomainName, policy: String, at seconds: Int64
    ) -> [(line: Int, rule: OwnRule)] {
        rules.filter {
            $0.rule.policy == policy && $0.rule.covers(name) && !$0.rule.hasEnded(at: seconds)
        }.sorted { $0.rule.name.wire.count > $1.rule.name.wire.count }
    }

    /// Lines that are not understood, with their numbers from 1 on.
    package var malformed: [(line: Int, text: String, fault: OwnRule.Fault)] {
        lines.enumerated().compactMap { index, line in
            guard case .malformed(let fault) = line.meaning else { return nil }
            return (index + 1, line.text, fault)
        }
    }

    // MARK: Change

    /// Adds a rule in the place of those on its name in its policy.
    /// - Returns: the rule that was in force before; `nil` when there was none.
    /// - Throws: `.tooMany` when there is no room; nothing changed then.
    @discardableResult
    package mutating func put(_ rule: OwnRule) throws(OwnRule.Fault) -> OwnRule? {
        let former = lines.last { $0.rule.map(rule.replaces) ?? false }?.rule
        guard former != nil || rules.count < Self.ruleLimit else {
            throw .tooMany(limit: Self.ruleLimit)
        }
        lines.removeAll { $0.rule.map(rule.replaces) ?? false }
        lines.append(Line(octets: Array(rule.line.utf8), meaning: .rule(rule)))
        return former
    }

    /// Takes out the rules on a name in a policy.
    /// - Returns: the one that was in force; `nil` when there was none.
    package mutating func remove(_ name: DomainName, policy: String) -> OwnRule? {
        let stand = OwnRule(isAllow: true, name: name, policy: policy)
        let former = lines.last { $0.rule.map(stand.replaces) ?? false }?.rule
        lines.removeAll { $0.rule.map(stand.replaces) ?? false }
        return former
    }

    /// Takes out the rules that have ended.
    package mutating func dropEnded(at seconds: Int64) {
        lines.removeAll { $0.rule?.hasEnded(at: seconds) ?? false }
    }

    /// The file's octets.
    package var octets: [UInt8] { lines.flatMap { $0.octets + [0x0A] } }

    // MARK: Compile

    /// The snapshot of a policy's own rules; `nil` when it has none in force.
    ///
    /// See `Snapshot.ownVerdict` for why every rule has an end.
    package func image(
        policy: String, at seconds: Int64
    ) throws(CompilationError) -> [UInt8]? {
        let rules = rules.map(\.rule).filter { $0.policy == policy && !$0.hasEnded(at: seconds) }
        guard !rules.isEmpty else { return nil }
        var compiled = PolicyRules()
        var text: [UInt8] = []
        for rule in rules {
            text += Array(rule.line.utf8) + [0x0A]
            compiled.add(
                PolicyRule(
                    key: PolicyRules.key(of: rule.name), scope: rule.scope, isAllow: rule.isAllow,
                    until: rule.until ?? RuleConditions.lastEnd, list: 0))
        }
        let list = SnapshotManifest.List(
            name: SnapshotLayout.ownRulesList, source: Self.fileName, format: "own",
            isAllowList: false, digest: SHA256.digest(of: text.span), textSize: text.count,
            lineCount: rules.count, blockRules: rules.count { !$0.isAllow },
            allowRules: rules.count { $0.isAllow }, skipped: [])
        return try SnapshotBuilder().image(
            of: compiled,
            manifest: SnapshotManifest(namesRead: rules.count, namesKept: 0, lists: [list]))
    }
}
