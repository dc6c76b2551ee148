import Configuration
import Control
import FilterCompiler
import LinuxSystem

/// What the commands on own rules print.
struct OwnRulesReport {
    /// A line of the file that is no rule.
    typealias Malformed = (line: Int, text: String, fault: OwnRule.Fault)

    /// Seconds since 1970.
    let now: Int64
    /// Lines that are kept and do nothing.
    let malformed: [Malformed]

    /// `allow a.example and all below it, in policy kids, for 9m 59s`
    func phrase(_ rule: OwnRule) -> String {
        var text = (rule.isAllow ? "allow " : "block ") + "\(rule.name)"
        if rule.includesSubtree { text += " and all below it" }
        text += ", in policy \(rule.policy)"
        if let until = rule.until { text += ", for \(StatusText.time(until - now))" }
        return Console.printable(text)
    }

    /// The line on a rule that was added.
    func text(of rule: OwnRule, replacing former: OwnRule?, _ notice: OwnRulesStore.Notice)
        -> String
    {
        var text = phrase(rule)
        if let former, former.isAllow != rule.isAllow || former.scope != rule.scope {
            text += "; in place of: \(phrase(former))"
        }
        return text + "; \(Console.printable(notice.text))\n"
    }

    /// The rules, a line each.
    func text(_ rules: [(line: Int, rule: OwnRule)]) -> String {
        guard !rules.isEmpty else { return "no own rules\n" }
        return AlignedText.columns(
            rules.map { entry in
                let rule = entry.rule
                return [
                    rule.isAllow ? "allow" : "block", "\(rule.name)",
                    rule.includesSubtree ? "and below" : "", rule.policy,
                    rule.until.map { "for \(StatusText.time($0 - now))" } ?? "",
                ]
            }, indent: 0)
    }

    /// Says which lines of the file are no rules.
    func warn(_ console: Console, _ settings: Settings) {
        let path = OwnRules.path(stateDirectory: settings.stateDirectory)
        for line in malformed {
            console.message(
                Console.printable("\(path):\(line.line): \(line.fault); the line is kept as it is"))
        }
    }

    // MARK: For machines

    /// One object on one rule.
    func json(
        of rule: OwnRule, in member: String, replacing former: OwnRule?,
        _ notice: OwnRulesStore.Notice
    ) -> String {
        var writer = JSONWriter()
        writer.object { object in
            object.member(member) { value in
                value.object { write(rule, line: nil, to: &$0) }
            }
            object.member("replaced") { value in
                if let former {
                    value.object { write(former, line: nil, to: &$0) }
                } else {
                    value.null()
                }
            }
            writeEnd(notice, to: &object)
        }
        return writer.text
    }

    /// One object on all rules.
    func json(
        _ rules: [(line: Int, rule: OwnRule)], _ notice: OwnRulesStore.Notice
    ) -> String {
        var writer = JSONWriter()
        writer.object { object in
            object.member("rules") { value in
                value.array { array in
                    for entry in rules {
                        array.object { write(entry.rule, line: entry.line, to: &$0) }
                    }
                }
            }
            writeEnd(notice, to: &object)
        }
        return writer.text
    }

    private func writeEnd(_ notice: OwnRulesStore.Notice, to object: inout JSONWriter) {
        object.member("malformed") { value in
            value.array { array in
                for line in malformed {
                    array.object { object in
                        object.member("line", line.line)
                        object.member("text", line.text)
                        object.member("reason", "\(line.fault)")
                    }
                }
            }
        }
        object.member("daemon", notice.key)
        if case .failed(let reason) = notice { object.member("error", reason) }
    }

    private func write(_ rule: OwnRule, line: Int?, to object: inout JSONWriter) {
        object.member("action", rule.isAllow ? "allow" : "block")
        object.member("name", "\(rule.name)")
        object.member("scope", rule.includesSubtree ? "subtree" : "exact")
        object.member("policy", rule.policy)
        if let line { object.member("line", line) }
        object.member("until") { value in
            if let until = rule.until { value.integer(until) } else { value.null() }
        }
        object.member("secondsLeft") { value in
            if let until = rule.until { value.integer(max(0, until - now)) } else { value.null() }
        }
    }
}
