import DomainNames
import Quantities

extension SettingsDecoder {
    /// `true` or `false`; YAML 1.1's other words are refused, since people disagree about them.
    mutating func boolean(_ section: Section, _ key: String) -> Bool? {
        value(section, key, expected: .boolean) { text in
            switch text {
            case "true": true
            case "false": false
            default: nil
            }
        }
    }

    /// A whole number in `range`.
    mutating func integer(
        _ section: Section, _ key: String, in range: ClosedRange<Int>
    ) -> Int? {
        value(section, key, expected: .integer(range)) { Self.integer($0, in: range) }
    }

    /// The number that decimal digits write, if it is in `range`.
    static func integer(_ text: String, in range: ClosedRange<Int>) -> Int? {
        guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy({ $0 &- 0x30 < 10 }),
            let number = Int(text), range.contains(number)
        else { return nil }
        return number
    }

    /// A duration in `range`.
    mutating func duration(
        _ section: Section, _ key: String, in range: ClosedRange<Duration>
    ) -> Duration? {
        value(section, key, expected: .duration(range)) { text in
            DurationText.duration(of: text).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// A size in `range`.
    mutating func size(
        _ section: Section, _ key: String, in range: ClosedRange<ByteCount>
    ) -> ByteCount? {
        value(section, key, expected: .size(range)) { text in
            ByteCountText.byteCount(of: text).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// A decimal number in `range`: digits, at most one dot, an optional exponent.
    mutating func fraction(
        _ section: Section, _ key: String, in range: ClosedRange<Double>
    ) -> Double? {
        value(section, key, expected: .fraction(range)) { text in
            // The standard library would take hexadecimal, "inf" and "nan" too.
            guard text.utf8.count <= 32,
                text.utf8.allSatisfy({ "0123456789.eE-".utf8.contains($0) }),
                let number = Double(text), range.contains(number)
            else { return nil }
            return number
        }
    }

    /// One of the words of an enumeration.
    mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ section: Section, _ key: String, of type: Choice.Type
    ) -> Choice? {
        value(section, key, expected: .oneOf(type.allCases.map(\.rawValue))) {
            Choice(rawValue: $0)
        }
    }

    /// A path; a relative one starts at the directory of the configuration file.
    mutating func path(_ section: Section, _ key: String, limit: Int) -> String? {
        let file = file
        return value(section, key, expected: .path(limit: limit)) { text in
            guard !text.isEmpty, !text.utf8.contains(0) else { return nil }
            let path = Self.resolved(text, besides: file)
            return path.utf8.count <= limit ? path : nil
        }
    }

    /// `path`, or `path` in the directory of `file` when it is relative.
    static func resolved(_ path: String, besides file: String) -> String {
        guard path.utf8.first != UInt8(ascii: "/"),
            let slash = file.utf8.lastIndex(of: UInt8(ascii: "/"))
        else { return path }
        return String(file[...slash]) + path
    }

    /// Whether `text` may name a list or policy: it becomes a directory and stands in EDE text.
    static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, text.utf8.count <= ConfigurationLimits.nameSize,
            isAlphanumeric(first)
        else { return false }
        return text.utf8.allSatisfy { isAlphanumeric($0) || "-_.".utf8.contains($0) }
    }

    private static func isAlphanumeric(_ octet: UInt8) -> Bool {
        octet &- 0x30 < 10 || octet.asciiLowercased &- 0x61 < 26
    }

    /// Whether `text` is `file:///PATH`: of this machine and from the root (RFC 8089 §2).
    static func isFileURL(_ text: String) -> Bool {
        text.hasPrefix("file:///") && (9...2048).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }

    /// Whether `text` looks like `SCHEME://HOST…` of one of `schemes`, printable ASCII only.
    static func isURL(_ text: String, schemes: [String]) -> Bool {
        guard text.utf8.count <= 2048, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            let scheme = schemes.first(where: { text.hasPrefix($0 + "://") })
        else { return false }
        let rest = text.dropFirst(scheme.utf8.count + 3)
        return !rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }.isEmpty
    }
}
