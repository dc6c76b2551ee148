import Configuration
import Control
import DomainNames
import LinuxSystem
import ListUpdates
import Quantities

/// `sluice status`, `reload`, `pause`, `resume` and `flush`: one request to the daemon.
enum DaemonCommand {
    /// Sends the request and prints the reply, with `--json` as it came.
    static func run(
        _ invocation: Invocation, console: Console
    ) throws(CommandError) -> CommandOutcome {
        let settings = try SettingsSource.load(invocation, console: console)
        let request = request(of: invocation)
        let line = try exchange(
            request, socket: settings.controlSocket, configuration: invocation.configurationFile)
        let reply: ControlReply
        do { reply = try ControlReply(line: line.span) } catch { throw .badReply(error) }
        if invocation.has(.json) {
            console.output(json(line, reply, request, settings) + "\n")
            if case .error = reply { return .failure }
            return .good
        }
        switch reply {
        case .error(let reason): throw .refused(reason)
        case .ok(let value):
            console.output(text(of: request, value))
            if request == .status { console.output(StatusText.lists(ListStatus.all(settings))) }
        }
        return .good
    }

    /// The reply as it came; a status with the lists that are fetched, of which the daemon knows
    /// nothing.
    private static func json(
        _ line: [UInt8], _ reply: ControlReply, _ request: ControlRequest, _ settings: Settings
    ) -> String {
        let text = String(decoding: line, as: UTF8.self)
        let lists = ListStatus.all(settings)
        guard request == .status, case .ok = reply, !lists.isEmpty,
            let end = text.lastIndex(of: "}")
        else { return text }
        var writer = JSONWriter()
        writer.array { array in for list in lists { list.write(to: &array) } }
        return text[..<end] + ",\"lists\":" + writer.text + "}"
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

    /// The line that the daemon at the socket `path` answers with, without its newline.
    private static func exchange(
        _ request: ControlRequest, socket path: String, configuration: String
    ) throws(CommandError) -> [UInt8] {
        do throws(ControlError) {
            return try ControlClient.exchange(request, socket: path)
        } catch {
            switch error {
            case .unreachable(let cause): throw .noDaemon(cause, configuration: configuration)
            case .cutOff(let cause): throw .noReply(socket: path, cause: cause)
            case .tooLong: throw .unsendableName
            default: throw .badReply(error)
            }
        }
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
        case .rules: return "own rules read\n"
        case .ping: return "the daemon is there\n"
        }
    }
}
