/// The commands of `sluice`, by the words that people type.
package enum CommandName: String, CaseIterable, Hashable, Sendable {
    /// Replace yourself by the daemon.
    case serve
    /// Lists to a snapshot.
    case compile
    /// What each line of a list was read as.
    case lint
    /// What a snapshot holds.
    case inspect
    /// Why a name is blocked or not.
    case explain
    /// What the daemon does.
    case status
    /// Have the daemon read its files again.
    case reload
    /// Have the daemon stop filtering.
    case pause
    /// Have the daemon filter again.
    case resume
    /// Have the daemon forget cached answers.
    case flush
    /// Every mistake of a configuration.
    case checkConfig = "check-config"
    /// How to use all this.
    case help
}

/// The flags of all commands, by their long form; a flag means the same wherever it is taken.
package enum FlagName: String, CaseIterable, Hashable, Sendable {
    /// The configuration file.
    case config
    /// An input list.
    case list
    /// Where to write.
    case output
    /// The prefilter's rate of false positives.
    case prefilterFalsePositiveRate = "prefilter-false-positive-rate"
    /// The memory that compiling may take.
    case buildMemory = "build-memory"
    /// A snapshot file.
    case snapshot
    /// A query type.
    case type
    /// A client's address.
    case client
    /// Write for machines.
    case json
    /// Write the manual page.
    case man
    /// Write a shell's completion.
    case completion
    /// Show the help of the command.
    case help
}
