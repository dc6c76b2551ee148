import Glibc
import Synchronization

/// A socket on 127.0.0.0/8, blocking with bounded waits; closed when its last user lets go.
package final class LoopbackSocket: Sendable {
    package enum Kind: Sendable {
        /// UDP.
        case datagrams
        /// TCP.
        case stream
    }

    /// A system call that failed.
    package struct Failure: Error, CustomStringConvertible {
        var call: String
        var code: Int32

        package init(call: String, code: Int32) {
            self.call = call
            self.code = code
        }

        package var description: String { "\(call) failed with errno \(code)" }
    }

    package let number: Int32

    private init(_ number: Int32) { self.number = number }

    deinit { _ = Glibc.close(number) }

    /// A socket bound to an address; port 0 lets the system choose.
    package init(_ kind: Kind, boundTo address: String, port: UInt16 = 0, reusesPort: Bool = false)
        throws
    {
        let type = kind == .datagrams ? SOCK_DGRAM : SOCK_STREAM
        number = socket(AF_INET, Int32(type.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { throw Failure(call: "socket", code: errno) }
        if reusesPort {
            var yes: Int32 = 1
            let size = socklen_t(MemoryLayout<Int32>.size)
            _ = unsafe setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &yes, size)
        }
        try unsafe LoopbackSocket.with(address, port) { pointer, size in
            guard unsafe bind(number, pointer, size) == 0 else {
                throw Failure(call: "bind \(address):\(port)", code: errno)
            }
        }
    }

    /// A UDP and a TCP socket with one port of 127.0.0.1 that was free for both.
    package static func pairOnOnePort() throws -> (
        datagrams: LoopbackSocket, stream: LoopbackSocket
    ) {
        var last: (any Error)?
        for _ in 0..<20 {
            let datagrams = try LoopbackSocket(.datagrams, boundTo: "127.0.0.1")
            do {
                let stream = try LoopbackSocket(
                    .stream, boundTo: "127.0.0.1", port: datagrams.port, reusesPort: true)
                return (datagrams, stream)
            } catch {
                // The port is free for UDP only: another is tried.
                last = error
            }
        }
        throw last ?? LoopbackSocket.Failure(call: "bind", code: 0)
    }

    /// The port that it is bound to.
    package var port: UInt16 {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(number, $0, &size)
            }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    package func connect(to address: String, port: UInt16) throws {
        try unsafe LoopbackSocket.with(address, port) { pointer, size in
            guard unsafe Glibc.connect(number, pointer, size) == 0 else {
                throw Failure(call: "connect \(address):\(port)", code: errno)
            }
        }
    }

    package func listen() throws {
        guard Glibc.listen(number, 16) == 0 else { throw Failure(call: "listen", code: errno) }
    }

    package func accept() throws -> LoopbackSocket {
        let accepted = Glibc.accept(number, nil, nil)
        guard accepted >= 0 else { throw Failure(call: "accept", code: errno) }
        return LoopbackSocket(accepted)
    }

    /// Sends to the other end, or to `peer`.
    package func send(_ octets: [UInt8], to peer: Peer? = nil) throws {
        var sent = 0
        while sent < octets.count {
            let rest = Array(octets[sent...])
            let count: Int
            if var address = peer?.address {
                count = unsafe withUnsafePointer(to: &address) { pointer in
                    unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        unsafe sendto(
                            number, rest, rest.count, Int32(MSG_NOSIGNAL), $0,
                            socklen_t(MemoryLayout<sockaddr_in>.size))
                    }
                }
            } else {
                count = unsafe Glibc.send(number, rest, rest.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure(call: "send", code: errno) }
            sent += count
        }
    }

    /// Who sent a datagram.
    package struct Peer: Sendable {
        fileprivate var address: sockaddr_in
    }

    /// Receives once; empty when the other end closed.
    package func receive(limit: Int = 65_536) throws -> (octets: [UInt8], peer: Peer) {
        var octets = [UInt8](repeating: 0, count: limit)
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let count = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe recvfrom(number, &octets, limit, 0, $0, &size)
            }
        }
        guard count >= 0 else { throw Failure(call: "recv", code: errno) }
        return (Array(octets[..<count]), Peer(address: address))
    }

    /// Which of the sockets can be read, after at most `milliseconds`.
    package static func readable(_ sockets: [LoopbackSocket], milliseconds: Int32) -> [Int] {
        var entries = sockets.map { pollfd(fd: $0.number, events: Int16(POLLIN), revents: 0) }
        guard unsafe poll(&entries, nfds_t(entries.count), milliseconds) > 0 else { return [] }
        return entries.indices.filter { entries[$0].revents != 0 }
    }

    private static func with(
        _ address: String, _ port: UInt16,
        _ body: (UnsafePointer<sockaddr>, socklen_t) throws -> Void
    ) throws {
        var system = sockaddr_in()
        system.sin_family = sa_family_t(AF_INET)
        system.sin_port = port.bigEndian
        guard unsafe inet_pton(AF_INET, address, &system.sin_addr) == 1 else {
            throw Failure(call: "inet_pton \(address)", code: EINVAL)
        }
        try unsafe withUnsafePointer(to: &system) { pointer in
            try unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                try unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
