import Configuration
import Control
import FilterCompiler
import FilterIndex
import LinuxSystem
import ListUpdates
import Quantities

/// The user's own rules on disk: the file, and the snapshot of each policy made from it.
///
/// ```
/// STATE-DIRECTORY/own.rules                     see OwnRules
///                 own.lock                      held while they are changed; always empty
///                 policies/POLICY/own.sluice    none when the policy has no own rules
/// ```
/// First the file is written, then the snapshots: a command that ends between the two has kept the
/// rule, and the next one puts it in force.
struct OwnRulesStore {
    private let settings: Settings
    /// How long a command waits for another one that changes the rules.
    private static let lockTime = Duration.seconds(5)

    /// The own rules under these settings.
    init(_ settings: Settings) { self.settings = settings }

    /// The rules as they are.
    func read() throws(CommandError) -> OwnRules {
        do { return try OwnRules.read(stateDirectory: settings.stateDirectory) } catch {
            throw .system(error)
        }
    }

    /// Changes the rules; nobody else does meanwhile. Rules that have ended go as well, and the
    /// snapshots are those of the rules afterwards, whatever they were.
    func change<Value>(
        _ body: (inout OwnRules) throws(CommandError) -> Value
    ) throws(CommandError) -> Value {
        let lock = try lock()
        defer { withExtendedLifetime(lock) {} }
        let old = try read()
        var rules = old
        let value = try body(&rules)
        let now = Clock.wallSeconds()
        rules.dropEnded(at: now)
        if rules != old { try write(rules.octets) }
        for policy in settings.policies { try compile(rules, policy.name, now) }
        return value
    }

    private func lock() throws(CommandError) -> FileLock {
        let deadline = Clock.now() + Self.lockTime
        while true {
            var holder = FileLock.Holder.us
            let lock = try take(&holder)
            guard case .other(let process) = holder else { return lock }
            guard Clock.now() < deadline else {
                throw .update(
                    .busy(process: process, stateDirectory: settings.stateDirectory))
            }
            Clock.pause(.milliseconds(20))
        }
    }

    private func take(_ holder: inout FileLock.Holder) throws(CommandError) -> FileLock {
        do throws(SystemError) {
            try FileIO.makeDirectories(path: settings.stateDirectory)
            return try FileLock.take(
                path: "\(settings.stateDirectory)/own.lock", holder: &holder)
        } catch {
            throw .system(error)
        }
    }

    private func write(_ octets: [UInt8]) throws(CommandError) {
        guard octets.count <= OwnRules.sizeLimit else {
            throw .ownRulesTooLong(limit: ByteCount(OwnRules.sizeLimit))
        }
        do throws(SystemError) {
            try FileIO.replace(
                path: OwnRules.path(stateDirectory: settings.stateDirectory), with: octets.span)
        } catch {
            throw .system(error)
        }
    }

    /// Brings the snapshot of a policy up to date; a file that is right already is left alone.
    private func compile(
        _ rules: OwnRules, _ policy: String, _ now: Int64
    ) throws(CommandError) {
        let directory = PolicyStore(
            policy: policy, stateDirectory: settings.stateDirectory
        ).directory
        let path = "\(directory)/\(SnapshotLayout.ownRulesFile)"
        let image: [UInt8]?
        do { image = try rules.image(policy: policy, at: now) } catch {
            throw .compilation(error)
        }
        do throws(SystemError) {
            guard let image else { return try FileIO.remove(path: path) }
            if let there = try? Snapshot(path: path), there.isSame(as: image.span) { return }
            try FileIO.makeDirectories(path: directory)
            // An update sweeps temporaries out of the directory: the file is made beside it.
            let made = "\(settings.stateDirectory)/own.\(policy).sluice"
            try FileIO.replace(path: made, with: image.span, mode: Compilation.fileMode)
            try FileIO.rename(made, to: path)
        } catch {
            throw .system(error)
        }
    }

    // MARK: The daemon

    /// What became of telling the daemon.
    enum Notice: Equatable {
        /// It has read the rules: they are in force.
        case told
        /// It does not run: it will read them when it starts.
        case notRunning
        /// It could not be told, or did not take them.
        case failed(String)

        /// A word for machines.
        var key: String {
            switch self {
            case .told: "told"
            case .notRunning: "not-running"
            case .failed: "failed"
            }
        }

        /// The same for people.
        var text: String {
            switch self {
            case .told: "in force"
            case .notRunning: "the daemon does not run: in force when it starts"
            case .failed(let reason): "kept, but not in force: \(reason)"
            }
        }
    }

    /// Has the daemon read the own rules again.
    func tellDaemon() -> Notice {
        do throws(ControlError) {
            let line = try ControlClient.exchange(.rules, socket: settings.controlSocket)
            switch try ControlReply(line: line.span) {
            case .ok: return .told
            case .error(let reason): return .failed(reason)
            }
        } catch {
            guard case .unreachable(let cause) = error,
                cause.code == SystemError.Code.noEntry
                    || cause.code == SystemError.Code.connectionRefused
            else { return .failed("\(error)") }
            return .notRunning
        }
    }
}
