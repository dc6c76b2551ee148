import CLinux

/// A system call that failed.
public struct SystemError: Error, Equatable, Sendable {
    /// What was tried, in the words of the manual: `open`, `bind` …
    public let call: StaticString
    /// The errno.
    public let code: Int32
    /// The file or address it was about; empty when there is none.
    public let subject: String

    /// A failure of `call` with this errno.
    package init(_ call: StaticString, code: Int32, subject: String = "") {
        self.call = call
        self.code = code
        self.subject = subject
    }

    /// Equality of all three facts.
    public static func == (left: SystemError, right: SystemError) -> Bool {
        left.code == right.code && left.subject == right.subject
            && left.call.description == right.call.description
    }

    /// Whether the call may be tried again later: it would have blocked.
    package var wouldBlock: Bool { code == Code.again }

    /// Whether the machine or this process has no room for another descriptor now.
    package var isForWantOfRoom: Bool {
        switch code {
        case Code.noMemory, Code.tooManyFiles, Code.tooManyFilesInSystem, Code.noBuffers: true
        default: false
        }
    }

    /// The errno values that code here decides by.
    package enum Code {
        /// No such file or directory.
        package static let noEntry: Int32 = 2
        /// The device failed.
        package static let inputOutput: Int32 = 5
        /// Would block.
        package static let again: Int32 = 11
        /// No memory.
        package static let noMemory: Int32 = 12
        /// Permission denied.
        package static let access: Int32 = 13
        /// The file exists.
        package static let exists: Int32 = 17
        /// Too many open files in the system.
        package static let tooManyFilesInSystem: Int32 = 23
        /// Too many open files.
        package static let tooManyFiles: Int32 = 24
        /// A directory, where a file is wanted.
        package static let isDirectory: Int32 = 21
        /// The file is larger than the limit given.
        package static let tooLarge: Int32 = 27
        /// The address is in use.
        package static let addressInUse: Int32 = 98
        /// No such address here.
        package static let addressNotAvailable: Int32 = 99
        /// No room for another socket.
        package static let noBuffers: Int32 = 105
        /// Nobody listens there.
        package static let connectionRefused: Int32 = 111
        /// Timed out.
        package static let timedOut: Int32 = 110
        /// The file system or socket cannot do that.
        package static let notSupported: Int32 = 95
        /// The address family is not supported.
        package static let familyNotSupported: Int32 = 97
    }
}

extension SystemError: CustomStringConvertible {
    /// One phrase: `/etc/sluice/sluice.yaml: open: No such file or directory`.
    public var description: String {
        let text = unsafe String(cString: linux_error_text(code))
        return subject.isEmpty ? "\(call): \(text)" : "\(subject): \(call): \(text)"
    }
}

/// The result of a shim call: its value, or the error behind a negative one.
func checked<Value: SignedInteger>(
    _ result: Value, _ call: StaticString, _ subject: @autoclosure () -> String = ""
) throws(SystemError) -> Value {
    guard result >= 0 else {
        throw SystemError(call, code: Int32(truncatingIfNeeded: -result), subject: subject())
    }
    return result
}
