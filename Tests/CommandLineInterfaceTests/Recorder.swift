import LinuxSystem

@testable import CommandLineInterface

/// Keeps what a command writes.
final class Recorder {
    private(set) var output = ""
    private(set) var errors = ""

    var console: Console {
        Console { text, stream in
            switch stream {
            case .output: self.output += text
            case .error: self.errors += text
            }
        }
    }
}
