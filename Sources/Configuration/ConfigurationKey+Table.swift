extension ConfigurationKey {
    /// Every key, in the order of the example.
    package static let table: [ConfigurationKey] =
        serving + lists + answers + local + resources + paths

    private static let serving: [ConfigurationKey] = [
        ConfigurationKey(
            "listen", "Where to serve, UDP and TCP.", takes: "ADDRESS[:PORT], port 53 if none",
            default: #"["127.0.0.1:53", "[::1]:53"]"#),
        ConfigurationKey(
            "allow-clients", "Who may ask; others get REFUSED with EDE 18.",
            takes: "ADDRESS or ADDRESS/BITS",
            default: #"[127.0.0.0/8, "::1", 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, "#
                + #""fc00::/7", "fe80::/10"]"#),
        ConfigurationKey(
            "upstreams",
            "Whom to ask; with none, the system's resolvers, never this server itself.",
            takes: "ADDRESS[:PORT]; tls:// and https:// are not in this version", default: "[]",
            example: #"[192.168.1.1, "[2001:db8::53]:53"]"#),
        ConfigurationKey(
            "forward", "Zones that have upstreams of their own.",
            takes: "mappings of 'zones' and 'upstreams'", default: "[]", isLive: false),
        ConfigurationKey(
            "forward.*.zones", "The zones, names below them included.", takes: "domain names",
            isLive: false),
        ConfigurationKey(
            "forward.*.upstreams", "Whom to ask for them.", takes: "as 'upstreams' above",
            isLive: false),
    ]

    private static let lists: [ConfigurationKey] = [
        ConfigurationKey(
            "lists", "The lists, each under a name that answers and messages carry.",
            takes: "mappings", default: "{}",
            example: "{ ads: { file: /etc/sluice/ads.txt, format: adblock } }"),
        ConfigurationKey(
            "lists.*.file", "The text; a relative path starts at this file's directory.",
            takes: "a path"),
        ConfigurationKey(
            "lists.*.url", "Where `sluice update` fetches the text, in place of 'file'.",
            takes: "https://, http:// or file:///"),
        ConfigurationKey(
            "lists.*.timeout", "How long fetching it may take.", takes: "1s to 1h, 30s if none",
            default: "30s"),
        ConfigurationKey(
            "lists.*.size-limit", "Octets that it may have, unpacked.",
            takes: "1KiB to 1GiB, 64MiB if none", default: "64MiB"),
        ConfigurationKey(
            "lists.*.shrink-limit",
            "A new text that lacks more of the rules than this is held back.",
            takes: "0% to 100%, 50% if none", default: "50%"),
        ConfigurationKey(
            "lists.*.pir", "A list that is asked privately.", takes: "a mapping", isLive: false),
        ConfigurationKey("lists.*.pir.service", "The service.", takes: "https://", isLive: false),
        ConfigurationKey(
            "lists.*.pir.issuer", "The issuer of tokens.", takes: "https://", isLive: false),
        ConfigurationKey(
            "lists.*.pir.token-file", "The user's token.", takes: "a path", isLive: false),
        ConfigurationKey("lists.*.pir.use-case", "The data set.", takes: "a text", isLive: false),
        ConfigurationKey(
            "lists.*.pir.fail", "What an undecided name gets.", takes: "open | closed",
            default: "closed", isLive: false),
        ConfigurationKey(
            "lists.*.pir.prefilter-interval", "How often to fetch the prefilter.",
            takes: "1m to 30d", default: "24h", isLive: false),
        ConfigurationKey(
            "lists.*.format", "How it is written; guessed if left out.",
            takes: "hosts | domains | wildcard | adblock | dnsmasq | unbound | rpz"),
        ConfigurationKey(
            "lists.*.scope", "What a bare name covers; as the format has it if left out.",
            takes: "exact | subtree | below"),
        ConfigurationKey(
            "lists.*.action", "What its names are.", takes: "block | allow", default: "block"),
        ConfigurationKey(
            "lists.*.allow-public-suffixes", "Let a rule cover a whole public suffix.",
            takes: "true | false", default: "false"),
        ConfigurationKey(
            "lists.*.rewrites", "Let its rewrites count.",
            takes: "true | false, true with 'file' and false with 'url' if none"),
        ConfigurationKey("update", "How `sluice update` fetches lists.", takes: "a mapping"),
        ConfigurationKey(
            "update.retries", "Tries after the first when a server fails for the moment.",
            takes: "0 to 10", default: "2"),
        ConfigurationKey(
            "update.redirects", "Redirects that are followed.", takes: "0 to 20", default: "5"),
        ConfigurationKey(
            "policies",
            "Sets of lists; clients not named have 'default'. With none, 'default' has all lists.",
            takes: "mappings", default: "{}",
            example: "{ default: { lists: [ads] }, guests: { lists: [] } }"),
        ConfigurationKey("policies.*.lists", "Names of lists, most telling first.", takes: "names"),
        ConfigurationKey(
            "clients", "Clients with a policy of their own; the longest prefix counts.",
            takes: "mappings of 'address' and 'policy'", default: "[]",
            example: "[{ address: 192.168.1.0/28, policy: guests }]"),
        ConfigurationKey(
            "clients.*.address", "The clients.", takes: "ADDRESS or ADDRESS/BITS"),
        ConfigurationKey("clients.*.policy", "Their policy.", takes: "a name in 'policies'"),
    ]

    private static let answers: [ConfigurationKey] = [
        ConfigurationKey(
            "block-answer", "What a blocked name gets. On refused, stubs may ask elsewhere.",
            takes: "nxdomain | nxdomain-safe | nodata | null | refused", default: "nxdomain"),
        ConfigurationKey(
            "block-ttl",
            "How long a client may keep that; short, so that pause and allow act soon.",
            takes: "0s to 1d", default: "10s"),
        ConfigurationKey(
            "prefilter-false-positive-rate", "Of names that no list has, how many look twice.",
            takes: "0.000001 to 0.5", default: "0.001"),
        ConfigurationKey(
            "ttl", "Bounds on how long answers are kept.", takes: "durations"),
        ConfigurationKey(
            "ttl.minimum", "Shorter times are raised to this.", takes: "0s to 1h", default: "0s"),
        ConfigurationKey(
            "ttl.maximum", "Longer times are cut to this.", takes: "0s to 7d", default: "1d"),
        ConfigurationKey(
            "ttl.negative-maximum", "Longer negative times are cut to this (RFC 2308).",
            takes: "0s to 1d", default: "3h"),
        ConfigurationKey(
            "serve-stale", "Answers past their time, when no upstream answers (RFC 8767).",
            takes: "durations"),
        ConfigurationKey(
            "serve-stale.maximum-age", "How long past it; 0s turns this off.", takes: "0s to 7d",
            default: "1d"),
        ConfigurationKey(
            "serve-stale.client-timeout", "How long a client waits for a fresh answer first.",
            takes: "0s to 4s", default: "1800ms"),
    ]

    private static let local: [ConfigurationKey] = [
        ConfigurationKey(
            "hosts-files",
            "Hosts files to answer from: [/etc/hosts] once it is built, off until then.",
            takes: "paths", default: "[]", isLive: false),
        ConfigurationKey(
            "records", "Names of your own.", takes: "mappings of 'name', 'a' and 'aaaa'",
            default: "[]", isLive: false),
        ConfigurationKey("records.*.name", "The name.", takes: "a domain name", isLive: false),
        ConfigurationKey(
            "records.*.a", "Its IPv4 addresses.", takes: "addresses", default: "[]", isLive: false),
        ConfigurationKey(
            "records.*.aaaa", "Its IPv6 addresses.", takes: "addresses", default: "[]",
            isLive: false),
        ConfigurationKey(
            "rebinding-protection", "Refuse private addresses in public answers.",
            takes: "a mapping", isLive: false),
        ConfigurationKey(
            "rebinding-protection.enabled", "Whether to.", takes: "true | false",
            default: "false", isLive: false),
        ConfigurationKey(
            "rebinding-protection.exempt", "Names that may.", takes: "domain names",
            default: "[]", isLive: false),
        ConfigurationKey(
            "special-use", "Names that standards or browsers set apart.", takes: "a mapping",
            isLive: false),
        ConfigurationKey(
            "special-use.test", "The zone test (RFC 6761).", takes: "nxdomain | forward",
            default: "nxdomain", isLive: false),
        ConfigurationKey(
            "special-use.private-relay", "The names of iCloud Private Relay.",
            takes: "nxdomain | forward", default: "forward", isLive: false),
        ConfigurationKey(
            "special-use.firefox-canary", "The name that keeps Firefox on this server.",
            takes: "nxdomain | forward", default: "nxdomain", isLive: false),
        ConfigurationKey(
            "filter-domains", "Only names under these are filtered; \"\" means all.",
            takes: "domain names", default: #"[""]"#, isLive: false),
        ConfigurationKey(
            "trusted-forwarders", "Whose EDNS client options are believed.",
            takes: "ADDRESS or ADDRESS/BITS", default: "[]", isLive: false),
    ]

    private static let resources: [ConfigurationKey] = [
        ConfigurationKey(
            "rate-limit", "Limits per client; 0 means none.", takes: "a mapping", isLive: false),
        ConfigurationKey(
            "rate-limit.queries-per-second", "Queries.", takes: "0 to 1000000", default: "0",
            isLive: false),
        ConfigurationKey(
            "rate-limit.responses-per-second", "Responses.", takes: "0 to 1000000", default: "0",
            isLive: false),
        ConfigurationKey("tcp", "TCP connections of clients.", takes: "a mapping"),
        ConfigurationKey(
            "tcp.idle-timeout", "How long one may be idle.", takes: "100ms to 10m", default: "10s"),
        ConfigurationKey(
            "tcp.connections", "Connections in all.", takes: "1 to 65535", default: "256"),
        ConfigurationKey(
            "tcp.per-client", "Connections of one address.", takes: "1 to 65535", default: "16"),
        ConfigurationKey(
            "memory-limit",
            "What the daemon may use in all; when not set, at least 56MiB more than cache-size.",
            takes: "4MiB to 1TiB",
            default: "64MiB"),
        ConfigurationKey(
            "cache-size", "What the answer cache may use of it.", takes: "64KiB to 1TiB",
            default: "8MiB"),
        ConfigurationKey(
            "workers", "Worker threads; auto means one per core.", takes: "auto | 1 to 256",
            default: "auto"),
        ConfigurationKey(
            "reports", "Reports of blocked names.", takes: "a mapping", isLive: false),
        ConfigurationKey(
            "reports.endpoint", "Where to send them.", takes: "off | https:// or http://",
            default: "off", isLive: false),
        ConfigurationKey(
            "reports.interval", "How often.", takes: "1m to 30d", default: "1d", isLive: false),
        ConfigurationKey(
            "reports.format", "How they are written.", takes: "json | protobuf", default: "json",
            isLive: false),
    ]

    private static let paths: [ConfigurationKey] = [
        ConfigurationKey("log", "What to write to standard error.", takes: "a mapping"),
        ConfigurationKey(
            "log.level", "How much.", takes: "error | warning | info | debug", default: "info"),
        ConfigurationKey(
            "log.queries", "A line per query; it tells who asked for what.", takes: "true | false",
            default: "false"),
        ConfigurationKey(
            "state-directory", "Where snapshots and list texts are.", takes: "a path",
            default: "/var/lib/sluice"),
        ConfigurationKey(
            "control-socket", "The Unix socket that commands talk to.",
            takes: "a path of at most 107 octets", default: "/run/sluice/control.sock"),
    ]
}
