/// What the daemon answers; one line of JSON.
///
/// ```
/// {"ok":true,…members of the verb…} LF        {"ok":false,"error":"…"} LF
/// ```
package enum ControlReply: Equatable, Sendable {
    /// Done; the whole object.
    case ok(JSONValue)
    /// Refused or failed, and why.
    case error(String)

    /// The octets of a good reply, newline included; `members` adds to the object.
    package static func okLine(_ members: (inout JSONWriter) -> Void = { _ in }) -> [UInt8] {
        var writer = JSONWriter()
        writer.object {
            $0.member("ok", true)
            members(&$0)
        }
        return writer.octets + [0x0A]
    }

    /// The octets of an error reply, newline included.
    package static func errorLine(_ reason: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.object {
            $0.member("ok", false)
            $0.member("error", reason)
        }
        return writer.octets + [0x0A]
    }

    /// The reply that `line` makes, its newline there or not.
    /// - Throws: `ControlError.malformedReply`, `.tooLong`.
    package init(line: Span<UInt8>) throws(ControlError) {
        let value = try JSONValue(text: line)
        switch (value["ok"], value["error"]) {
        case (.bool(true)?, _): self = .ok(value)
        case (.bool(false)?, .string(let reason)?): self = .error(reason)
        default: throw .malformedReply(offset: 0)
        }
    }
}
