import DomainNames
import Quantities

extension SettingsDecoder {
    /// Reads the whole tree; afterwards `settings` and `problems` are complete.
    mutating func decode(_ root: ConfigurationNode) {
        guard let top = section(root, label: "", tablePath: "") else { return }
        decodeServing(top)
        decodeLists(top)
        decodeUpdate(top)
        decodePolicies(top)
        decodeClients(top)
        decodeAnswers(top)
        decodeResources(top)
        decodeLater(top)
    }

    // MARK: Serving

    private mutating func decodeServing(_ top: Section) {
        let listen = values(top, "listen", expected: .endpoint) {
            EndpointSetting(text: $0, defaultPort: 53)
        }
        if let listen {
            settings.listen = listen.map(\.value)
            refuseDuplicates(listen, key: "listen")
            refuseTooMany(top, "listen", listen.count, limit: ConfigurationLimits.listeners)
            for (endpoint, position) in listen {
                if endpoint.port == 5353 { report(.multicastDNSPort, at: position) }
                refuseMissingZone(endpoint, at: position)
            }
            refuseEmpty(top, "listen")
        }
        let allowed = prefixes(top, "allow-clients")
        if let allowed {
            settings.allowClients = allowed.map(\.value)
            refuseDuplicates(allowed, key: "allow-clients")
            refuseEmpty(top, "allow-clients")
        }
        guard let upstreams = upstreams(top, "upstreams") else { return }
        settings.upstreams = upstreams.map(\.value)
        refuseDuplicates(upstreams, key: "upstreams")
        refuseTooMany(top, "upstreams", upstreams.count, limit: ConfigurationLimits.upstreams)
        for (upstream, position) in upstreams {
            refuseMissingZone(upstream, at: position)
            if let listener = settings.listen.first(where: { upstream.reaches($0) }) {
                report(.upstreamIsListener(upstream: upstream, listener: listener), at: position)
            }
        }
    }

    /// The plain upstreams of the sequence at `key`; encrypted ones are checked and refused.
    mutating func upstreams(
        _ section: Section, _ key: String
    ) -> [(value: EndpointSetting, position: SourcePosition)]? {
        guard let node = section[key], let items = items(node, key: section.path(key)) else {
            return nil
        }
        var endpoints: [(value: EndpointSetting, position: SourcePosition)] = []
        for item in items {
            guard let text = scalar(item, key: section.path(key)) else { continue }
            if let endpoint = EndpointSetting(text: text, defaultPort: 53) {
                endpoints.append((endpoint, item.position))
            } else if Self.isEncryptedUpstream(text) {
                report(.notInThisVersion(key: section.path(key), value: text), at: item.position)
            } else {
                report(
                    .badValue(
                        key: section.path(key), value: text, expected: .upstream, nearest: nil),
                    at: item.position)
            }
        }
        return endpoints
    }

