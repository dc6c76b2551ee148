import Foundation
import LoopbackFixtures
import Synchronization

/// The scripted upstreams on real sockets: each address of the scenario is a port of 127.0.0.1, UDP
/// and TCP, all served by one thread.
final class UpstreamServer: Sendable {
    /// Where an answer goes.
    private enum Route {
        case datagram(LoopbackSocket, LoopbackSocket.Peer)
        case stream(LoopbackSocket)
    }

    private struct Delayed {
        var due: ContinuousClock.Instant
        var route: Route
        var answer: ScriptedUpstream.Answer
    }

    /// A TCP connection of the daemon and what came of its next message.
    private struct Connection {
        var address: String
        var socket: LoopbackSocket
        var incoming: [UInt8] = []
    }

    /// `127.0.0.1:PORT` for each address of the scenario.
    let endpoints: [String]
    private let addresses: [String]
    private let datagrams: [LoopbackSocket]
    private let listeners: [LoopbackSocket]
    private let script: ScriptedUpstream
    private let isStopping = Atomic(false)

    init(addresses: [String], script: ScriptedUpstream) throws {
        self.addresses = addresses
        self.script = script
        var datagrams: [LoopbackSocket] = []
        var listeners: [LoopbackSocket] = []
        for _ in addresses {
            let (datagram, listener) = try LoopbackSocket.pairOnOnePort()
            try listener.listen()
            datagrams.append(datagram)
            listeners.append(listener)
        }
        self.datagrams = datagrams
        self.listeners = listeners
        endpoints = datagrams.map { "127.0.0.1:\($0.port)" }
    }

    /// Serves on a thread of its own until `stop`.
    func start() {
        Thread { [self] in serve() }.start()
    }

    func stop() { isStopping.store(true, ordering: .relaxed) }

    private func serve() {
        var connections: [Connection] = []
        var delayed: [Delayed] = []
        while !isStopping.load(ordering: .relaxed) {
            let sockets = datagrams + listeners + connections.map(\.socket)
            let ready = LoopbackSocket.readable(sockets, milliseconds: delayed.isEmpty ? 50 : 2)
            var closed: Set<Int> = []
            for index in ready {
                do {
                    if index < addresses.count {
                        try readDatagram(index, &delayed)
                    } else if index < 2 * addresses.count {
                        let address = addresses[index - addresses.count]
                        connections.append(
                            Connection(
                                address: address,
                                socket: try listeners[index - addresses.count].accept()))
                    } else {
                        let place = index - 2 * addresses.count
                        let isOpen = try readStream(&connections[place], &delayed)
                        if !isOpen { closed.insert(place) }
                    }
                } catch {
                    print("scenario: a scripted upstream: \(error)")
                    if index >= 2 * addresses.count { closed.insert(index - 2 * addresses.count) }
                }
            }
            for place in closed.sorted(by: >) { connections.remove(at: place) }
            sendDue(&delayed)
        }
    }

    private func readDatagram(_ index: Int, _ delayed: inout [Delayed]) throws {
        let (octets, peer) = try datagrams[index].receive()
        guard let answer = script.answer(octets, at: addresses[index], over: .udp) else { return }
        delayed.append(
            Delayed(
                due: .now + answer.delay, route: .datagram(datagrams[index], peer), answer: answer))
    }

    private func readStream(
        _ connection: inout Connection, _ delayed: inout [Delayed]
    ) throws -> Bool {
        let (octets, _) = try connection.socket.receive()
        guard !octets.isEmpty else { return false }
        connection.incoming += octets
        while connection.incoming.count >= 2 {
            let size = Int(connection.incoming[0]) << 8 | Int(connection.incoming[1])
            guard connection.incoming.count >= 2 + size else { break }
            let message = Array(connection.incoming[2..<(2 + size)])
            connection.incoming.removeFirst(2 + size)
            guard let answer = script.answer(message, at: connection.address, over: .tcp) else {
                continue
            }
            delayed.append(
                Delayed(due: .now + answer.delay, route: .stream(connection.socket), answer: answer)
            )
        }
        return true
    }

    private func sendDue(_ delayed: inout [Delayed]) {
        let now = ContinuousClock.now
        for entry in delayed where entry.due <= now && script.isCurrent(entry.answer) {
            let octets = entry.answer.octets
            do {
                switch entry.route {
                case .datagram(let socket, let peer): try socket.send(octets, to: peer)
                case .stream(let socket):
                    try socket.send(UInt16(octets.count).bigEndianOctets + octets)
                }
            } catch {
                print("scenario: a scripted upstream cannot answer: \(error)")
            }
        }
        delayed.removeAll { $0.due <= now }
    }
}
