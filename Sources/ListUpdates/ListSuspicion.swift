import FilterIndex
import FilterLists

/// What makes a whole list look wrong, though each of its lines has its own diagnostic.
package enum ListSuspicion: Equatable {
    /// It is a web page.
    case webPage
    /// Most of its lines are wrong.
    case mostlyWrong(lines: Int)
    /// There is no rule in it.
    case withoutRules

    /// Kinds that say what a line is, and that no rule was meant.
    private static let silentKinds: Set<LineReason> = [
        .comment, .header, .directive, .section, .setting, .apexRecord, .continuation, .localName,
        .addressWithoutName,
    ]
    /// Kinds of lines that are right, but not decided by names alone or not in this version.
    private static let knownKinds: Set<LineReason> = [
        .cosmetic, .unsupportedModifier, .clientCondition, .clientTag, .urlRule,
        .unsupportedExpression, .wildcardPattern, .rewriteByPattern, .ipRule, .forwardRule,
        .policyTrigger, .tcpOnly,
        .recordType, .responseCode, .wildcardTarget, .rewriteException, .multilineRecord,
        .zonedAddress, .include, .zoneType, .addressForName,
    ]

    /// What is odd about a list; `nil` when nothing is.
    package init?(_ list: SnapshotManifest.List) {
        let rules = list.ruleCount
        let silent = Set(Self.silentKinds.map(\.key))
        let known = silent.union(Self.knownKinds.map(\.key)).union([Self.rewrite])
        let wrong = list.skipped.reduce(0) { known.contains($1.kind) ? $0 : $0 + $1.count }
        let meaningful = list.skipped.reduce(rules) {
            silent.contains($1.kind) ? $0 : $0 + $1.count
        }
        let html = list.skipped.first { $0.kind == LineReason.html.key }?.count ?? 0
        let rewrites = list.skipped.first { $0.kind == Self.rewrite }?.count ?? 0
        if html > 0, 2 * html > meaningful {
            self = .webPage
        } else if 2 * wrong > meaningful {
            self = .mostlyWrong(lines: wrong)
        } else if rules == 0, rewrites == 0 {
            self = .withoutRules
        } else {
            return nil
        }
    }

    /// The word under which the compiler counts rewrites.
    private static let rewrite = "rewrite"

    /// What is odd, and what to do.
    package func text(_ list: SnapshotManifest.List, path: String) -> String {
        switch self {
        case .webPage:
            "\(path) is a web page, not a list; fetch it again from the right address"
        case .mostlyWrong(let lines):
            "most lines of \(path) are wrong (\(lines)) when read as "
                + "\(list.format); is its format another one?"
        case .withoutRules:
            list.lineCount == 0
                ? "\(path) is empty" : "\(path) has no rule when read as \(list.format)"
        }
    }
}
