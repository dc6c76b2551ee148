import LinuxSystem

/// `sluice serve [--config F]`
enum ServeCommand {
    private static let program = "sluiced"

    /// Becomes the daemon: the one beside this program, else the first on PATH.
    static func run(
        _ invocation: Invocation, console: Console
    ) throws(CommandError) -> CommandOutcome {
        let own = FileIO.linkTarget(path: "/proc/self/exe")
        let path = try find(own: own, search: Process.environment("PATH") ?? "")
        let error = Process.become(
            path: path, arguments: ["--config", invocation.configurationFile])
        throw .system(error)
    }

    /// Where the daemon is.
    /// - Parameters:
    ///   - own: the path of this program.
    ///   - search: directories between colons.
    static func find(own: String?, search: String) throws(CommandError) -> String {
        var places: [String] = []
        if let own, let directory = FileIO.parent(of: own) { places.append(directory) }
        places += search.split(separator: ":").map(String.init)
        for place in places where FileIO.kind(path: "\(place)/\(program)") == .file {
            return "\(place)/\(program)"
        }
        throw .noDaemonProgram(places)
    }
}