    /// Whether `text` is `tls://ADDRESS[:PORT]#NAME` or `https://HOST/PATH`.
    private static func isEncryptedUpstream(_ text: String) -> Bool {
        if text.hasPrefix("tls://") {
            let parts = text.dropFirst(6).split(
                separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
            return parts.count == 2
                && EndpointSetting(text: String(parts[0]), defaultPort: 853) != nil
                && (try? DomainName(text: String(parts[1]))) != nil
        }
        return isURL(text, schemes: ["https"])
    }

    private mutating func refuseMissingZone(
        _ endpoint: EndpointSetting, at position: SourcePosition
    ) {
        guard endpoint.address.isLinkLocalIPv6, endpoint.zone == nil else { return }
        report(.linkLocalWithoutZone(endpoint.address), at: position)
    }

    private mutating func refuseEmpty(_ section: Section, _ key: String) {
        guard let node = section[key], case .sequence(let items) = node.content, items.isEmpty
        else { return }
        report(.emptySequence(key: section.path(key)), at: node.position)
    }

    /// Refuses a sequence of more than `limit` items.
    private mutating func refuseTooMany(
        _ section: Section, _ key: String, _ count: Int, limit: Int
    ) {
        guard count > limit, let node = section[key] else { return }
        report(
            .tooManyItems(key: section.path(key), count: count, limit: limit), at: node.position)
    }

    /// The prefixes of the sequence at `key`.
    mutating func prefixes(
        _ section: Section, _ key: String
    ) -> [(value: AddressPrefix, position: SourcePosition)]? {
        guard let node = section[key], let items = items(node, key: section.path(key)) else {
            return nil
        }
        return items.compactMap { item in
            prefix(item, key: section.path(key)).map { ($0, item.position) }
        }
    }

    /// The prefix that `node` writes; for bits past it the problem names the prefix meant.
    mutating func prefix(_ node: ConfigurationNode, key: String) -> AddressPrefix? {
        guard let text = scalar(node, key: key) else { return nil }
        var nearest: String?
        do throws(AddressPrefix.TextError) {
            return try AddressPrefix(text: text)
        } catch {
            if case .bitsPastPrefix(let meant) = error { nearest = meant.description }
        }
        report(
            .badValue(key: key, value: text, expected: .prefix, nearest: nearest),
            at: node.position)
        return nil
    }

    // MARK: Answers

    private mutating func decodeAnswers(_ top: Section) {
        if let answer = choice(top, "block-answer", of: BlockAnswerSetting.self) {
            settings.blockAnswer = answer
            if answer == .refused, let node = top["block-answer"] {
                report(.refusedSendsStubsElsewhere, at: node.position)
            }
        }
        if let ttl = duration(top, "block-ttl", in: .zero ... .days(1)) { settings.blockTTL = ttl }
        if let rate = fraction(top, "prefilter-false-positive-rate", in: 0.000001...0.5) {
            settings.prefilterFalsePositiveRate = rate
        }
        if let ttl = section(top, "ttl") { decodeTTL(ttl) }
        guard let stale = section(top, "serve-stale") else { return }
        if let age = duration(stale, "maximum-age", in: .zero ... .days(7)) {
            settings.serveStale.maximumAge = age
        }
        if let timeout = duration(stale, "client-timeout", in: .zero ... .seconds(4)) {
            settings.serveStale.clientTimeout = timeout
        }
    }

    private mutating func decodeTTL(_ ttl: Section) {
        if let minimum = duration(ttl, "minimum", in: .zero ... .seconds(3600)) {
            settings.ttl.minimum = minimum
        }
        if let maximum = duration(ttl, "maximum", in: .zero ... .days(7)) {
            settings.ttl.maximum = maximum
        }
        if let negative = duration(ttl, "negative-maximum", in: .zero ... .days(1)) {
            settings.ttl.negativeMaximum = negative
        }
        let bounds = settings.ttl
        guard bounds.minimum > bounds.maximum else { return }
        report(
            .above(
                key: "ttl.minimum", value: DurationText.text(of: bounds.minimum),
                other: "ttl.maximum", otherValue: DurationText.text(of: bounds.maximum)),
            at: (ttl["minimum"] ?? ttl["maximum"])?.position ?? ttl.position)
    }

    // MARK: Resources and paths

    private mutating func decodeResources(_ top: Section) {
        if let tcp = section(top, "tcp") { decodeTCP(tcp) }
        if let cache = size(top, "cache-size", in: .kibibytes(64) ... .mebibytes(1 << 20)) {
            settings.cacheSize = cache
            // Who sets a larger cache and no limit means the cache to fit.
            settings.memoryLimit = max(
                settings.memoryLimit, ByteCount(cache.octets + Settings.memoryBesideCache.octets))
        }
        if let limit = size(top, "memory-limit", in: .mebibytes(4) ... .mebibytes(1 << 20)) {
            settings.memoryLimit = limit
        }
        if settings.cacheSize > settings.memoryLimit {
            let node = top["cache-size"] ?? top["memory-limit"]
            report(
                .above(
                    key: "cache-size", value: ByteCountText.text(of: settings.cacheSize),
                    other: "memory-limit",
                    otherValue: ByteCountText.text(of: settings.memoryLimit)),
                at: node?.position ?? top.position)
        }
        let workerRange = 1...256
        let workers: Int?? = value(
            top, "workers", expected: .integerOr(word: "auto", workerRange)
        ) { text -> Int?? in
            if text == "auto" { return .some(nil) }
            return Self.integer(text, in: workerRange).map { .some($0) }
        }
        if let workers { settings.workers = workers }
        if let log = section(top, "log") {
            if let level = choice(log, "level", of: LogSettings.Level.self) {
                settings.log.level = level
            }
            if let queries = boolean(log, "queries") { settings.log.queries = queries }
        }
        if let path = path(top, "state-directory", limit: ConfigurationLimits.pathSize) {
            settings.stateDirectory = path
        }
        if let path = path(top, "control-socket", limit: ConfigurationLimits.socketPathSize) {
            settings.controlSocket = path
        }
    }

    private mutating func decodeTCP(_ tcp: Section) {
        let idle = duration(tcp, "idle-timeout", in: .milliseconds(100) ... .seconds(600))
        if let idle { settings.tcp.idleTimeout = idle }
        if let count = integer(tcp, "connections", in: 1...65_535) {
            settings.tcp.connections = count
        }
        let perClient = integer(tcp, "per-client", in: 1...65_535)
        // A small total alone lowers the share of one client with it.
        settings.tcp.perClient =
            perClient ?? min(settings.tcp.perClient, settings.tcp.connections)
        guard settings.tcp.perClient > settings.tcp.connections else { return }
        report(
            .above(
                key: "tcp.per-client", value: "\(settings.tcp.perClient)",
                other: "tcp.connections", otherValue: "\(settings.tcp.connections)"),
            at: tcp["per-client"]?.position ?? tcp.position)
    }

    /// The mapping at `key`, a key with children in the table.
    mutating func section(_ parent: Section, _ key: String) -> Section? {
        guard let node = parent[key] else { return nil }
        let path = parent.path(key)
        return section(node, label: path, tablePath: path)
    }
}

extension Duration {
    /// `count` days of 86,400 seconds.
    static func days(_ count: Int) -> Duration { .seconds(count * 86_400) }
}
