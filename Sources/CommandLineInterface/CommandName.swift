/// The commands of `sluice`, by the words that people type.
package enum CommandName: String, CaseIterable, Hashable, Sendable {
    /// Replace yourself by the daemon.
    case serve
    /// Lists to a snapshot.
    case compile
    /// Lists fetched, guarded, compiled and put in force.
    case update
    /// An earlier snapshot in force again.
    case rollback
    /// A snapshot's names for other programs.
    case export
    /// What each line of a list was read as.
    case lint
    /// What a snapshot holds.
    case inspect
    /// Why a name is blocked or not.
    case explain
    /// What a list would change before it is enabled.
    case trial = "try"
    /// Let a name through.
    case allow
    /// Block a name.
    case block
    /// The user's own rules.
    case rules
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
    /// A policy.
    case policy
    /// The names below too.
    case subtree
    /// For how long.
    case duration = "for"
    /// How a list is written.
    case format
    /// What a bare name of a list covers.
    case scope
    /// Queries that were asked.
    case history
    /// Well-known sites.
    case sites
    /// A query type.
    case type
    /// A client's address.
    case client
    /// Ask no upstream.
    case noResolve = "no-resolve"
    /// Take what only looks doubtful.
    case force
    /// Show every name that changed.
    case diff
    /// Write for machines.
    case json
    /// Write the manual page.
    case man
    /// Write a shell's completion.
    case completion
    /// Show the help of the command.
    case help
}
