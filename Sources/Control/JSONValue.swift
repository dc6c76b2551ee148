/// A parsed JSON text (RFC 8259): what a command reads from the daemon's reply.
package indirect enum JSONValue: Equatable, Sendable {
    /// One member of an object.
    package struct Member: Equatable, Sendable {
        /// The name.
        package let name: String
        /// The value.
        package let value: JSONValue
    }

    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number without fraction and exponent that fits 64 bits.
    case integer(Int64)
    /// Any other number.
    case double(Double)
    /// A string, escapes resolved.
    case string(String)
    /// Values in order.
    case array([JSONValue])
    /// Members in the order of the text.
    case object([Member])

    /// The value of the first member `name`; `nil` without one, or when this is no object.
    package subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// The string; `nil` for any other value.
    package var string: String? {
        guard case .string(let value) = self else { return nil }
        return value
    }

    /// The whole number; `nil` for any other value.
    package var integer: Int64? {
        guard case .integer(let value) = self else { return nil }
        return value
    }

    /// The number; `nil` for any other value.
    package var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }

    /// True or false; `nil` for any other value.
    package var bool: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    /// The values of an array; none of any other value.
    package var items: [JSONValue] {
        guard case .array(let items) = self else { return [] }
        return items
    }

    /// The value that `text` writes; nothing but white space may remain.
    /// - Throws: `ControlError.malformedReply` with the offset of the first octet that does not
    ///   fit, `.tooLong`.
    /// - Complexity: O(octets), bounded by `ControlLimits`.
    package init(text: Span<UInt8>) throws(ControlError) {
        guard text.count <= ControlLimits.replySize else {
            throw .tooLong(limit: ControlLimits.replySize)
        }
        var parser = JSONParser(text)
        self = try parser.value(depth: 1)
        try parser.finish()
    }
}
