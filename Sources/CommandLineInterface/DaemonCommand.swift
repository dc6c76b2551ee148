import Configuration
import Control
import DomainNames
import LinuxSystem
import Quantities

/// `sluice status`, `reload`, `pause`, `resume` and `flush`: one request to the daemon.
enum DaemonCommand {
    /// Time that each step of the exchange may take.
    private static let timeoutMilliseconds: Int32 = 5000

    /// Sends the request and prints the reply, with `--json` as it came.
    static func run(
        _ invocation: Invocation, console: Console
    ) throws(CommandError) -> CommandOutcome {
        let settings = try SettingsSource.load(invocation, console: console)
        let request = request(of: invocation)
        guard request.line.utf8.count <= ControlLimits.requestSize else { throw .unsendableName }
        let line = try exchange(
            request, socket: settings.controlSocket, configuration: invocation.configurationFile)
        let reply: ControlReply
        do { reply = try ControlReply(line: line.span) } catch { throw .badReply(error) }
        if invocation.has(.json) {
            console.output(String(decoding: line, as: UTF8.self) + "\n")
            if case .error = reply { return .failure }
            return .good
        }
        switch reply {
        case .error(let reason): throw .refused(reason)
        case .ok(let value): console.output(text(of: request, value))
        }
        return .good
    }

    private static func request(of invocation: Invocation) -> ControlRequest {
        switch invocation.command {
        case .reload: .reload
        case .pause:
            .pause(
                duration: invocation.argumentDuration,
                client: invocation.address(.client)?.description)
        case .resume: .resume
        case .flush: .flush(name: invocation.argumentName?.description)
        default: .status
        }
    }

    /// The line that the daemon at `socket` answers with, without its newline.
    static func exchange(
        _ request: ControlRequest, socket path: String, configuration: String
    ) throws(CommandError) -> [UInt8] {
        Process.ignoreBrokenPipes()
        let socket: FileDescriptor
        do throws(SystemError) {
            socket = try Sockets.connectUnix(path: path, timeoutMilliseconds: timeoutMilliseconds)
        } catch {
            throw .noDaemon(error, configuration: configuration)
        }
        do throws(SystemError) {
            let octets = Array(request.line.utf8) + [0x0A]
            try socket.writeAll(octets.span)
            if let line = try readLine(socket) { return line }
        } catch {
            throw .noReply(socket: path, cause: error)
        }
        throw .noReply(socket: path, cause: nil)
    }

    /// What comes before the first newline; `nil` when the connection or the limit ends first.
    private static func readLine(
        _ socket: borrowing FileDescriptor
    ) throws(SystemError) -> [UInt8]? {
        var line: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16 << 10)
        while line.count <= ControlLimits.replySize {
            var span = chunk.mutableSpan
            let count = try socket.read(into: &span)
            if count == 0 { return nil }
            let part = chunk[..<count]
            if let end = part.firstIndex(of: 0x0A) { return line + part[..<end] }
            line += part
        }
        return nil
    }

    private static func text(of request: ControlRequest, _ reply: JSONValue) -> String {
        switch request {
        case .status: return StatusText.text(of: reply)
        case .reload:
            var text = "reloaded"
            if let names = reply["names"]?.integer { text += ": \(AlignedText.count(names)) names" }
            let keys = reply["needRestart"]?.items.compactMap(\.string) ?? []
            if !keys.isEmpty {
                text += "; in force after a restart: \(keys.joined(separator: ", "))"
            }
            return Console.printable(text) + "\n"
        case .pause(let duration, let client):
            let whom = client.map { " for \($0)" } ?? ""
            let time = duration.map { "for \(DurationText.text(of: $0))" } ?? "until sluice resume"
            return "filtering paused\(whom) \(time)\n"
        case .resume: return "filtering\n"
        case .flush(let name):
            let whose = name.map { " of \($0)" } ?? ""
            let count = reply["flushed"]?.integer.map { "\(AlignedText.count($0)) " } ?? ""
            return Console.printable("forgot \(count)cached answers\(whose)") + "\n"
        case .ping: return "the daemon is there\n"
        }
    }
}
