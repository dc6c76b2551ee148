import Quantities

/// One fault of a configuration text, or one thing worth a warning, and where it is.
package struct ConfigurationProblem: Error, Equatable, Sendable {
    /// The file's name, as the caller gave it.
    package let file: String
    /// Where in the file.
    package let position: SourcePosition
    /// What is wrong.
    package let kind: Kind

    /// The problem `kind` of `file` at `position`.
    package init(file: String, position: SourcePosition, kind: Kind) {
        self.file = file
        self.position = position
        self.kind = kind
    }

    /// The line, from 1.
    package var line: Int { position.line }
    /// The character in the line, from 1.
    package var column: Int { position.column }

    /// Whether the settings hold in spite of it.
    package var isWarning: Bool {
        switch kind {
        case .unusedList, .refusedSendsStubsElsewhere, .plainHTTP: true
        default: false
        }
    }

    /// The three shapes of a value.
    package enum Shape: Sendable {
        /// One word or text.
        case scalar
        /// Values in an order.
        case sequence
        /// Values under keys.
        case mapping
    }

    /// What is wrong, as facts.
    package enum Kind: Equatable, Sendable {
        // The text
        /// More octets than `limit`.
        case documentTooLarge(limit: ByteCount)
        /// `reason` is the YAML parser's phrase.
        case malformed(reason: String)
        /// Mappings and sequences more than `limit` deep.
        case nestedTooDeeply(limit: Int)
        /// More scalars, mappings and sequences than `limit`.
        case tooManyValues(limit: Int)
        /// `&name` or `*name`.
        case anchorOrAlias
        /// `!name`.
        case tag
        /// A second document after `---`.
        case secondDocument
        /// A mapping or sequence as a key.
        case keyIsNoScalar
        /// `limit` problems were reported, and there are more.
        case tooManyProblems(limit: Int)

        // Keys and values
        /// A key that the mapping at `under` does not take.
        case unknownKey(String, under: String, nearest: String?)
        /// A key that stands in `firstLine` already.
        case duplicateKey(String, firstLine: Int)
        /// A key without which the mapping at `under` says nothing.
        case missingKey(String, under: String)
        /// A mapping for a scalar, and the like.
        case wrongShape(key: String, found: Shape, expected: Shape)
        /// A scalar that is not what the key takes.
        case badValue(key: String, value: String, expected: ExpectedValue, nearest: String?)
        /// `[]` where nothing would work without an item.
        case emptySequence(key: String)
        /// More items in the sequence of `key` than `limit`.
        case tooManyItems(key: String, count: Int, limit: Int)
        /// A value that stands in `firstLine` already.
        case duplicateValue(key: String, value: String, firstLine: Int)
        /// A good value of a feature that is not built.
        case notInThisVersion(key: String, value: String)

        // Clashes between values
        /// A list without `file`, `url` and `pir`.
        case listWithoutSource(list: String)
        /// A list with more than one of `keys`.
        case listWithSeveralSources(list: String, keys: [String])
        /// A policy names a list that there is not.
        case unknownList(String, policy: String, nearest: String?)
        /// A client names a policy that there is not.
        case unknownPolicy(String, nearest: String?)
        /// Policies, but none for the clients not named.
        case missingDefaultPolicy
        /// To listen on port 5353 (RFC 6762).
        case multicastDNSPort
        /// An upstream that would be this server.
        case upstreamIsListener(upstream: EndpointSetting, listener: EndpointSetting)
        /// An address in `fe80::/10` that names no interface (RFC 4007 §6).
        case linkLocalWithoutZone(IPAddress)
        /// `key` must not be above `other`.
        case above(key: String, value: String, other: String, otherValue: String)

        /// A key of a list with `file` that only one with `url` has.
        case onlyForURLs(key: String)

        // Warnings
        /// A list whose address begins with `http://`.
        case plainHTTP(list: String)
        /// A list that no policy names.
        case unusedList(String)
        /// `block-answer: refused`.
        case refusedSendsStubsElsewhere
    }
}
