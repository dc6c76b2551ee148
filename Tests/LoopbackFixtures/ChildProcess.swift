import Foundation
import Glibc

/// A program that a play runs, its output in a file, ended by its number.
package final class ChildProcess {
    private let process = Foundation.Process()
    private let output: URL

    /// Starts a program with its output going to the file `output`.
    package init(_ program: URL, _ arguments: [String], output: URL) throws {
        self.output = output
        try Data().write(to: output)
        let handle = try FileHandle(forWritingTo: output)
        process.executableURL = program
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = handle
        process.standardError = handle
        try process.run()
        try handle.close()
    }

    /// Its process number.
    package var number: Int32 { process.processIdentifier }
    /// Whether it runs.
    package var isRunning: Bool { process.isRunning }

    /// What it wrote so far.
    package var text: String { (try? String(contentsOf: output, encoding: .utf8)) ?? "" }

    /// Waits for its end; `nil` when it goes on for longer.
    package func wait(seconds: Double) -> Int32? {
        let end = Date().addingTimeInterval(seconds)
        while process.isRunning, Date() < end { Thread.sleep(forTimeInterval: 0.005) }
        return process.isRunning ? nil : process.terminationStatus
    }

    /// Asks it to end, and ends it when it does not within four seconds.
    package func stop() {
        guard process.isRunning else { return }
        kill(number, SIGTERM)
        if wait(seconds: 4) == nil {
            kill(number, SIGKILL)
            _ = wait(seconds: 2)
        }
    }
}
