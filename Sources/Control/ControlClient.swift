import LinuxSystem

/// A command's end of the control socket: one request, one reply.
package enum ControlClient {
    /// Time that each step of the exchange may take.
    private static let timeoutMilliseconds: Int32 = 5000

    /// The line that the daemon at the socket `path` answers with, without its newline.
    /// - Throws: `ControlError.tooLong` of the request, `.unreachable`, `.cutOff`.
    package static func exchange(
        _ request: ControlRequest, socket path: String
    ) throws(ControlError) -> [UInt8] {
        guard request.line.utf8.count <= ControlLimits.requestSize else {
            throw .tooLong(limit: ControlLimits.requestSize)
        }
        Process.ignoreBrokenPipes()
        let socket: FileDescriptor
        do throws(SystemError) {
            socket = try Sockets.connectUnix(path: path, timeoutMilliseconds: timeoutMilliseconds)
        } catch {
            throw .unreachable(error)
        }
        do throws(SystemError) {
            let octets = Array(request.line.utf8) + [0x0A]
            try socket.writeAll(octets.span)
            if let line = try readLine(socket) { return line }
        } catch {
            throw .cutOff(error)
        }
        throw .cutOff(nil)
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
}
