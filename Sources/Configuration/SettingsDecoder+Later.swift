import DomainNames
import Quantities

/// Keys whose feature is not in this version: read and checked like the others, so that a mistake
/// in them shows, then refused unless they say what holds anyway. None is ever ignored.
extension SettingsDecoder {
    /// Reads every such key of the top level.
    mutating func decodeLater(_ top: Section) {
        decodeForward(top)
        decodeRecords(top)
        decodeMappings(top)
        let path = ConfigurationLimits.pathSize
        let files = values(top, "hosts-files", expected: .path(limit: path)) {
            $0.isEmpty || $0.utf8.count > path ? nil : $0
        }
        refuseLater(files, "hosts-files")
        let domains = values(top, "filter-domains", expected: .domainName) {
            $0.isEmpty || Self.isDomainName($0) ? $0 : nil
        }
        if let domains, domains.map(\.value) != [""], let node = top["filter-domains"] {
            report(.notInThisVersion(key: "filter-domains", value: node.summary), at: node.position)
        }
        refuseLater(prefixes(top, "trusted-forwarders"), "trusted-forwarders")
    }

    private static func isDomainName(_ text: String) -> Bool {
        (try? DomainName(text: text)) != nil
    }

    /// Refuses the first of values that should not be there.
    private mutating func refuseLater<Value>(
        _ values: [(value: Value, position: SourcePosition)]?, _ key: String
    ) {
        guard let first = values?.first else { return }
        report(.notInThisVersion(key: key, value: "\(first.value)"), at: first.position)
    }

    private mutating func decodeForward(_ top: Section) {
        guard let node = top["forward"], let items = items(node, key: "forward") else { return }
        for item in items {
            guard let zone = section(item, label: "forward", tablePath: "forward.*") else {
                continue
            }
            for key in ["zones", "upstreams"] where zone[key] == nil {
                report(.missingKey(key, under: "forward"), at: item.position)
            }
            _ = values(zone, "zones", expected: .domainName) {
                Self.isDomainName($0) ? $0 : nil
            }
            _ = upstreams(zone, "upstreams")
        }
        guard !items.isEmpty else { return }
        report(.notInThisVersion(key: "forward", value: node.summary), at: node.position)
    }

    private mutating func decodeRecords(_ top: Section) {
        guard let node = top["records"], let items = items(node, key: "records") else { return }
        for item in items {
            guard let record = section(item, label: "records", tablePath: "records.*") else {
                continue
            }
            if record["name"] == nil {
                report(.missingKey("name", under: "records"), at: item.position)
            }
            _ = value(record, "name", expected: .domainName) {
                Self.isDomainName($0) ? $0 : nil
            }
            for (key, isIPv4) in [("a", true), ("aaaa", false)] {
                _ = values(record, key, expected: .address) { text in
                    IPAddress(text: text).flatMap { $0.isIPv4 == isIPv4 ? $0 : nil }
                }
            }
        }
        guard !items.isEmpty else { return }
        report(.notInThisVersion(key: "records", value: node.summary), at: node.position)
    }

    private mutating func decodeMappings(_ top: Section) {
        if let rebinding = section(top, "rebinding-protection") {
            refuse(rebinding, "enabled", unless: false, boolean(rebinding, "enabled"))
            let exempt = values(rebinding, "exempt", expected: .domainName) {
                Self.isDomainName($0) ? $0 : nil
            }
            refuseLater(exempt, rebinding.path("exempt"))
        }
        if let special = section(top, "special-use") {
            let defaults = [
                ("test", "nxdomain"), ("private-relay", "forward"), ("firefox-canary", "nxdomain"),
            ]
            for (key, usual) in defaults {
                refuse(
                    special, key, unless: usual, word(special, key, of: ["nxdomain", "forward"]))
            }
        }
        if let rates = section(top, "rate-limit") {
            for key in ["queries-per-second", "responses-per-second"] {
                refuse(rates, key, unless: 0, integer(rates, key, in: 0...1_000_000))
            }
        }
        guard let reports = section(top, "reports") else { return }
        let endpoint = value(reports, "endpoint", expected: .urlOr(word: "off")) {
            $0 == "off" || Self.isURL($0, schemes: ["https", "http"]) ? $0 : nil
        }
        refuse(reports, "endpoint", unless: "off", endpoint)
        let interval = duration(reports, "interval", in: .seconds(60) ... .days(30))
        refuse(reports, "interval", unless: .days(1), interval)
        refuse(
            reports, "format", unless: "json", word(reports, "format", of: ["json", "protobuf"]))
    }

    private mutating func word(_ section: Section, _ key: String, of words: [String]) -> String? {
        value(section, key, expected: .oneOf(words)) { words.contains($0) ? $0 : nil }
    }

    private mutating func refuse<Value: Equatable>(
        _ section: Section, _ key: String, unless usual: Value, _ value: Value?
    ) {
        guard let value, value != usual, let node = section[key] else { return }
        report(
            .notInThisVersion(key: section.path(key), value: node.summary), at: node.position)
    }
}
