import Configuration
import DNSResolver
import FilterIndex
import LinuxSystem
import Quantities

/// Reads what is on disk: the configuration and the snapshots of its policies.
struct StateLoader {
    /// The most octets of a configuration.
    private static let configurationLimit = 1 << 20

    /// Snapshots tried in place of a lost one: more than are ever kept.
    private static let snapshotsTried = 16

    /// The configuration in `file`.
    /// - Throws: `DaemonError.configuration` with every problem, or `.system` when unreadable.
    static func settings(
        file: String
    ) throws(DaemonError) -> (settings: Settings, warnings: [String]) {
        let text: [UInt8]
        do { text = try FileIO.readWhole(path: file, limit: configurationLimit) } catch {
            throw .system(error)
        }
        let (settings, problems) = Settings.load(text: text, file: file)
        guard let settings else { throw .configuration(problems.map(\.description)) }
        return (settings, problems.map(\.description))
    }

    /// The state that the settings and the snapshots on disk make.
    ///
    /// A policy that was never compiled does not filter; one whose snapshot is damaged, cannot be
    /// reached or is gone is an error.
    /// - Parameter filtered: names of policies that filter now, and shall not stop to for want of
    ///   a file.
    /// - Parameter hasOwnRules: whether the own rules are read.
    static func state(
        _ settings: Settings, epoch: UInt32, filtered: Set<String> = [], hasOwnRules: Bool = true
    ) throws(DaemonError) -> (state: ActiveState, snapshots: [Snapshot]) {
        var policies: [FilterSet.Policy] = []
        var snapshots: [Snapshot] = []
        var unfiltered: [String] = []
        for policy in settings.policies {
            let path = currentSnapshot(of: policy.name, in: settings.stateDirectory)
            let snapshot: Snapshot?
            do throws(SnapshotError) { snapshot = try Snapshot(path: path) } catch {
                guard wasNeverCompiled(path, error), !filtered.contains(policy.name) else {
                    throw .snapshot(error)
                }
                snapshot = nil
            }
            if let snapshot {
                snapshot.makeResident()
                snapshots.append(snapshot)
            } else if !policy.lists.isEmpty {
                unfiltered.append(policy.name)
            }
            policies.append(
                .init(
                    name: policy.name, snapshot: snapshot,
                    ownRules: hasOwnRules
                        ? try ownRules(of: policy.name, in: settings.stateDirectory) : nil))
        }
        let state = ActiveState(
            filters: FilterSet(policies: policies, epoch: epoch), clients: settings.clientTable,
            allowed: settings.allowTable, unfiltered: unfiltered)
        return (state, snapshots)
    }

    /// The user's own rules of a policy; `nil` when there are none.
    /// - Throws: `DaemonError.ownRules` when they cannot be read.
    static func ownRules(
        of policy: String, in stateDirectory: String
    ) throws(DaemonError) -> Snapshot? {
        let path = "\(stateDirectory)/policies/\(policy)/\(SnapshotLayout.ownRulesFile)"
        do throws(SnapshotError) { return try Snapshot(path: path) } catch {
            guard wasNeverCompiled(path, error) else { throw .ownRules(error) }
            return nil
        }
    }

    /// Whether there is nothing at all at `path`: no file, and no link whose file is gone.
    private static func wasNeverCompiled(_ path: String, _ error: SnapshotError) -> Bool {
        guard case .unreadable(_, let cause) = error else { return false }
        return cause.code == SystemError.Code.noEntry && FileIO.linkTarget(path: path) == nil
    }

    /// The memory that the daemon needs with these snapshots.
    static func plan(
        _ settings: Settings, _ snapshots: [Snapshot], workerCount: Int
    ) -> MemoryPlan {
        MemoryPlan(
            settings,
            prefilters: ByteCount(snapshots.reduce(0) { $0 + $1.size(of: .prefilter).octets }),
            directories: ByteCount(snapshots.reduce(0) { $0 + $1.directorySize.octets }),
            workerCount: workerCount)
    }

    /// Where the snapshot in force of a policy is.
    static func currentSnapshot(of policy: String, in stateDirectory: String) -> String {
        "\(stateDirectory)/policies/\(policy)/current"
    }

    /// The snapshot of a policy that was put there last of those that are whole; `nil` without one.
    static func newestWholeSnapshot(of policy: String, in stateDirectory: String) -> Snapshot? {
        let directory = "\(stateDirectory)/policies/\(policy)"
        let names = (try? FileIO.list(directory: directory)) ?? []
        let files = names.filter { $0.hasSuffix(".sluice") && $0 != SnapshotLayout.ownRulesFile }
            .map { (path: "\(directory)/\($0)", time: FileIO.modified(path: "\(directory)/\($0)")) }
            .sorted { ($0.time, $0.path) > ($1.time, $1.path) }
        // The link comes first: another snapshot may have been put in force meanwhile.
        let paths = [currentSnapshot(of: policy, in: stateDirectory)] + files.map(\.path)
        for path in paths.prefix(snapshotsTried) {
            guard let snapshot = try? Snapshot(path: path) else { continue }
            snapshot.makeResident()
            if !snapshot.isDamaged { return snapshot }
        }
        return nil
    }

    /// The endpoint as a socket address.
    static func address(_ endpoint: EndpointSetting) throws(DaemonError) -> NetworkAddress {
        var scope: UInt32 = 0
        if let zone = endpoint.zone {
            guard let index = Sockets.interfaceIndex(zone) else {
                throw .configuration(["no interface is called '\(zone)' (in \(endpoint))"])
            }
            scope = index
        }
        return NetworkAddress(
            octets: endpoint.address.octets, port: endpoint.port, scope: scope)
    }

    /// Whom to ask: the settings' upstreams, else the system's resolvers, which may be none yet.
    static func upstreams(_ settings: Settings) throws(DaemonError) -> [NetworkAddress] {
        if !settings.upstreams.isEmpty {
            var addresses: [NetworkAddress] = []
            for upstream in settings.upstreams { addresses.append(try address(upstream)) }
            return addresses
        }
        // The zone of a listener does not matter: no resolver of the system is given by one.
        let listening = settings.listen.map {
            NetworkAddress(octets: $0.address.octets, port: $0.port)
        }
        let found = SystemResolvers.addresses(listening: listening)
        return Array(found.prefix(ConfigurationLimits.upstreams))
    }
}
