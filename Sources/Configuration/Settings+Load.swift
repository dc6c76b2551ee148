extension Settings {
    /// The settings that `text` says, and every problem in it, in the order of the text.
    ///
    /// The text is YAML in UTF-8 of at most 1 MiB. No file is read: paths in it are not followed.
    /// - Parameter file: its name in problems; relative paths in the text start at its directory.
    /// - Returns: no settings when a problem is more than a warning. A text that is no YAML has one
    ///   problem, since nothing after the fault can be trusted.
    /// - Complexity: O(octets); bounded by `ConfigurationLimits`.
    package static func load(
        text: [UInt8], file: String
    ) -> (settings: Settings?, problems: [ConfigurationProblem]) {
        var decoder = SettingsDecoder(file: file)
        do throws(ConfigurationTree.Failure) {
            if let root = try ConfigurationTree.parse(text) { decoder.decode(root) }
        } catch {
            decoder.report(error.kind, at: error.position)
        }
        let problems = decoder.problems.sorted { $0.position < $1.position }
        let isGood = problems.allSatisfy(\.isWarning)
        return (isGood ? decoder.settings : nil, problems)
    }
}
