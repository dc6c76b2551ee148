import DomainNames
import Quantities
import Testing

@testable import Configuration

/// Settings and problem texts of a configuration in a file named `sluice.yaml`.
func load(_ text: String) -> (settings: Settings?, problems: [String]) {
    let (settings, problems) = Settings.load(text: Array(text.utf8), file: "sluice.yaml")
    return (settings, problems.map(\.description))
}

@Suite struct SettingsLoadTests {
    @Test(arguments: ["", "\n\n", "# nothing but a comment\n", "{}"])
    func emptyTextGivesTheDefaults(text: String) {
        let (settings, problems) = load(text)
        #expect(problems == [])
        #expect(settings == Settings())
    }

    @Test func aLargerCacheRaisesTheDefaultLimit() throws {
        let text = Array("cache-size: 64MiB\n".utf8)
        let settings = try #require(Settings.load(text: text, file: "f").settings)
        #expect(settings.memoryLimit == .mebibytes(120))
        let both = Array("memory-limit: 70MiB\ncache-size: 64MiB\n".utf8)
        #expect(Settings.load(text: both, file: "f").settings?.memoryLimit == .mebibytes(70))
    }

    @Test func everyLiveKeyIsRead() throws {
        let (loaded, problems) = load(liveKeys)
        #expect(problems == [])
        let settings = try #require(loaded)
        #expect(
            settings.listen.map(\.description)
                == ["127.0.0.1:5335", "[::1]:5335", "192.168.1.2:53"])
        #expect(settings.allowClients.map(\.description) == ["0.0.0.0/0", "2001:db8::/32"])
        #expect(
            settings.upstreams.map(\.description)
                == ["192.168.1.1:53", "[2001:db8::53]:5353", "[fe80::1%eth0]:53"])
        var ads = ListSettings(name: "ads", file: "/lists/ads.txt")
        ads.format = .adblock
        ads.allowsPublicSuffixes = true
        var local = ListSettings(name: "local", file: "/lists/local.txt")
        local.format = .domains
        local.scope = .subtree
        local.rewrites = false
        var mine = ListSettings(name: "mine", file: "lists/mine.txt")
        mine.action = .allow
        #expect(settings.lists == [ads, local, mine])
        #expect(
            settings.policies == [
                PolicySettings(name: "default", lists: ["ads", "local", "mine"]),
                PolicySettings(name: "kids", lists: ["ads", "local"]),
            ])
        #expect(settings.clients.map(\.policy) == ["kids", "kids"])
        #expect(settings.blockAnswer == .nodata)
        #expect(settings.blockTTL == .seconds(60))
        #expect(settings.prefilterFalsePositiveRate == 0.01)
        #expect(settings.ttl.minimum == .seconds(5))
        #expect(settings.ttl.maximum == .seconds(7200))
        #expect(settings.ttl.negativeMaximum == .seconds(600))
        #expect(settings.serveStale.maximumAge == .zero)
        #expect(settings.serveStale.clientTimeout == .milliseconds(900))
        #expect(settings.tcp.idleTimeout == .seconds(5))
        #expect(settings.tcp.connections == 64)
        #expect(settings.tcp.perClient == 4)
        #expect(settings.memoryLimit == .mebibytes(32))
        #expect(settings.cacheSize == .kibibytes(512))
        #expect(settings.workers == 3)
        #expect(settings.log.level == .debug)
        #expect(settings.log.queries)
        #expect(settings.stateDirectory == "/srv/sluice")
        #expect(settings.controlSocket == "/srv/sluice/control")
    }

    @Test func clientGetsThePolicyOfItsLongestPrefix() throws {
        let settings = try #require(
            load(
                """
                policies: { a: { lists: [] }, b: { lists: [] }, default: { lists: [] } }
                clients:
                  - { address: 10.0.0.0/8, policy: a }
                  - { address: 10.1.0.0/16, policy: b }
                """
            ).settings)
        let table = settings.clientTable
        func policy(_ text: String) throws -> String {
            let address = try #require(IPAddress(text: text))
            return settings.policies[table.longestMatch(address) ?? 0].name
        }
        #expect(try policy("10.1.2.3") == "b")
        #expect(try policy("10.2.2.3") == "a")
        #expect(try policy("192.0.2.1") == "default")
    }

    @Test func withoutPoliciesTheDefaultHasAllLists() throws {
        let settings = try #require(load("lists: { a: { file: /a }, b: { file: /b } }").settings)
        #expect(settings.policies == [PolicySettings(name: "default", lists: ["a", "b"])])
    }

    @Test func relativePathStartsAtTheDirectoryOfTheFile() throws {
        let text = Array("lists: { a: { file: lists/a.txt }, b: { file: /b } }".utf8)
        let far = try #require(Settings.load(text: text, file: "/etc/sluice/s.yaml").settings)
        #expect(far.lists.map(\.file) == ["/etc/sluice/lists/a.txt", "/b"])
    }

    @Test func allowTableKnowsTheDefaultNetworks() throws {
        let table = Settings().allowTable
        for (text, isAllowed) in [
            ("127.0.0.1", true), ("192.168.200.1", true), ("172.32.0.1", false), ("fd00::1", true),
            ("2001:db8::1", false), ("::1", true), ("8.8.8.8", false),
        ] {
            let address = try #require(IPAddress(text: text))
            #expect((table.longestMatch(address) != nil) == isAllowed, "\(text)")
        }
    }
}

/// Every key that this version acts on, none with its default.
private let liveKeys = """
    listen: ["127.0.0.1:5335", "[::1]:5335", 192.168.1.2]
    allow-clients: [0.0.0.0/0, "2001:db8::/32"]
    upstreams: [192.168.1.1, "[2001:db8::53]:5353", "[fe80::1%eth0]"]
    lists:
      ads:   { file: /lists/ads.txt, format: adblock, allow-public-suffixes: true }
      local: { file: /lists/local.txt, format: domains, scope: subtree, rewrites: false }
      mine:  { file: lists/mine.txt, action: allow }
    policies: { kids: { lists: [ads, local] }, default: { lists: [ads, local, mine] } }
    clients:
      - { address: 192.168.1.40, policy: kids }
      - { address: "2001:db8:1::/48", policy: kids }
    block-answer: nodata
    block-ttl: 1m
    prefilter-false-positive-rate: 0.01
    ttl: { minimum: 5s, maximum: 2h, negative-maximum: 10m }
    serve-stale: { maximum-age: 0s, client-timeout: 900ms }
    tcp: { idle-timeout: 5s, connections: 64, per-client: 4 }
    memory-limit: 32MiB
    cache-size: 512KiB
    workers: 3
    log: { level: debug, queries: true }
    state-directory: /srv/sluice
    control-socket: /srv/sluice/control
    """
