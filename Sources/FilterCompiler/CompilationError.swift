import LinuxSystem

/// Why no snapshot could be made. A bad line is no such reason: it is a diagnostic.
package enum CompilationError: Error, Equatable, Sendable {
    /// A list's text cannot be read.
    case unreadableList(name: String, cause: SystemError)
    /// The snapshot cannot be written.
    case unwritable(path: String, cause: SystemError)
    /// A temporary file cannot be made, written or read.
    case scratch(directory: String, cause: SystemError)
    /// The rules that cannot be put into a file outgrew their share of the memory at this list.
    case tooManyRulesInMemory(list: String)
    /// More lists than a policy can have.
    case tooManyLists(count: Int, limit: Int)
    /// More names than the prefilter can hold at this rate.
    case tooManyNames(count: Int, falsePositiveRate: Double)
    /// A section takes more than 4 GiB.
    case tooMuchText
    /// A false-positive rate outside 10⁻⁹ … 0.5.
    case rateOutOfRange(Double)
}

extension CompilationError: CustomStringConvertible {
    /// One phrase for a person.
    package var description: String {
        switch self {
        case .unreadableList(let name, let cause): "list \(name): \(cause)"
        case .unwritable(_, let cause): "\(cause)"
        case .scratch(_, let cause):
            "\(cause); names beyond the build memory are sorted in temporary files there: make "
                + "room, or raise --build-memory"
        case .tooManyRulesInMemory(let list):
            "list \(list): its rules with conditions, answers or exceptions do not fit into the "
                + "build memory; raise --build-memory"
        case .tooManyLists(let count, let limit):
            "\(count) lists in one policy; at most \(limit) are possible"
        case .tooManyNames(let count, let rate):
            "\(count) names are too many for a prefilter with false-positive rate \(rate): "
                + "its 32-bit hashes reach 4,294,967,295 bits"
        case .tooMuchText: "a section of the snapshot would take more than 4 GiB"
        case .rateOutOfRange(let rate):
            "prefilter false-positive rate \(rate) is outside 0.000000001 to 0.5"
        }
    }
}
