import Testing

@testable import Configuration

@Suite struct LaterKeyTests {
    /// A feature that is not built is refused where it is asked for, never ignored.
    @Test(arguments: [
        (
            "upstreams: [\"tls://9.9.9.9#dns.quad9.net\"]",
            "1:13: 'upstreams: tls://9.9.9.9#dns.quad9.net'"
        ),
        (
            "upstreams: [\"https://dns.example/dns-query\"]",
            "1:13: 'upstreams: https://dns.example/dns-query'"
        ),
        ("lists: { a: { pir: { service: \"https://pir.example\" } } }", "1:20: 'lists.a.pir: {…}'"),
        ("forward: [{ zones: [lan], upstreams: [192.168.1.1] }]", "1:10: 'forward: […]'"),
        ("hosts-files: [/etc/hosts]", "1:15: 'hosts-files: /etc/hosts'"),
        ("records: [{ name: nas.lan, a: [192.168.1.5] }]", "1:10: 'records: […]'"),
        ("rebinding-protection: { enabled: true }", "1:34: 'rebinding-protection.enabled: true'"),
        (
            "rebinding-protection: { exempt: [plex.direct] }",
            "1:34: 'rebinding-protection.exempt: plex.direct'"
        ),
        ("special-use: { test: forward }", "1:22: 'special-use.test: forward'"),
        ("filter-domains: [example.org]", "1:17: 'filter-domains: […]'"),
        ("trusted-forwarders: [10.0.0.1]", "1:22: 'trusted-forwarders: 10.0.0.1'"),
        ("rate-limit: { queries-per-second: 5 }", "1:35: 'rate-limit.queries-per-second: 5'"),
        (
            "reports: { endpoint: \"https://reports.example/\" }",
            "1:22: 'reports.endpoint: https://reports.example/'"
        ),
        ("reports: { interval: 2d }", "1:22: 'reports.interval: 2d'"),
        ("reports: { format: protobuf }", "1:20: 'reports.format: protobuf'"),
    ])
    func laterFeatureIsRefused(text: String, start: String) {
        let (settings, problems) = load(text)
        #expect(settings == nil)
        #expect(
            problems == ["sluice.yaml:\(start) is not in this version; leave the key out"])
    }

    @Test(arguments: [
        ("upstreams: [\"tls://9.9.9.9\"]", "bad value"),
        ("records: [{ name: a..b }]", "bad value"),
        ("records: [{ name: a.b, aaaa: [10.0.0.1] }]", "bad value"),
        ("special-use: { test: maybe }", "bad value"),
        ("rate-limit: { queries-per-second: -1 }", "bad value"),
        ("reports: { endpoint: sometimes }", "bad value"),
        ("forward: [{ zones: [lan] }]", "needs the key 'upstreams'"),
    ])
    func badValueOfALaterKeyShows(text: String, part: String) {
        #expect(load(text).problems.contains { $0.contains(part) })
    }

    @Test func defaultsOfLaterKeysAreTaken() {
        let (settings, problems) = load(
            """
            forward: []
            hosts-files: []
            records: []
            rebinding-protection: { enabled: false, exempt: [] }
            special-use: { test: nxdomain, private-relay: forward, firefox-canary: nxdomain }
            filter-domains: [""]
            trusted-forwarders: []
            rate-limit: { queries-per-second: 0, responses-per-second: 0 }
            reports: { endpoint: off, interval: 1d, format: json }
            """)
        #expect(problems == [])
        #expect(settings == Settings())
    }

    @Test func everyKeyOfTheDesignIsKnown() {
        let (_, problems) = Settings.load(text: Array(wholeExample.utf8), file: "f")
        for problem in problems {
            switch problem.kind {
            case .notInThisVersion: continue
            default: Issue.record("\(problem)")
            }
        }
        #expect(problems.map(\.line) == [3, 3, 4, 9, 17, 18])
    }
}

/// Every key at once, with the values of the documentation.
let wholeExample = """
    listen: ["127.0.0.1:53", "[::1]:53"]
    allow-clients: [127.0.0.0/8, "::1", 10.0.0.0/8, "fc00::/7", "fe80::/10"]
    upstreams: [192.168.1.1, "tls://9.9.9.9#dns.quad9.net", "https://dns.example/dns-query"]
    forward: [{ zones: [lan, 168.192.in-addr.arpa], upstreams: ["192.168.1.1:54"] }]
    lists:
      ads:   { url: "https://lists.example/ads.txt", format: adblock }
      local: { file: /etc/sluice/local.txt, format: domains, scope: subtree }
      mine:  { file: /etc/sluice/allow.txt, format: domains, action: allow }
      vendor: { pir: { service: "https://pir.example", issuer: "https://issuer.example",
        token-file: /t, use-case: x, fail: open, prefilter-interval: 24h } }
    policies: { default: { lists: [ads, local, mine, vendor] }, kids: { lists: [ads, local] } }
    clients: [{ address: 192.168.1.40, policy: kids }]
    block-answer: nxdomain
    block-ttl: 10s
    ttl: { minimum: 0s, maximum: 1d, negative-maximum: 3h }
    serve-stale: { maximum-age: 1d, client-timeout: 1800ms }
    hosts-files: [/etc/hosts]
    records: [{ name: nas.lan, a: [192.168.1.5] }]
    rebinding-protection: { enabled: false, exempt: [] }
    special-use: { test: nxdomain, private-relay: forward, firefox-canary: nxdomain }
    filter-domains: [""]
    trusted-forwarders: []
    rate-limit: { queries-per-second: 0, responses-per-second: 0 }
    tcp: { idle-timeout: 10s, connections: 256, per-client: 16 }
    memory-limit: 64MiB
    cache-size: 8MiB
    workers: auto
    reports: { endpoint: off, interval: 1d, format: json }
    log: { level: info, queries: false }
    state-directory: /var/lib/sluice
    control-socket: /run/sluice/control.sock
    prefilter-false-positive-rate: 0.001
    """
