import Configuration
import DNSResolver
import Metrics
import Quantities

/// The stage without sockets: a scenario takes microseconds on it, whatever time passes in it.
final class SimulatedStage: Stage {
    let ttlTolerance: UInt32 = 0

    private let directory: ScenarioDirectory
    private let addresses: [String]
    private var settings: Settings
    private var epoch: UInt32 = 1
    private var server: SimulatedServer
    private var sent: [Int: MonotonicInstant] = [:]
    private var pausedClients: Set<String> = []
    private var isPaused = false

    init(_ scenario: Scenario, upstream: ScriptedUpstream) throws {
        directory = try ScenarioDirectory(scenario)
        addresses = scenario.upstreamAddresses
        let text = SimulatedStage.configuration(directory, addresses)
        settings = try directory.settings(text)
        let filters = try SimulatedStage.filters(of: settings, in: directory, epoch: 1)
        server = SimulatedServer(
            options: ResolverOptions(settings), filters: filters, addresses: addresses,
            upstream: upstream)
    }

    private static func configuration(
        _ directory: ScenarioDirectory, _ addresses: [String]
    ) -> String {
        directory.configuration(listen: "127.0.0.1:5335", upstreams: addresses)
    }

    private static func filters(
        of settings: Settings, in directory: ScenarioDirectory, epoch: UInt32
    ) throws -> FilterSet {
        let policies = try settings.policies.map { policy in
            FilterSet.Policy(
                name: policy.name, snapshot: try directory.compile(policy, of: settings))
        }
        return FilterSet(policies: policies, epoch: epoch)
    }

    func send(_ query: [UInt8], overTCP: Bool, from client: String, number: Int) throws {
        guard let address = IPAddress(text: client) else {
            preconditionFailure("'\(client)' is no address")
        }
        let isPaused = isPaused || pausedClients.contains(client)
        sent[number] = server.now
        server.receive(
            query,
            from: Client(
                token: ClientToken(UInt32(number)), address: address,
                policy: isPaused ? nil : settings.clientTable.longestMatch(address) ?? 0,
                isAllowed: settings.allowTable.longestMatch(address) != nil,
                transport: overTCP ? .tcp : .udp))
    }

    func answer(to number: Int) throws -> StageAnswer? {
        let token = UInt32(number)
        server.advance(to: server.now + ScenarioPlayer.patience, orAnswerTo: token)
        guard let reply = server.replies[token], let start = sent[number] else { return nil }
        return StageAnswer(octets: reply.octets, elapsed: reply.at - start)
    }

    func isAnswered(_ number: Int) throws -> Bool { server.replies[UInt32(number)] != nil }

    func pass(_ time: Duration) throws { server.advance(to: server.now + time) }

    func reload(_ lists: [ScenarioList]) throws {
        try directory.replace(lists)
        settings = try directory.settings(SimulatedStage.configuration(directory, addresses))
        epoch += 1
        server.replaceFilters(
            try SimulatedStage.filters(of: settings, in: directory, epoch: epoch))
    }

    func pause(client: String?) throws {
        if let client { pausedClients.insert(client) } else { isPaused = true }
    }

    func resume() throws {
        pausedClients = []
        isPaused = false
    }

    func count(_ figure: ScenarioExpectation.Figure) throws -> Int? {
        let counters = server.resolverCounters
        let count: UInt64? =
            switch figure {
            case .queries: counters.queries.load()
            case .dropped: counters.dropped.load()
            case .malformed: counters.malformed.load()
            case .refused: counters.refused.load()
            case .blocked: counters.blocked.load() + counters.blockedByAlias.load()
            case .blockedByAlias: counters.blockedByAlias.load()
            case .cacheHits: counters.cacheHits.load()
            case .staleHits: counters.staleHits.load()
            case .forwarded: counters.forwarded.load()
            case .coalesced: counters.coalesced.load()
            case .failed: counters.failed.load()
            case .rewritten: counters.rewritten.load()
            default: nil
            }
        return count.map { Int($0) }
    }
}

extension ResolverOptions {
    /// The resolver's part of a configuration.
    init(_ settings: Settings) {
        self.init()
        blockResponse =
            switch settings.blockAnswer {
            case .nxdomain: .nxdomain
            case .nxdomainSafe: .nxdomainSafe
            case .nodata: .nodata
            case .null: .null
            case .refused: .refused
            }
        blockTTL = UInt32(settings.blockTTL.components.seconds)
        minimumTTL = UInt32(settings.ttl.minimum.components.seconds)
        maximumTTL = UInt32(settings.ttl.maximum.components.seconds)
        negativeMaximumTTL = UInt32(settings.ttl.negativeMaximum.components.seconds)
        staleMaximumAge = settings.serveStale.maximumAge
        staleClientTimeout = settings.serveStale.clientTimeout
    }
}
