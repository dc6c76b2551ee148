/// How a command ended; the process's exit status.
package enum CommandOutcome: Int32, Sendable {
    /// All good.
    case good = 0
    /// Found, blocked or different.
    case found = 1
    /// The arguments were wrong.
    case usage = 2
    /// It could not be done.
    case failure = 3
}
