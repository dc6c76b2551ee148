import DomainNames
import Quantities

/// What a configuration says, typed and complete: keys that the text leaves out have defaults.
///
/// The daemon and the commands hand each component its own small part; no component sees this.
package struct Settings: Equatable, Sendable {
    /// Where to serve, UDP and TCP.
    package var listen: [EndpointSetting] = [
        EndpointSetting(
            address: IPAddress(high: 127 << 56 | 1 << 32, low: 0, isIPv4: true), port: 53),
        EndpointSetting(address: IPAddress(high: 0, low: 1, isIPv4: false), port: 53),
    ]
    /// Who may ask; others get REFUSED.
    package var allowClients: [AddressPrefix] = Self.privateNetworks
    /// Whom to ask; empty means the system's resolvers.
    package var upstreams: [EndpointSetting] = []
    /// The lists, in the order of the text.
    package var lists: [ListSettings] = []
    /// How lists are fetched.
    package var update = UpdateSettings()
    /// The policies; the first is `default`, the others in the order of the text.
    package var policies: [PolicySettings] = [PolicySettings(name: "default", lists: [])]
    /// Clients with a policy of their own.
    package var clients: [ClientSettings] = []
    /// What a blocked name gets.
    package var blockAnswer = BlockAnswerSetting.nxdomain
    /// How long a client may keep a blocked answer.
    package var blockTTL = Duration.seconds(10)
    /// The prefilter's rate of false positives.
    package var prefilterFalsePositiveRate = 0.001
    /// Bounds on how long answers are kept.
    package var ttl = TTLSettings()
    /// Answers past their time (RFC 8767).
    package var serveStale = ServeStaleSettings()
    /// TCP connections.
    package var tcp = TCPSettings()
    /// Octets of the answer cache.
    package var cacheSize = ByteCount.mebibytes(8)
    /// Octets that the daemon may use in all.
    package var memoryLimit = ByteCount.mebibytes(64)

    /// What the limit leaves beside the cache when only the cache is set.
    package static let memoryBesideCache = ByteCount.mebibytes(56)

    /// Worker threads; `nil` means one per core.
    package var workers: Int?
    /// What to write to standard error.
    package var log = LogSettings()
    /// Where snapshots and list texts are.
    package var stateDirectory = "/var/lib/sluice"
    /// The Unix socket that commands talk to.
    package var controlSocket = "/run/sluice/control.sock"

    /// Where the configuration is when nobody says otherwise.
    package static let defaultFile = "/etc/sluice/sluice.yaml"

    /// The defaults.
    package init() {}

    /// Loopback, the private networks (RFC 1918, RFC 4193) and link-local IPv6.
    package static let privateNetworks: [AddressPrefix] = [
        AddressPrefix(IPAddress(high: 127 << 56, low: 0, isIPv4: true), bits: 8),
        AddressPrefix(IPAddress(high: 0, low: 1, isIPv4: false), bits: 128),
        AddressPrefix(IPAddress(high: 10 << 56, low: 0, isIPv4: true), bits: 8),
        AddressPrefix(IPAddress(high: 172 << 56 | 16 << 48, low: 0, isIPv4: true), bits: 12),
        AddressPrefix(IPAddress(high: 192 << 56 | 168 << 48, low: 0, isIPv4: true), bits: 16),
        AddressPrefix(IPAddress(high: 0xFC << 56, low: 0, isIPv4: false), bits: 7),
        AddressPrefix(IPAddress(high: 0xFE80 << 48, low: 0, isIPv4: false), bits: 10),
    ]

    /// Clients to indices of `policies`, by longest prefix; a client it does not know has policy 0.
    package var clientTable: AddressPrefixTable {
        var indices = [String: Int]()
        for (index, policy) in policies.enumerated() { indices[policy.name] = index }
        return AddressPrefixTable(
            clients.map { (prefix: $0.prefix, value: indices[$0.policy] ?? 0) })
    }

    /// Who may ask: an address with a match in this table.
    package var allowTable: AddressPrefixTable {
        AddressPrefixTable(allowClients.enumerated().map { (prefix: $1, value: $0) })
    }
}

