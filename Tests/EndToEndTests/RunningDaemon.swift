import Foundation
import Glibc
import LoopbackFixtures

/// The real daemon on a port of loopback, in a directory of its own, with the real commands.
final class RunningDaemon {
    struct Fault: Error, CustomStringConvertible {
        var description: String
    }

    /// What it listens on.
    private let address: String
    let port: UInt16
    let directory: URL
    let upstream: TestUpstream
    private let binaries: DaemonBinaries
    private(set) var child: ChildProcess?

    /// The programs; `nil`, said loudly, when they were not built.
    static func binaries() -> DaemonBinaries? {
        switch DaemonBinaries.finding {
        case .found(let binaries): return binaries
        case .missing(let reason):
            print("end to end: SKIPPED, \(reason)")
            return nil
        }
    }

    /// Writes lists and configuration; `extra` are further lines of YAML.
    init(
        _ binaries: DaemonBinaries, listen: String = "127.0.0.1",
        block: String = "||ads.example^\n||tracker.example^\n",
        extra: String = ""
    ) throws {
        self.binaries = binaries
        upstream = try TestUpstream()
        address = listen
        port = try LoopbackSocket.pairOnOnePort().datagrams.port
        directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("sluice-end-to-end-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try write(block, to: "ads.txt")
        try writeConfiguration(extra: extra)
    }

    deinit {
        child?.stop()
        upstream.stop()
        try? FileManager.default.removeItem(at: directory)
    }

    func path(_ name: String) -> String { directory.appendingPathComponent(name).path }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: directory.appendingPathComponent(name))
    }

    func writeConfiguration(lists: String? = nil, extra: String = "") throws {
        try write(
            """
            listen: ["\(address):\(port)"]
            upstreams: ["127.0.0.1:\(upstream.port)"]
            lists:
              \(lists ?? "ads: { file: \"\(path("ads.txt"))\", format: adblock }")
            state-directory: "\(path("state"))"
            control-socket: "\(path("control.sock"))"
            workers: 1
            \(extra)
            """, to: "sluice.yaml")
    }

    /// What the daemon wrote so far.
    var log: String { child?.text ?? "" }

    /// Compiles the lists and starts the daemon; returns when it serves.
    func start(compiling: Bool = true, descriptors: Int? = nil) throws {
        if compiling { try expectSuccess("compile", "--config", path("sluice.yaml")) }
        let started = try launch(descriptors: descriptors)
        child = started
        try wait("the daemon serves") {
            guard started.isRunning else { throw Fault(description: "ended: \(started.text)") }
            return started.text.contains("serving on")
        }
    }

    /// Starts the daemon without waiting, allowed that many descriptors.
    func launch(descriptors: Int? = nil) throws -> ChildProcess {
        let output = directory.appendingPathComponent("sluiced-\(UUID().uuidString).log")
        let arguments = ["--config", path("sluice.yaml")]
        guard let descriptors else {
            return try ChildProcess(binaries.daemon, arguments, output: output)
        }
        let script = "ulimit -n \(descriptors); exec \"$0\" \"$@\""
        return try ChildProcess(
            URL(fileURLWithPath: "/bin/sh"), ["-c", script, binaries.daemon.path] + arguments,
            output: output)
    }

    /// Runs `sluice` to its end.
    func sluice(_ arguments: String...) throws -> (status: Int32, text: String) {
        try run(binaries.command, arguments)
    }

    func expectSuccess(_ arguments: String...) throws {
        let (status, text) = try run(binaries.command, arguments)
        guard status == 0 else {
            throw Fault(description: "sluice \(arguments): status \(status): \(text)")
        }
    }

    /// Runs a client of Debian, such as dig, against the daemon.
    func client(_ program: String, _ arguments: String...) throws -> String {
        let url = URL(fileURLWithPath: "/usr/bin/\(program)")
        guard FileManager.default.isExecutableFile(atPath: url.path) else {
            throw Fault(description: "\(program) is missing: run etc/install-packages.sh")
        }
        let address = ["@127.0.0.1", "-p", "\(port)", "+tries=1", "+timeout=6"]
        let kdigAddress = ["@127.0.0.1", "-p", "\(port)", "+retry=0", "+timeout=6"]
        return try run(url, (program == "kdig" ? kdigAddress : address) + arguments).text
    }

    /// The lines of a packed file, unpacked by the system's tool.
    func lines(unpacking file: URL, with tool: String) throws -> [String] {
        let (status, text) = try run(
            URL(fileURLWithPath: "/usr/bin/env"), [tool, "-dc", file.path])
        guard status == 0 else { throw Fault(description: "\(tool) could not unpack \(file)") }
        return text.utf8.split(separator: UInt8(ascii: "\n")).map { String(Substring($0)) }
    }

    func status() throws -> [String: Any] {
        let (status, text) = try sluice("status", "--json", "--config", path("sluice.yaml"))
        guard status == 0,
            let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        else { throw Fault(description: "status: \(text)") }
        return object
    }

    func wait(_ what: String, _ condition: () throws -> Bool) throws {
        let end = Date().addingTimeInterval(10)
        while Date() < end {
            if try condition() { return }
            Thread.sleep(forTimeInterval: 0.02)
        }
        throw Fault(description: "10 seconds went by before \(what): \(log)")
    }

    private func run(_ program: URL, _ arguments: [String]) throws -> (status: Int32, text: String)
    {
        let output = directory.appendingPathComponent("run-\(UUID().uuidString).txt")
        let child = try ChildProcess(program, arguments, output: output)
        guard let status = child.wait(seconds: 120) else {
            child.stop()
            throw Fault(description: "\(program.lastPathComponent) took over 120 s")
        }
        return (status, child.text)
    }
}
