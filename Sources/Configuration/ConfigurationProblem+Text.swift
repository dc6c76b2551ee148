import Quantities

extension ConfigurationProblem: CustomStringConvertible {
    /// `FILE:LINE:COLUMN: what is wrong; the fix`, warnings marked as such.
    package var description: String {
        let mark = isWarning ? "warning: " : ""
        return "\(Self.printable(file)):\(line):\(column): \(mark)\(kind)"
    }

    /// `text` with control characters written out and cut after 80 characters, so that a value
    /// cannot play tricks on a terminal.
    static func printable(_ text: String) -> String {
        var result = ""
        for (index, scalar) in text.unicodeScalars.enumerated() {
            if index == 80 { return result + "…" }
            let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
            let isDirection =
                (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
            if isControl || isDirection {
                result += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

extension ConfigurationProblem.Shape: CustomStringConvertible {
    /// The shape, with an example of how it is written.
    package var description: String {
        switch self {
        case .scalar: "a single value"
        case .sequence: "a list: [VALUE, …]"
        case .mapping: "a mapping: { KEY: VALUE, … }"
        }
    }
}

extension ConfigurationProblem.Kind: CustomStringConvertible {
    /// One line for a person: what is wrong and what to do.
    package var description: String {
        switch self {
        case .documentTooLarge, .malformed, .nestedTooDeeply, .tooManyValues, .anchorOrAlias, .tag,
            .secondDocument, .keyIsNoScalar, .tooManyProblems:
            textProse
        case .unknownKey, .duplicateKey, .missingKey, .wrongShape, .badValue, .emptySequence,
            .tooManyItems, .duplicateValue, .notInThisVersion:
            valueProse
        default:
            clashProse
        }
    }

    private var textProse: String {
        switch self {
        case .documentTooLarge(let limit): "the file is larger than \(limit)"
        case .malformed(let reason): "not YAML: \(shown(reason))"
        case .nestedTooDeeply(let limit): "more than \(limit) levels of nesting"
        case .tooManyValues(let limit): "more than \(limit) values"
        case .anchorOrAlias:
            "anchors (&) and aliases (*) are not taken; write the value out, or quote it"
        case .tag: "tags (!) are not taken; quote the value if it begins with '!'"
        case .secondDocument: "a second document; one file holds one"
        case .keyIsNoScalar: "a key must be a single word"
        case .tooManyProblems(let limit): "more than \(limit) problems; the rest is not shown"
        default: ""
        }
    }

    private var valueProse: String {
        switch self {
        case .unknownKey(let key, let under, let nearest):
            "unknown key '\(shown(key))'" + (under.isEmpty ? "" : " in '\(shown(under))'")
                + hint(nearest)
        case .duplicateKey(let key, let line):
            "duplicate key '\(shown(key))'; it stands in line \(line) already"
        case .missingKey(let key, let under): "'\(shown(under))' needs the key '\(key)'"
        case .wrongShape(let key, let found, let expected):
            (key.isEmpty ? "the file" : "'\(shown(key))'")
                + " is \(found.words), expected \(expected)"
        case .badValue(let key, let value, let expected, let nearest):
            "bad value '\(shown(value))' for '\(shown(key))'"
                + (nearest == nil ? "; expected \(expected)" : hint(nearest))
        case .emptySequence(let key): "'\(shown(key))' is empty; leave the key out for its default"
        case .tooManyItems(let key, let count, let limit):
            "'\(shown(key))' has \(count) items; at most \(limit) are taken"
        case .duplicateValue(let key, let value, let line):
            "'\(shown(value))' stands twice in '\(shown(key))', first in line \(line)"
        case .notInThisVersion(let key, let value):
            "'\(shown(key)): \(shown(value))' is not in this version; leave the key out"
        default: ""
        }
    }

    private var clashProse: String {
        switch self {
        case .listWithoutSource(let list):
            "list '\(shown(list))' has no source; give it 'file', 'url' or 'pir'"
        case .listWithSeveralSources(let list, let keys):
            "list '\(shown(list))' has \(keys.count) sources (\(keys.joined(separator: ", "))); "
                + "keep one"
        case .unknownList(let list, let policy, let nearest):
            "policy '\(shown(policy))' names the list '\(shown(list))', which is not in 'lists'"
                + hint(nearest)
        case .unknownPolicy(let policy, let nearest):
            "policy '\(shown(policy))' is not in 'policies'" + hint(nearest)
        case .missingDefaultPolicy:
            "no policy 'default', which clients not named in 'clients' have; add it"
        case .multicastDNSPort: "port 5353 belongs to multicast DNS; take another one, such as 5335"
        case .upstreamIsListener(let upstream, let listener):
            "upstream \(upstream) is this server itself (listen: \(listener)): queries would go "
                + "round in a loop"
        case .linkLocalWithoutZone(let address):
            "\(address) is a link-local address; name its interface: [\(address)%eth0]"
        case .above(let key, let value, let other, let otherValue):
            "'\(key)' (\(value)) is above '\(other)' (\(otherValue))"
        case .onlyForURLs(let key):
            "'\(shown(key))' is for lists with 'url'; leave it out"
        case .plainHTTP(let list):
            "list '\(shown(list))' comes over http, where anyone on the way may change it; take "
                + "https if the server has it"
        case .unusedList(let list): "no policy uses the list '\(shown(list))'"
        case .refusedSendsStubsElsewhere:
            "on REFUSED many clients ask their next server, which may not filter"
        default: ""
        }
    }

    private func shown(_ text: String) -> String { ConfigurationProblem.printable(text) }

    private func hint(_ nearest: String?) -> String {
        nearest.map { "; did you mean '\(shown($0))'?" } ?? ""
    }
}

extension ConfigurationProblem.Shape {
    /// The shape alone.
    var words: String {
        switch self {
        case .scalar: "a single value"
        case .sequence: "a list"
        case .mapping: "a mapping"
        }
    }
}
