import Testing

@testable import Configuration

@Suite struct SettingsProblemTests {
    /// Every fault with its place and its fix, word for word: this is what people read.
    @Test(arguments: faults)
    func faultIsNamedWithItsPlaceAndFix(text: String, message: String) {
        let (settings, problems) = load(text)
        #expect(settings == nil)
        #expect(problems == ["sluice.yaml:" + message])
    }

    @Test(arguments: [
        ("a: [1", "2:1: not YAML: "),
        ("a: b: c", "1:5: not YAML: "),
        ("a: &x 1", "1:4: anchors (&)"),
        ("a: *x", "1:4: anchors (&)"),
        ("a: !!str 1", "1:4: tags (!)"),
        ("a: 1\n---\nb: 2", "2:1: a second document"),
        ("[a]: 1", "1:1: a key must be"),
    ])
    func whatIsNoPlainYAMLIsRefused(text: String, start: String) {
        let (settings, problems) = load(text)
        #expect(settings == nil)
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix("sluice.yaml:" + start) == true, "\(problems)")
    }

    @Test func octetsThatAreNoUTF8AreRefused() {
        let (settings, problems) = Settings.load(
            text: Array("workers: ".utf8) + [0xFF, 0x0A], file: "f")
        #expect(settings == nil)
        #expect(problems.count == 1)
        guard case .malformed(let reason)? = problems.first?.kind else {
            Issue.record("\(problems)")
            return
        }
        #expect(reason.contains("UTF-8"))
    }

    @Test func allProblemsAreCollectedInOrder() {
        let (settings, problems) = load(
            """
            listn: []
            workers: none
            lists: { ads: { file: "", scope: all } }
            policies: { default: { lists: [adz] } }
            block-answer: refused
            """)
        #expect(settings == nil)
        #expect(
            problems.map { $0.split(separator: " ")[0] } == [
                "sluice.yaml:1:1:", "sluice.yaml:2:10:", "sluice.yaml:3:10:", "sluice.yaml:3:23:",
                "sluice.yaml:3:34:", "sluice.yaml:4:32:", "sluice.yaml:5:15:",
            ])
    }

    @Test func warningsLeaveTheSettingsInForce() {
        let (settings, problems) = load(
            """
            lists: { ads: { file: /a }, old: { file: /b } }
            policies: { default: { lists: [ads] } }
            block-answer: refused
            """)
        #expect(settings?.blockAnswer == .refused)
        #expect(
            problems == [
                "sluice.yaml:1:29: warning: no policy uses the list 'old'",
                "sluice.yaml:3:15: warning: on REFUSED many clients ask their next server, which "
                    + "may not filter",
            ])
    }

    @Test func otherPortOrAddressIsNoLoop() {
        #expect(load("listen: [\"127.0.0.1:5335\"]\nupstreams: [127.0.0.1]").problems == [])
        #expect(load("upstreams: [127.0.0.2]").problems == [])
        #expect(load("listen: [0.0.0.0]\nupstreams: [\"[::1]\"]").problems == [])
    }

    @Test func tooManyProblemsEndInOneThatSaysSo() {
        let text = (0..<5000).map { "k\($0): 1" }.joined(separator: "\n")
        let (_, problems) = Settings.load(text: Array(text.utf8), file: "f")
        #expect(problems.count == ConfigurationLimits.problems)
        #expect(problems.last?.kind == .tooManyProblems(limit: 999))
    }

    @Test func largeDeepAndManyAreRefused() {
        func kind(_ text: [UInt8]) -> ConfigurationProblem.Kind? {
            Settings.load(text: text, file: "f").problems.first?.kind
        }
        let large = [UInt8](repeating: UInt8(ascii: "#"), count: (1 << 20) + 1)
        #expect(kind(large) == .documentTooLarge(limit: ConfigurationLimits.documentSize))
        let deep = [UInt8](repeating: UInt8(ascii: "["), count: 100_000)
        #expect(kind(deep) == .nestedTooDeeply(limit: 16))
        let many = Array("a: [\(String(repeating: "1,", count: 70_000))]".utf8)
        #expect(kind(many) == .tooManyValues(limit: 65_536))
    }
}

