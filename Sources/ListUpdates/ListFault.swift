import DNSClient
import DomainNames
import LinuxSystem
import Quantities

/// Why the new text of a list is not taken. The text from before stays in force.
package enum ListFault: Error, Equatable, Sendable {
    // The text did not come.
    /// libcurl is not there, and what the loader says.
    case noLibrary(String)
    /// The address cannot be read.
    case badAddress(String)
    /// The host has no address, or nobody tells it.
    case unresolved(host: String, StubError)
    /// libcurl's code and what it says.
    case transfer(code: Int32, String)
    /// The server's status is no success.
    case status(Int)
    /// More redirects than the settings allow.
    case tooManyRedirects(limit: Int)
    /// A redirect leads to an address that is not followed.
    case badRedirect(to: String)
    /// The file, or the text as it came, cannot be read.
    case unreadable(SystemError)

    // It came, and is no good.
    /// The text is larger than the settings allow.
    case tooLarge(limit: ByteCount)
    /// It is a web page.
    case webPage
    /// It is empty.
    case empty
    /// No line of it is a rule.
    case withoutRules(format: String)
    /// Most lines are wrong.
    case mostlyWrong(lines: Int, format: String)
    /// It lacks more of the rules than the settings allow.
    case shrunken(before: Int, after: Int, limit: Int)
    /// It would block a name that must not be blocked.
    case blocksProtected(DomainName)
    /// It cannot be compiled.
    case uncompilable(String)
    /// It is the text that was held back before, for that reason.
    case again(key: String, String)

    /// Whether the text came and was held back, for what it says.
    package var isHeldBack: Bool {
        switch self {
        case .tooLarge, .webPage, .empty, .withoutRules, .mostlyWrong, .shrunken, .blocksProtected,
            .uncompilable, .again:
            true
        default: false
        }
    }

    /// Whether another try in a moment may go better.
    var isTransient: Bool {
        switch self {
        case .unresolved(_, .noAnswer): true
        case .status(let status): status == 408 || status == 425 || status == 429 || status >= 500
        case .transfer(let code, _): Self.transientCodes.contains(code)
        default: false
        }
    }

    /// libcurl: connect, HTTP/2, partial file, time-out, empty reply, send, receive, HTTP/2 stream.
    private static let transientCodes: Set<Int32> = [7, 16, 18, 28, 52, 55, 56, 92]

    /// A word for machines.
    package var key: String {
        switch self {
        case .noLibrary: "no-library"
        case .badAddress: "bad-address"
        case .unresolved: "unresolved"
        case .transfer: "transfer"
        case .status: "status"
        case .tooManyRedirects: "too-many-redirects"
        case .badRedirect: "bad-redirect"
        case .unreadable: "unreadable"
        case .tooLarge: "too-large"
        case .webPage: "web-page"
        case .empty: "empty"
        case .withoutRules: "without-rules"
        case .mostlyWrong: "mostly-wrong"
        case .shrunken: "shrunken"
        case .blocksProtected: "blocks-protected"
        case .uncompilable: "uncompilable"
        case .again(let key, _): key
        }
    }
}

extension ListFault: CustomStringConvertible {
    /// What is wrong, and what to do where there is something to do.
    package var description: String {
        switch self {
        case .noLibrary(let reason):
            "libcurl is needed to fetch lists (\(reason)); install the Debian package libcurl4"
        case .badAddress(let address): "the address \(address) cannot be read"
        case .unresolved(let host, let cause): "host \(host): \(cause)"
        case .transfer(let code, let text): "\(text) (libcurl error \(code))"
        case .status(let status): "the server answers with status \(status)"
        case .tooManyRedirects(let limit): "more than \(limit) redirects"
        case .badRedirect(let target):
            "a redirect leads to \(target), which is not followed: https leads to https only"
        case .unreadable(let cause): "\(cause)"
        default: textFault
        }
    }

    private var textFault: String {
        switch self {
        case .tooLarge(let limit):
            "the text is larger than \(limit) ('size-limit' of the list)"
        case .webPage: "the text is a web page; is the address right?"
        case .empty: "the text is empty"
        case .withoutRules(let format): "the text has no rule when read as \(format)"
        case .mostlyWrong(let lines, let format):
            "most lines of the text are wrong (\(lines)) when read as \(format); is 'format' "
                + "another one?"
        case .shrunken(let before, let after, let limit):
            "it went from \(before) rules to \(after), and 'shrink-limit' is \(limit)%; "
                + "`sluice update --force` takes it"
        case .blocksProtected(let name):
            "it would block or rewrite \(name), which must stay reachable; "
                + "`sluice update --force` takes it"
        case .uncompilable(let reason), .again(_, let reason): reason
        default: ""
        }
    }
}
