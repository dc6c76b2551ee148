import Foundation
import Synchronization

/// An HTTP/1.1 server on 127.0.0.1 whose replies a closure makes; one request a connection.
package final class LoopbackWebServer: Sendable {
    /// What came.
    package struct Request: Sendable {
        /// The path.
        package let path: String
        /// The lines of the header, names in lower case.
        package let headers: [String: String]
    }

    /// What goes back.
    package struct Reply: Sendable {
        package var status = 200
        package var headers: [String: String] = [:]
        package var body: [UInt8] = []
        /// Octets of the body after which the connection ends.
        package var cutAfter: Int?
        /// Seconds before each piece of the body.
        package var pause = 0.0
        /// Octets of a piece.
        package var pieceSize = 64 << 10

        package init(_ status: Int = 200, _ headers: [String: String] = [:], body: String = "") {
            self.status = status
            self.headers = headers
            self.body = Array(body.utf8)
        }
    }

    package typealias Answer = @Sendable (Request) -> Reply

    private let listener: LoopbackSocket
    private let answer: Answer
    private let isStopping = Atomic(false)
    private let seen = Mutex<[Request]>([])

    package init(answer: @escaping Answer) throws {
        listener = try LoopbackSocket(.stream, boundTo: "127.0.0.1")
        self.answer = answer
        try listener.listen()
        Thread.detachNewThread { self.serve() }
    }

    package var port: UInt16 { listener.port }

    /// The requests so far.
    package var requests: [Request] { seen.withLock { $0 } }

    package func stop() { isStopping.store(true, ordering: .relaxed) }

    private func serve() {
        let end = Date().addingTimeInterval(300)
        while !isStopping.load(ordering: .relaxed), Date() < end {
            guard !LoopbackSocket.readable([listener], milliseconds: 20).isEmpty,
                let stream = try? listener.accept()
            else { continue }
            Thread.detachNewThread { self.reply(on: stream) }
        }
    }

    private func reply(on stream: LoopbackSocket) {
        var octets: [UInt8] = []
        while !octets.suffix(4).elementsEqual(Array("\r\n\r\n".utf8)), octets.count < 65_536 {
            guard let part = try? stream.receive().octets, !part.isEmpty else { return }
            octets += part
        }
        let lines = String(decoding: octets, as: UTF8.self).components(separatedBy: "\r\n")
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            headers[line[..<colon].lowercased()] =
                line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        let words = lines[0].split(separator: " ")
        let request = Request(path: words.count > 1 ? String(words[1]) : "", headers: headers)
        seen.withLock { $0.append(request) }
        send(answer(request), on: stream)
    }

    private func send(_ reply: Reply, on stream: LoopbackSocket) {
        var head = "HTTP/1.1 \(reply.status) Status\r\nConnection: close\r\n"
        if reply.status != 304 { head += "Content-Length: \(reply.body.count)\r\n" }
        for (name, value) in reply.headers { head += "\(name): \(value)\r\n" }
        guard (try? stream.send(Array((head + "\r\n").utf8))) != nil else { return }
        var rest = reply.body[...].prefix(reply.cutAfter ?? reply.body.count)
        while !rest.isEmpty {
            if reply.pause > 0 { Thread.sleep(forTimeInterval: reply.pause) }
            let piece = rest.prefix(reply.pieceSize)
            guard (try? stream.send(Array(piece))) != nil else { return }
            rest = rest.dropFirst(piece.count)
        }
    }
}
