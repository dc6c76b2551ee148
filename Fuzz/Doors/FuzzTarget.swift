import FilterLists

/// A door by its name: what `make fuzz TARGET=…` takes and the corpora are kept under.
package enum FuzzTarget: Equatable {
    /// A message.
    case message
    /// A list of one format.
    case list(ListFormat)
    /// A snapshot file.
    case snapshot

    /// All doors.
    package static let all =
        [.message] + ListFormat.allCases.map { FuzzTarget.list($0) } + [.snapshot]

    /// Its name.
    package var name: String {
        switch self {
        case .message: "message"
        case .list(let format): format.rawValue
        case .snapshot: "snapshot"
        }
    }

    /// The door of this name.
    package init?(name: String) {
        guard let target = FuzzTarget.all.first(where: { $0.name == name }) else { return nil }
        self = target
    }
}
