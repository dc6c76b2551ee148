import Cryptography
import DomainNames

/// What a snapshot was compiled from: the lists of the policy, ascending by name, with their
/// counts.
///
/// ```
/// varint names read · varint names kept · varint lists · list …
/// list   text name · text source · text format · options u8 · digest 32
///        · text size u64 · lines u64 · varint block rules · varint allow rules
///        · varint rewrites · varint kinds · (text kind · varint lines) …      ascending by kind
/// options  bit 0 allow list · bits 1–2 scope of a bare name: 0 the format's own, 1 exact,
///          2 subtree, 3 below · bit 3 whole public suffixes allowed · bit 4 rewrites count
///          · others zero
/// text   varint size · UTF-8 octets
/// ```
package struct SnapshotManifest: Equatable, Sendable {
    /// Lines of a list that made no rule, by kind.
    package struct Skipped: Hashable, Sendable {
        /// The stable key of the reason.
        package let kind: String
        /// Lines.
        package let count: Int

        /// `count` lines of `kind`.
        package init(kind: String, count: Int) {
            self.kind = kind
            self.count = count
        }
    }

    /// One list.
    package struct List: Equatable, Sendable {
        /// Its name in the configuration.
        package var name: String
        /// Where it came from: a path or an address.
        package var source: String
        /// Its format.
        package var format: String
        /// Whether its rules allow.
        package var isAllowList: Bool
        /// What a bare name covers; `nil` leaves the format's own.
        package var scope: NameScope?
        /// Whether a block rule may be on one label or the root.
        package var allowsPublicSuffixes: Bool
        /// SHA-256 of its text, unpacked.
        package var digest: SHA256Digest
        /// Octets of its text, unpacked.
        package var textSize: Int
        /// Lines of its text.
        package var lineCount: Int
        /// Rules that block.
        package var blockRules: Int
        /// Rules that allow.
        package var allowRules: Int
        /// Rules that rewrite, and exceptions to them.
        package var rewriteRules: Int
        /// Whether its rewrites count.
        package var takesRewrites: Bool
        /// Lines that made no rule.
        package var skipped: [Skipped]

        /// Rules of all kinds.
        package var ruleCount: Int { blockRules + allowRules + rewriteRules }

        /// A list of these facts.
        package init(
            name: String, source: String, format: String, isAllowList: Bool,
            scope: NameScope? = nil, allowsPublicSuffixes: Bool = false, digest: SHA256Digest,
            textSize: Int, lineCount: Int, blockRules: Int, allowRules: Int,
            rewriteRules: Int = 0, takesRewrites: Bool = false, skipped: [Skipped]
        ) {
            self.name = name
            self.source = source
            self.format = format
            self.isAllowList = isAllowList
            self.scope = scope
            self.allowsPublicSuffixes = allowsPublicSuffixes
            self.digest = digest
            self.textSize = textSize
            self.lineCount = lineCount
            self.blockRules = blockRules
            self.allowRules = allowRules
            self.rewriteRules = rewriteRules
            self.takesRewrites = takesRewrites
            self.skipped = skipped
        }
    }

    /// Limits on what one manifest holds.
    package enum Limit {
        /// Octets of a list's name.
        package static let nameSize = 255
        /// Octets of a list's source.
        package static let sourceSize = 4096
        /// Octets of a format or kind.
        package static let wordSize = 64
        /// Kinds of skipped lines of one list.
        package static let kinds = 256
    }

    /// Names of rules, as read.
    package var namesRead: Int
    /// Names of rules that are in the file, after duplicates and covered names were dropped.
    package var namesKept: Int
    /// The lists, ascending by the octets of their names; rules name them by their place here.
    package var lists: [List]

    /// A manifest of these facts.
    package init(namesRead: Int, namesKept: Int, lists: [List]) {
        self.namesRead = namesRead
        self.namesKept = namesKept
        self.lists = lists
    }
}

