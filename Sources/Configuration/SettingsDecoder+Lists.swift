import DomainNames
import Quantities

extension SettingsDecoder {
    /// Reads `lists`. A list with a problem of its own keeps its name, so that policies that name
    /// it do not cause a second one.
    mutating func decodeLists(_ top: Section) {
        guard let node = top["lists"], let entries = entries(node, key: "lists") else { return }
        for entry in entries {
            guard isNamed(entry, key: "lists"),
                let list = section(
                    entry.value, label: "lists.\(entry.key)", tablePath: "lists.*")
            else { continue }
            settings.lists.append(decodeList(list, entry))
        }
    }

    private mutating func isNamed(_ entry: ConfigurationNode.Entry, key: String) -> Bool {
        if Self.isName(entry.key) { return true }
        report(
            .badValue(key: key, value: entry.key, expected: .name, nearest: nil),
            at: entry.keyPosition)
        return false
    }

    private mutating func decodeList(
        _ section: Section, _ entry: ConfigurationNode.Entry
    ) -> ListSettings {
        var list = decodeSource(section, entry)
        decodePIR(section)
        list.format = choice(section, "format", of: ListFormatSetting.self)
        list.scope = value(section, "scope", expected: .oneOf(["exact", "subtree", "below"])) {
            switch $0 {
            case "exact": NameScope.exact
            case "subtree": NameScope.subtree
            case "below": NameScope.below
            default: nil
            }
        }
        if let action = choice(section, "action", of: ListActionSetting.self) {
            list.action = action
        }
        if let allows = boolean(section, "allow-public-suffixes") {
            list.allowsPublicSuffixes = allows
        }
        if let rewrites = boolean(section, "rewrites") { list.rewrites = rewrites }
        decodeFetching(section, into: &list)
        return list
    }

    private mutating func decodeSource(
        _ section: Section, _ entry: ConfigurationNode.Entry
    ) -> ListSettings {
        let file = path(section, "file", limit: ConfigurationLimits.pathSize)
        let sources = ["file", "url", "pir"].filter { section[$0] != nil }
        if sources.isEmpty { report(.listWithoutSource(list: entry.key), at: entry.keyPosition) }
        if sources.count > 1 {
            report(
                .listWithSeveralSources(list: entry.key, keys: sources), at: entry.keyPosition)
        }
        let url = value(section, "url", expected: .listURL) {
            Self.isURL($0, schemes: ["https", "http"]) || Self.isFileURL($0) ? $0 : nil
        }
        guard let url else { return ListSettings(name: entry.key, file: file ?? "") }
        if url.hasPrefix("http://"), let node = section["url"] {
            report(.plainHTTP(list: entry.key), at: node.position)
        }
        return ListSettings(name: entry.key, url: url)
    }

    /// Reads what only a list with an address has.
    private mutating func decodeFetching(_ section: Section, into list: inout ListSettings) {
        let keys = ["timeout", "size-limit", "shrink-limit"]
        if section["file"] != nil, let key = keys.first(where: { section[$0] != nil }),
            let node = section[key]
        {
            report(.onlyForURLs(key: section.path(key)), at: node.position)
        }
        if let timeout = duration(section, "timeout", in: .seconds(1) ... .seconds(3600)) {
            list.timeout = timeout
        }
        if let limit = size(section, "size-limit", in: .kibibytes(1) ... .mebibytes(1024)) {
            list.sizeLimit = limit
        }
        let share = value(section, "shrink-limit", expected: .percentage) { text in
            text.last == "%" ? Self.integer(String(text.dropLast()), in: 0...100) : nil
        }
        if let share { list.shrinkLimit = share }
    }

    /// Reads `update`.
    mutating func decodeUpdate(_ top: Section) {
        guard let update = section(top, "update") else { return }
        if let retries = integer(update, "retries", in: 0...10) {
            settings.update.retries = retries
        }
        if let redirects = integer(update, "redirects", in: 0...20) {
            settings.update.redirects = redirects
        }
    }

