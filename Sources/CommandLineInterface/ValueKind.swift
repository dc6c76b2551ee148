import Configuration
import DomainNames
import Quantities

/// What the value of a flag or an argument may be.
package enum ValueKind: Equatable, Sendable {
    /// No value.
    case none
    /// A file; completed as one.
    case path
    /// Any text that is not empty.
    case text
    /// `10m`.
    case duration
    /// `32MiB`, within these bounds.
    case size(ClosedRange<ByteCount>)
    /// A number above 0 and at most 0.5.
    case rate
    /// An IPv4 or IPv6 address.
    case address
    /// A domain name.
    case domainName
    /// One of some words.
    case oneOf([String])
    /// `FILE[:FORMAT[:SCOPE[:ACTION]]]`, cut after `fields` fields.
    case list(fields: Int)

    /// The value that `text` writes; `nil` when it is none of this kind.
    func value(of text: String) -> CommandValue? {
        switch self {
        case .none: nil
        case .path, .text: text.isEmpty ? nil : .text(text)
        case .duration:
            DurationText.duration(of: text).flatMap { $0 > .zero ? .duration($0) : nil }
        case .size(let range):
            ByteCountText.byteCount(of: text).flatMap { range.contains($0) ? .size($0) : nil }
        case .rate: Self.rate(text).map { .rate($0) }
        case .address: IPAddress(text: text).map { .address($0) }
        case .domainName: (try? DomainName(text: text)).map { .domainName($0) }
        case .oneOf(let words): words.contains(text) ? .text(text) : nil
        case .list(let fields):
            ListArgument(text: text, fieldLimit: fields).map { .list($0) }
        }
    }

    private static func rate(_ text: String) -> Double? {
        guard text.utf8.count <= 32, text.utf8.allSatisfy({ "0123456789.eE-".utf8.contains($0) }),
            let rate = Double(text), rate > 0, rate <= 0.5
        else { return nil }
        return rate
    }

    /// What to write, as the end of "expected …".
    var expectation: String {
        switch self {
        case .none: "nothing"
        case .path: "a path"
        case .text: "a text that is not empty"
        case .duration: "a duration such as 10m (ms, s, m, h, d), above zero"
        case .size(let range):
            "a size such as 32MiB (B, KiB, MiB, GiB), from "
                + "\(ByteCountText.text(of: range.lowerBound)) to "
                + ByteCountText.text(of: range.upperBound)
        case .rate: "a number above 0 and at most 0.5"
        case .address: "an IPv4 or IPv6 address"
        case .domainName: "a domain name"
        case .oneOf(let words): words.joined(separator: " | ")
        case .list(let fields):
            "FILE" + (fields > 1 ? "[:FORMAT]" : "") + (fields > 2 ? "[:SCOPE[:ACTION]]" : "")
                + ", FORMAT one of "
                + ListFormatSetting.allCases.map(\.rawValue).joined(separator: " ")
                + (fields > 2
                    ? ", SCOPE one of exact subtree below, ACTION one of block allow" : "")
        }
    }
}

/// The value of a flag or an argument, typed.
package enum CommandValue: Equatable, Sendable {
    /// A path, word or text.
    case text(String)
    /// A duration.
    case duration(Duration)
    /// A size.
    case size(ByteCount)
    /// A rate.
    case rate(Double)
    /// An address.
    case address(IPAddress)
    /// A name.
    case domainName(DomainName)
    /// A list with what was said about it.
    case list(ListArgument)
}

/// `FILE[:FORMAT[:SCOPE[:ACTION]]]`; an empty FORMAT or SCOPE means as if left out.
///
/// The file's own name cannot contain a colon; a list with such a name goes into a configuration.
package struct ListArgument: Equatable, Sendable {
    /// The file.
    package let file: String
    /// How it is written; `nil` means guess.
    package let format: ListFormatSetting?
    /// What a bare name covers; `nil` means as the format has it.
    package let scope: NameScope?
    /// What its rules do.
    package let action: ListActionSetting

    /// The list that `text` writes in at most `fieldLimit` fields.
    package init?(text: String, fieldLimit: Int) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard (1...fieldLimit).contains(parts.count), !parts[0].isEmpty else { return nil }
        file = parts[0]
        func field(_ index: Int) -> String? {
            index < parts.count && !parts[index].isEmpty ? parts[index] : nil
        }
        format = field(1).flatMap(ListFormatSetting.init(rawValue:))
        switch field(2) {
        case "exact": scope = .exact
        case "subtree": scope = .subtree
        case "below": scope = .below
        default: scope = nil
        }
        let action = field(3).map(ListActionSetting.init(rawValue:)) ?? .block
        guard let action, (format == nil) == (field(1) == nil), (scope == nil) == (field(2) == nil)
        else { return nil }
        self.action = action
    }
}
