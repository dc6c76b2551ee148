/// Where things stand in a snapshot file; writer and reader share this page.
///
/// ```
/// 0    8   magic: 89 53 4C 55 49 43 45 0A ("\x89SLUICE\n")
/// 8    4   version of the format, 2                              u32; all numbers little-endian
/// 12   4   flags, 0                                              u32
/// 16   8   size of the file                                      u64
/// 24   32  snapshot id
/// 56   32  SHA-256 of the file, these 32 octets taken as zeros
/// 88   4   sections, s                                           u32
/// 92   4   zero
/// 96   24s section table: kind u32, zero u32, offset u64, size u64
/// …        sections in the order of the table, each at a multiple of 8, zeros between
/// ```
/// The snapshot id is the SHA-256 of the sections that hold rules, so that equal lists have the
/// same id whatever the seed of the prefilter: see `SnapshotLayout.identity`.
package enum SnapshotLayout {
    /// First octets of the file. The first is no text, the last shows a line-end conversion.
    package static let magic: [UInt8] = [0x89, 0x53, 0x4C, 0x55, 0x49, 0x43, 0x45, 0x0A]
    /// Version of the format that this program reads and writes.
    package static let version: UInt32 = 2
    /// Offset of the version.
    package static let versionOffset = 8
    /// Offset of the flags.
    package static let flagsOffset = 12
    /// Offset of the file's size.
    package static let fileSizeOffset = 16
    /// Offset of the snapshot id.
    package static let identityOffset = 24
    /// Offset of the checksum.
    package static let checksumOffset = 56
    /// Offset of the number of sections.
    package static let sectionCountOffset = 88
    /// Offset of the section table.
    package static let tableOffset = 96
    /// Octets of an entry of the section table.
    package static let tableEntrySize = 24
    /// Offset of the first section: every section kind is there once.
    package static let firstSectionOffset =
        tableOffset + tableEntrySize * SectionKind.allCases.count
    /// The file of a policy's own rules, beside its snapshots.
    package static let ownRulesFile = "own.sluice"
    /// What own rules are called where a list is named.
    package static let ownRulesList = "own"
    /// Most lists of one policy.
    package static let listLimit = 255
}

/// The sections of a snapshot, in the order in which they stand. All are always there.
package enum SectionKind: UInt32, CaseIterable, Sendable {
    /// `Prefilter`.
    case prefilter = 1
    /// `NameIndex` of blocked names.
    case block = 2
    /// `NameIndex` of allowed names.
    case allow = 3
    /// `NameIndex` of names blocked by important rules.
    case importantBlock = 4
    /// `NameIndex` of names allowed by important rules.
    case importantAllow = 5
    /// `ListNumbers` of `block`.
    case blockLists = 6
    /// `ListNumbers` of `allow`.
    case allowLists = 7
    /// `ListNumbers` of `importantBlock`.
    case importantBlockLists = 8
    /// `ListNumbers` of `importantAllow`.
    case importantAllowLists = 9
    /// `ConditionalRules`.
    case conditional = 10
    /// `SnapshotManifest`.
    case manifest = 11
    /// `NameCode` of the indexes.
    case nameCode = 12
    /// `PatternRules`.
    case patterns = 13
    /// `RewriteRules`.
    case rewrites = 14

    /// Position in the section table.
    package var position: Int { Int(rawValue) - 1 }

    /// The section's name for people.
    package var title: StaticString {
        switch self {
        case .prefilter: "prefilter"
        case .block: "block index"
        case .allow: "allow index"
        case .importantBlock: "important block index"
        case .importantAllow: "important allow index"
        case .blockLists: "block list numbers"
        case .allowLists: "allow list numbers"
        case .importantBlockLists: "important block list numbers"
        case .importantAllowLists: "important allow list numbers"
        case .conditional: "conditional rules"
        case .manifest: "manifest"
        case .nameCode: "name code"
        case .patterns: "patterns"
        case .rewrites: "rewrites"
        }
    }
}

/// One of the four tables of unconditional rules.
package enum RuleTier: Int, CaseIterable, Sendable {
    /// Blocked names.
    case block = 0
    /// Allowed names.
    case allow = 1
    /// Names blocked by important rules.
    case importantBlock = 2
    /// Names allowed by important rules.
    case importantAllow = 3

    /// The tier of rules of a kind and importance.
    package init(isAllow: Bool, isImportant: Bool) {
        switch (isAllow, isImportant) {
        case (false, false): self = .block
        case (true, false): self = .allow
        case (false, true): self = .importantBlock
        case (true, true): self = .importantAllow
        }
    }

    /// Whether its rules allow.
    package var isAllow: Bool { self == .allow || self == .importantAllow }

    /// Whether its rules are important.
    package var isImportant: Bool { self == .importantBlock || self == .importantAllow }

    /// The section of the tier's names.
    package var names: SectionKind {
        switch self {
        case .block: .block
        case .allow: .allow
        case .importantBlock: .importantBlock
        case .importantAllow: .importantAllow
        }
    }

    /// The section of the tier's list numbers.
    package var listNumbers: SectionKind {
        switch self {
        case .block: .blockLists
        case .allow: .allowLists
        case .importantBlock: .importantBlockLists
        case .importantAllow: .importantAllowLists
        }
    }
}