/// One input text of rules.
package struct ListSettings: Equatable, Sendable {
    /// The name, which verdicts and EDE texts carry.
    package var name: String
    /// Where the text comes from.
    package enum Source: Equatable, Sendable {
        /// The file at a path.
        case file(String)
        /// An address of the web, or of a file: `https://`, `http://`, `file://`.
        case url(String)
    }

    /// Where its text comes from.
    package var source: Source
    /// How it is written; `nil` means guess.
    package var format: ListFormatSetting?
    /// What a bare name covers; `nil` means as the format has it.
    package var scope: NameScope?
    /// What a rule without a kind of its own does.
    package var action = ListActionSetting.block
    /// Whether a rule may cover a whole public suffix.
    package var allowsPublicSuffixes = false
    /// Whether the list's rewrites count.
    package var rewrites = true
    /// How long fetching it may take.
    package var timeout = Duration.seconds(30)
    /// Octets that it may have, unpacked.
    package var sizeLimit = ByteCount.mebibytes(64)
    /// The share of its rules, in percent, that a new text may lack before it is held back.
    package var shrinkLimit = 50

    /// A list of the text at `file`, all else by default.
    package init(name: String, file: String) {
        self.name = name
        source = .file(file)
    }

    /// A list of the text at `url`, all else by default: its rewrites do not count, or a list from
    /// elsewhere could send names where it likes.
    package init(name: String, url: String) {
        self.name = name
        source = .url(url)
        rewrites = false
    }

    /// The path of a list that is a file; `nil` for one with an address.
    package var file: String? {
        guard case .file(let path) = source else { return nil }
        return path
    }

    /// The address of a list that has one.
    package var url: String? {
        guard case .url(let url) = source else { return nil }
        return url
    }
}

/// How lists are fetched.
package struct UpdateSettings: Equatable, Sendable {
    /// Tries after the first, when a server or the way to it fails for the moment.
    package var retries = 2
    /// Redirects that are followed.
    package var redirects = 5

    /// The defaults.
    package init() {}
}

/// The formats of list texts.
package enum ListFormatSetting: String, CaseIterable, Sendable {
    /// Address and names in a line, as in hosts(5).
    case hosts
    /// A name in a line.
    case domains
    /// A name in a line, `*.` before it for what is below.
    case wildcard
    /// Adblock's rules on names.
    case adblock
    /// Settings of dnsmasq.
    case dnsmasq
    /// Settings of Unbound.
    case unbound
    /// A response policy zone.
    case rpz
}

/// What the rules of a list do.
package enum ListActionSetting: String, CaseIterable, Sendable {
    /// They block.
    case block
    /// They allow what others block.
    case allow
}

/// A named set of lists.
package struct PolicySettings: Equatable, Sendable {
    /// The name, which is the directory of its snapshots too.
    package var name: String
    /// Names of lists, in the order in which they are named when several block.
    package var lists: [String]

    /// The policy `name` of `lists`.
    package init(name: String, lists: [String]) {
        self.name = name
        self.lists = lists
    }
}

/// Clients that have a policy of their own.
package struct ClientSettings: Equatable, Sendable {
    /// Their addresses.
    package var prefix: AddressPrefix
    /// The policy's name.
    package var policy: String

    /// Gives `prefix` the policy `policy`.
    package init(prefix: AddressPrefix, policy: String) {
        self.prefix = prefix
        self.policy = policy
    }
}

/// What a blocked name gets.
package enum BlockAnswerSetting: String, CaseIterable, Sendable {
    /// The name does not exist.
    case nxdomain
    /// As `nxdomain`, but no data where a name below is not blocked (RFC 8020).
    case nxdomainSafe = "nxdomain-safe"
    /// The name has no such record.
    case nodata
    /// 0.0.0.0 and ::.
    case null
    /// REFUSED.
    case refused
}

/// Bounds on how long answers are kept.
package struct TTLSettings: Equatable, Sendable {
    /// A shorter TTL is raised to this.
    package var minimum = Duration.zero
    /// A longer TTL is cut to this.
    package var maximum = Duration.seconds(86_400)
    /// A longer negative TTL is cut to this (RFC 2308 §5).
    package var negativeMaximum = Duration.seconds(3 * 3600)

    /// The defaults.
    package init() {}
}

/// Answers past their time, when no upstream answers (RFC 8767).
package struct ServeStaleSettings: Equatable, Sendable {
    /// How long past its time an answer may be served; zero turns it off.
    package var maximumAge = Duration.seconds(86_400)
    /// How long a client waits for a fresh answer first.
    package var clientTimeout = Duration.milliseconds(1800)

    /// The defaults.
    package init() {}
}

/// TCP connections from clients.
package struct TCPSettings: Equatable, Sendable {
    /// How long a connection may be idle (RFC 7766 §6.2.3).
    package var idleTimeout = Duration.seconds(10)
    /// Connections in all.
    package var connections = 256
    /// Connections of one client address.
    package var perClient = 16

    /// The defaults.
    package init() {}
}

/// What to write to standard error.
package struct LogSettings: Equatable, Sendable {
    /// How much.
    package enum Level: String, CaseIterable, Sendable {
        /// What went wrong.
        case error
        /// And what may go wrong.
        case warning
        /// And what was done.
        case info
        /// And how.
        case debug
    }

    /// How much.
    package var level = Level.info
    /// Whether to write a line per query; off, since it tells who asked for what.
    package var queries = false

    /// The defaults.
    package init() {}
}
