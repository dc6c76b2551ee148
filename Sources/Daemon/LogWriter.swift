import Configuration
import LinuxSystem

/// Writes log lines to standard error, one write a line.
struct LogWriter: Sendable {
    /// What is written at all.
    let level: LogSettings.Level

    /// Something that stops or degrades the service.
    func error(_ message: String) { write("error: \(message)") }

    /// Something that the operator should know of.
    func warning(_ message: String) { if level != .error { write("warning: \(message)") } }

    /// Something that happened as it should.
    func info(_ message: String) {
        if level == .info || level == .debug { write(message) }
    }

    private func write(_ message: String) {
        StandardStream.write("sluiced: \(message)\n", to: .error)
    }
}
