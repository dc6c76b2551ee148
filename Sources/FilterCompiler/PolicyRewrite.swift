import FilterIndex

/// A rule that answers in its own way, or an exception to such rules.
package struct PolicyRewrite: Hashable, Sendable {
    /// Name, scope, importance, conditions and list. A rule of allow kind is an exception.
    package var rule: PolicyRule
    /// The answer; of an exception, that of the rewrites it takes out, and `nil` for all.
    package var answer: RewriteAnswer?

    /// A rewrite, or an exception when the rule allows.
    /// - Precondition: a rewrite has an answer.
    package init(_ rule: PolicyRule, answer: RewriteAnswer?) {
        precondition(rule.isAllow || answer != nil, "a rewrite has an answer")
        self.rule = rule
        self.answer = answer
    }

    /// Octets of memory that it takes, blocks of its arrays included.
    var memorySize: Int {
        let block = 48
        let own = MemoryLayout<PolicyRewrite>.stride - MemoryLayout<PolicyRule>.stride
        let answerSize: Int =
            switch answer {
            case nil, .rcode: 0
            case .alias(let target): block + target.count
            case .records(let records):
                records.reduce(block) {
                    $0 + MemoryLayout<RewriteRecord>.stride + block + $1.data.count
                }
            }
        return rule.memorySize + own + answerSize
    }

    /// The same rewrite as if list 0 had it, for comparing what rules say.
    var withoutList: PolicyRewrite {
        var copy = self
        copy.rule.list = 0
        return copy
    }
}
