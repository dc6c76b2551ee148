import Configuration
import DNSResolver
import FilterIndex
import Synchronization

/// What a reload replaces: the filter and the tables of clients.
final class ActiveState: Sendable {
    /// The policies with their rules.
    let filters: FilterSet
    /// Clients to policies.
    let clients: AddressPrefixTable
    /// Who may ask.
    let allowed: AddressPrefixTable
    /// Names in force, all policies together.
    var nameCount: Int { filters.policies.reduce(0) { $0 + ($1.snapshot?.nameCount ?? 0) } }

    /// Names of the policies without compiled rules.
    let unfiltered: [String]

    /// A state of these parts.
    init(
        filters: FilterSet, clients: AddressPrefixTable, allowed: AddressPrefixTable,
        unfiltered: [String]
    ) {
        self.filters = filters
        self.clients = clients
        self.allowed = allowed
        self.unfiltered = unfiltered
    }

    /// The same with other rules for its policies.
    func with(_ policies: [FilterSet.Policy], epoch: UInt32, unfiltered: [String]) -> ActiveState {
        ActiveState(
            filters: FilterSet(policies: policies, epoch: epoch), clients: clients,
            allowed: allowed, unfiltered: unfiltered)
    }
}

/// The state in force: one reference, replaced whole. Workers look at a counter each round and
/// fetch the reference only when it has moved, so queries share nothing that is written.
final class StatePublisher: Sendable {
    private let current: Mutex<ActiveState>
    private let counter = Atomic<UInt32>(1)

    /// Publishes a first state.
    init(_ state: ActiveState) { current = Mutex(state) }

    /// Moves with each replacement.
    var generation: UInt32 { counter.load(ordering: .acquiring) }

    /// The state in force.
    func load() -> ActiveState { current.withLock { $0 } }

    /// Puts another state in force.
    func publish(_ state: ActiveState) {
        current.withLock { $0 = state }
        counter.add(1, ordering: .releasing)
    }
}