extension SnapshotManifest {
    /// Reads a section; `nil` when it is malformed, goes beyond a limit or goes on after its end.
    package init?(_ section: Span<UInt8>) {
        var reader = Reader(section)
        guard let read = reader.cursor.varint(), let kept = reader.cursor.varint(),
            let count = reader.cursor.varint(), count <= SnapshotLayout.listLimit
        else { return nil }
        var lists: [List] = []
        for _ in 0..<count {
            guard let list = reader.list() else { return nil }
            lists.append(list)
        }
        guard reader.cursor.remaining == 0 else { return nil }
        self.init(namesRead: read, namesKept: kept, lists: lists)
    }

    /// Appends the section. Texts beyond a limit are cut.
    package func append(to octets: inout [UInt8]) {
        octets.append(varint: namesRead)
        octets.append(varint: namesKept)
        octets.append(varint: lists.count)
        for list in lists {
            SnapshotManifest.append(list.name, limit: Limit.nameSize, to: &octets)
            SnapshotManifest.append(list.source, limit: Limit.sourceSize, to: &octets)
            SnapshotManifest.append(list.format, limit: Limit.wordSize, to: &octets)
            octets.append(list.optionBits)
            for index in list.digest.octets.indices { octets.append(list.digest.octets[index]) }
            octets.append(littleEndian: UInt64(list.textSize))
            octets.append(littleEndian: UInt64(list.lineCount))
            octets.append(varint: list.blockRules)
            octets.append(varint: list.allowRules)
            octets.append(varint: list.rewriteRules)
            let kinds = list.skipped.sorted { $0.kind < $1.kind }.prefix(Limit.kinds)
            octets.append(varint: kinds.count)
            for skipped in kinds {
                SnapshotManifest.append(skipped.kind, limit: Limit.wordSize, to: &octets)
                octets.append(varint: skipped.count)
            }
        }
    }

    private static func append(_ text: String, limit: Int, to octets: inout [UInt8]) {
        let utf8 = text.utf8.prefix(limit)
        octets.append(varint: utf8.count)
        octets.append(contentsOf: utf8)
    }

    private struct Reader: ~Escapable {
        let section: Span<UInt8>
        var cursor: OctetCursor

        @_lifetime(copy section)
        init(_ section: Span<UInt8>) {
            self.section = section
            cursor = OctetCursor(section)
        }

        @_lifetime(self: copy self)
        mutating func text(limit: Int) -> String? {
            guard let size = cursor.varint(), size <= limit, let range = cursor.range(count: size)
            else { return nil }
            var octets: [UInt8] = []
            octets.append(octets: section.extracting(range))
            return String(decoding: octets, as: UTF8.self)
        }

        @_lifetime(self: copy self)
        mutating func list() -> List? {
            guard let name = text(limit: Limit.nameSize),
                let source = text(limit: Limit.sourceSize),
                let format = text(limit: Limit.wordSize),
                let options = cursor.octet(), options < 32,
                let digestRange = cursor.range(count: SHA256Digest.size),
                let digest = SHA256Digest(section.extracting(digestRange)),
                let textSize = cursor.littleEndian64(), textSize <= UInt64(Int.max),
                let lines = cursor.littleEndian64(), lines <= UInt64(Int.max),
                let blocks = cursor.varint(), let allows = cursor.varint(),
                let rewrites = cursor.varint(),
                let kinds = cursor.varint(), kinds <= Limit.kinds
            else { return nil }
            var skipped: [Skipped] = []
            for _ in 0..<kinds {
                guard let kind = text(limit: Limit.wordSize), let count = cursor.varint() else {
                    return nil
                }
                skipped.append(Skipped(kind: kind, count: count))
            }
            return List(
                name: name, source: source, format: format, isAllowList: options & 1 == 1,
                scope: (options >> 1 & 3) == 0 ? nil : NameScope(rawValue: (options >> 1 & 3) - 1),
                allowsPublicSuffixes: options & 8 != 0, digest: digest, textSize: Int(textSize),
                lineCount: Int(lines),
                blockRules: blocks, allowRules: allows, rewriteRules: rewrites,
                takesRewrites: options & 16 != 0, skipped: skipped)
        }
    }
}

extension SnapshotManifest.List {
    /// The octet of its options.
    fileprivate var optionBits: UInt8 {
        (isAllowList ? 1 : 0) | (scope.map { $0.rawValue + 1 } ?? 0) << 1
            | (allowsPublicSuffixes ? 8 : 0) | (takesRewrites ? 16 : 0)
    }
}