/// Texts with one fault each, and what is said about it after the file's name.
private let faults: [(text: String, message: String)] = [
    ("upstrems: []", "1:1: unknown key 'upstrems'; did you mean 'upstreams'?"),
    ("zzz: 1", "1:1: unknown key 'zzz'"),
    ("ttl: { minimun: 1s }", "1:8: unknown key 'minimun' in 'ttl'; did you mean 'minimum'?"),
    (
        "lists: { a: { fil: /a, file: /a } }",
        "1:15: unknown key 'fil' in 'lists.a'; did you mean 'file'?"
    ),
    ("\nworkers: 1\nworkers: 2", "3:1: duplicate key 'workers'; it stands in line 2 already"),
    (
        "block-ttl: 10",
        "1:12: bad value '10' for 'block-ttl'; expected a duration such as 10s "
            + "(ms, s, m, h, d) from 0s to 1d"
    ),
    (
        "block-ttl:",
        "1:11: bad value '' for 'block-ttl'; expected a duration such as 10s "
            + "(ms, s, m, h, d) from 0s to 1d"
    ),
    (
        "block-answer: nxdomian",
        "1:15: bad value 'nxdomian' for 'block-answer'; did you mean 'nxdomain'?"
    ),
    (
        "block-answer: sinkhole",
        "1:15: bad value 'sinkhole' for 'block-answer'; expected "
            + "nxdomain | nxdomain-safe | nodata | null | refused"
    ),
    (
        "log: { queries: yes }",
        "1:17: bad value 'yes' for 'log.queries'; expected true or false"
    ),
    (
        "workers: 0",
        "1:10: bad value '0' for 'workers'; expected auto, or a whole number from 1 "
            + "to 256"
    ),
    (
        "cache-size: 8MB",
        "1:13: bad value '8MB' for 'cache-size'; expected a size such as 8MiB "
            + "(B, KiB, MiB, GiB) from 64KiB to 1TiB"
    ),
    (
        "prefilter-false-positive-rate: 0x1p-3",
        "1:32: bad value '0x1p-3' for "
            + "'prefilter-false-positive-rate'; expected a number from 1e-06 to 0.5"
    ),
    ("listen: 127.0.0.1", "1:9: 'listen' is a single value, expected a list: [VALUE, …]"),
    ("listen: []", "1:9: 'listen' is empty; leave the key out for its default"),
    (
        "listen: [localhost]",
        "1:10: bad value 'localhost' for 'listen'; expected ADDRESS[:PORT], "
            + "an IPv6 address in brackets"
    ),
    (
        "listen: [127.0.0.1, \"127.0.0.1:53\"]",
        "1:21: '127.0.0.1:53' stands twice in 'listen', first in line 1"
    ),
    (
        "listen: [\"0.0.0.0:5353\"]",
        "1:10: port 5353 belongs to multicast DNS; take another one, such as 5335"
    ),
    (
        "listen: [\"[fe80::1]:53\"]",
        "1:10: fe80::1 is a link-local address; name its interface: "
            + "[fe80::1%eth0]"
    ),
    (
        "upstreams: [127.0.0.1]",
        "1:13: upstream 127.0.0.1:53 is this server itself (listen: "
            + "127.0.0.1:53): queries would go round in a loop"
    ),
    (
        "listen: [0.0.0.0]\nupstreams: [127.0.0.53]",
        "2:13: upstream 127.0.0.53:53 is this server "
            + "itself (listen: 0.0.0.0:53): queries would go round in a loop"
    ),
    (
        "upstreams: [nonsense://x]",
        "1:13: bad value 'nonsense://x' for 'upstreams'; expected "
            + "ADDRESS[:PORT], an IPv6 address in brackets, tls://ADDRESS[:PORT]#NAME or "
            + "https://HOST/PATH"
    ),
    (
        "allow-clients: [192.168.1.40/24]",
        "1:17: bad value '192.168.1.40/24' for "
            + "'allow-clients'; did you mean '192.168.1.0/24'?"
    ),
    (
        "lists: { a: { format: hosts } }",
        "1:10: list 'a' has no source; give it 'file', 'url' or 'pir'"
    ),
    (
        "lists: { a: { file: /a, format: host } }",
        "1:33: bad value 'host' for 'lists.a.format'; did you mean 'hosts'?"
    ),
    (
        "lists: { ../a: { file: /a } }",
        "1:10: bad value '../a' for 'lists'; expected 1 to 64 "
            + "letters, digits, '-', '_' and '.', a letter or digit first"
    ),
    (
        "lists: { ads: { file: /a } }\npolicies: { default: { lists: [ads, adds] } }",
        "2:37: policy 'default' names the list 'adds', which is not in 'lists'; did you mean "
            + "'ads'?"
    ),
    (
        "policies: { kids: { lists: [] } }",
        "1:11: no policy 'default', which clients not named "
            + "in 'clients' have; add it"
    ),
    ("policies: { default: {} }", "1:13: 'policies.default' needs the key 'lists'"),
    (
        "clients: [{ address: 10.0.0.1, policy: kids }]",
        "1:40: policy 'kids' is not in 'policies'"
    ),
    ("clients: [{ address: 10.0.0.1 }]", "1:11: 'clients' needs the key 'policy'"),
    (
        "clients:\n - { address: 10.0.0.1, policy: default }\n"
            + " - { address: 10.0.0.1/32, policy: default }",
        "3:15: '10.0.0.1' stands twice in 'clients.address', first in line 2"
    ),
    (
        "upstreams: [" + (1...17).map { "192.0.2.\($0)" }.joined(separator: ", ") + "]",
        "1:12: 'upstreams' has 17 items; at most 16 are taken"
    ),
    (
        "ttl: { minimum: 1h, maximum: 1s }",
        "1:17: 'ttl.minimum' (1h) is above 'ttl.maximum' (1s)"
    ),
    (
        "cache-size: 128MiB\nmemory-limit: 64MiB",
        "1:13: 'cache-size' (128MiB) is above 'memory-limit' (64MiB)"
    ),
    (
        "tcp: { connections: 4, per-client: 5 }",
        "1:36: 'tcp.per-client' (5) is above 'tcp.connections' (4)"
    ),
    (
        "control-socket: /\(String(repeating: "x", count: 107))",
        "1:17: bad value '/\(String(repeating: "x", count: 79))…' for 'control-socket'; "
            + "expected a path of at most 107 octets"
    ),
    ("log: \"\\e[31m\"", "1:6: 'log' is a single value, expected a mapping: { KEY: VALUE, … }"),
    ("\"\\e[31m\": 1", "1:1: unknown key '\\u{1b}[31m'"),
    ("[1]", "1:1: the file is a list, expected a mapping: { KEY: VALUE, … }"),
]
