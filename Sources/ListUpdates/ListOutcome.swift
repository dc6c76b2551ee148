import Quantities

/// What became of one list with an address.
package struct ListOutcome: Sendable {
    /// How its update ended.
    package enum State: Equatable, Sendable {
        /// The text is the one from before.
        case unchanged
        /// There is a new text; it has taken the place of the old one, if there was one.
        case new
        /// No new text: it did not come, or is held back. What was in force stays.
        case fault(ListFault)
    }

    /// Its name.
    package let name: String
    /// Its address.
    package let url: String
    /// How its update ended.
    package let state: State
    /// Rules of the text in force, and octets of it; `nil` when there is none.
    package let text: (rules: Int, size: ByteCount)?
    /// Rules of the text before, when there is a new one.
    package let rulesBefore: Int?
}

/// What one update did.
package struct UpdateOutcome: Sendable {
    /// Whether the daemon knows.
    package enum Daemon: Equatable, Sendable {
        /// It filters by the snapshots in force.
        case upToDate
        /// It was told, and has read them.
        case reloaded
        /// It does not run: it will read them when it starts.
        case notRunning
        /// It could not be told, or did not take them.
        case failed(String)
    }

    /// The lists with an address, in the order of the configuration.
    package let lists: [ListOutcome]
    /// The policies and what the daemon needs.
    package let compilation: ConfiguredOutcome
    /// Whether the daemon knows.
    package let daemon: Daemon
    /// Whether all went as it should.
    package var isGood: Bool {
        let isBad = lists.contains {
            if case .fault = $0.state { true } else { false }
        }
        return !isBad && compilation.isWhole
    }
}
