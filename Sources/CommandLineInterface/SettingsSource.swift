import Configuration
import LinuxSystem
import Quantities

/// The configuration that a command reads.
enum SettingsSource {
    /// The settings in the file that the command names.
    /// - Parameter warns: whether warnings are shown.
    /// - Throws: `.unreadableConfiguration`, `.badConfiguration`.
    static func load(
        _ invocation: Invocation, console: Console, warns: Bool = false
    ) throws(CommandError) -> Settings {
        let file = invocation.configurationFile
        let text: [UInt8]
        do throws(SystemError) {
            text = try FileIO.readWhole(
                path: file, limit: ConfigurationLimits.documentSize.octets)
        } catch {
            throw .unreadableConfiguration(error)
        }
        let (settings, problems) = Settings.load(text: text, file: file)
        guard let settings else {
            throw .badConfiguration(problems.filter { !$0.isWarning }.map(\.description))
        }
        if warns { for problem in problems { console.message(problem.description) } }
        return settings
    }
}
