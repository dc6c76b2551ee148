import Cryptography
import ListUpdates

extension PolicyOutcome.State {
    /// Whether a snapshot came into force.
    var isPublished: Bool {
        if case .published = self { true } else { false }
    }

    /// A word for machines.
    var key: String {
        switch self {
        case .published: "published"
        case .unchanged: "unchanged"
        case .rolledBack: "rolled-back"
        case .kept: "kept"
        }
    }
}

extension ConfiguredOutcome {
    /// What people should know about policies whose snapshot is not what their lists say.
    var messages: [String] {
        let empty = unfetched.map { policy in
            "policy \(policy): none of its lists was ever fetched, so it is not compiled; run: "
                + "sluice update --config \(configuration)"
        }
        return empty
            + policies.compactMap { policy in
                switch policy.state {
                case .rolledBack(let inForce):
                    let (now, back) = (Self.short(inForce), Self.short(policy.identity))
                    return "policy \(policy.name): \(now) stays in force, since \(back) was rolled "
                        + "back; to put it back: sluice rollback \(back) --policy \(policy.name)"
                case .kept(let missing):
                    return "policy \(policy.name): the snapshot in force stays, since the text of "
                        + "\(missing.joined(separator: ", ")) is lost; run: sluice update --config "
                        + configuration
                default:
                    guard !policy.missing.isEmpty else { return nil }
                    return "policy \(policy.name): \(policy.missing.joined(separator: ", ")) never "
                        + "fetched and left out; run: sluice update --config \(configuration)"
                }
            }
    }

    /// The start of an id, long enough to be the only one.
    static func short(_ identity: SHA256Digest) -> String { String("\(identity)".prefix(16)) }
}

extension UpdateOutcome.Daemon {
    /// A word for machines.
    var key: String {
        switch self {
        case .upToDate: "up-to-date"
        case .reloaded: "reloaded"
        case .notRunning: "not-running"
        case .failed: "failed"
        }
    }

    /// What became of telling it, for people.
    var text: String {
        switch self {
        case .upToDate: "the daemon is up to date"
        case .reloaded: "the daemon reloaded"
        case .notRunning: "the daemon does not run"
        case .failed(let reason): "the daemon did not reload: \(Console.printable(reason))"
        }
    }
}