    private mutating func decodePIR(_ list: Section) {
        guard let node = list["pir"] else { return }
        let path = list.path("pir")
        guard let pir = section(node, label: path, tablePath: "lists.*.pir") else { return }
        for key in ["service", "issuer"] {
            _ = value(pir, key, expected: .url) { Self.isURL($0, schemes: ["https"]) ? $0 : nil }
        }
        _ = self.path(pir, "token-file", limit: ConfigurationLimits.pathSize)
        _ = value(pir, "use-case", expected: .text) { $0.isEmpty ? nil : $0 }
        _ = value(pir, "fail", expected: .oneOf(["open", "closed"])) {
            $0 == "open" || $0 == "closed" ? $0 : nil
        }
        _ = duration(pir, "prefilter-interval", in: .seconds(60) ... .days(30))
        if pir["service"] == nil {
            report(.missingKey("service", under: path), at: node.position)
        }
        report(.notInThisVersion(key: path, value: node.summary), at: node.position)
    }

    /// Reads `policies`, after the lists.
    mutating func decodePolicies(_ top: Section) {
        let known = settings.lists.map(\.name)
        guard let node = top["policies"], !node.isEmptyMapping else {
            settings.policies = [PolicySettings(name: "default", lists: known)]
            return
        }
        guard let entries = entries(node, key: "policies") else { return }
        let declared = Self.keys(top["lists"])
        var policies = [PolicySettings]()
        var used = Set<String>()
        for entry in entries {
            guard isNamed(entry, key: "policies"),
                let section = section(
                    entry.value, label: "policies.\(entry.key)", tablePath: "policies.*")
            else { continue }
            var policy = PolicySettings(name: entry.key, lists: [])
            if section["lists"] == nil {
                report(.missingKey("lists", under: section.label), at: entry.keyPosition)
            }
            let names = values(section, "lists", expected: .name) { $0 } ?? []
            refuseDuplicates(names, key: section.path("lists"))
            for (name, position) in names {
                if declared.contains(name) {
                    policy.lists.append(name)
                    used.insert(name)
                } else {
                    let nearest = isFull ? nil : NearestName.of(name, among: known)
                    report(
                        .unknownList(name, policy: entry.key, nearest: nearest), at: position)
                }
            }
            policies.append(policy)
        }
        if let index = policies.firstIndex(where: { $0.name == "default" }) {
            policies.insert(policies.remove(at: index), at: 0)
            settings.policies = policies
        } else if !entries.contains(where: { $0.key == "default" }) {
            report(.missingDefaultPolicy, at: node.position)
        }
        warnOfUnusedLists(top, used: used)
    }

    private mutating func warnOfUnusedLists(_ top: Section, used: Set<String>) {
        guard case .mapping(let lists)? = top["lists"]?.content else { return }
        var warned = Set<String>()
        for entry in lists where Self.isName(entry.key) && !used.contains(entry.key) {
            guard warned.insert(entry.key).inserted else { continue }
            report(.unusedList(entry.key), at: entry.keyPosition)
        }
    }

    /// Reads `clients`, after the policies.
    mutating func decodeClients(_ top: Section) {
        guard let node = top["clients"], let items = items(node, key: "clients") else { return }
        var declared = Self.keys(top["policies"])
        if declared.isEmpty { declared = ["default"] }
        let candidates = declared.sorted()
        var seen: [(value: AddressPrefix, position: SourcePosition)] = []
        for item in items {
            guard let client = section(item, label: "clients", tablePath: "clients.*") else {
                continue
            }
            for key in ["address", "policy"] where client[key] == nil {
                report(.missingKey(key, under: "clients"), at: item.position)
            }
            let prefix = client["address"].flatMap { self.prefix($0, key: "clients.address") }
            if let prefix { seen.append((prefix, client["address"]?.position ?? item.position)) }
            let policy = value(client, "policy", expected: .name) { $0 }
            guard let policy, let position = client["policy"]?.position else { continue }
            guard declared.contains(policy) else {
                let nearest = isFull ? nil : NearestName.of(policy, among: candidates)
                report(.unknownPolicy(policy, nearest: nearest), at: position)
                continue
            }
            if let prefix {
                settings.clients.append(ClientSettings(prefix: prefix, policy: policy))
            }
        }
        refuseDuplicates(seen, key: "clients.address")
    }

    /// The keys of a mapping; none of any other value.
    private static func keys(_ node: ConfigurationNode?) -> Set<String> {
        guard case .mapping(let entries)? = node?.content else { return [] }
        return Set(entries.map(\.key))
    }
}

extension ConfigurationNode {
    /// Whether this is `{}`.
    var isEmptyMapping: Bool {
        guard case .mapping(let entries) = content else { return false }
        return entries.isEmpty
    }
}
