/// Why a message could not be built.
@frozen
public enum BuildError: Error, Equatable, Sendable {
    /// The caller's buffer is full.
    case full
}

/// Writes one message into the caller's buffer, section after section.
///
/// What does not fit throws `.full` and leaves the message as it was before that record; counts in
/// the header are kept by the builder.
@frozen
public struct MessageBuilder: ~Copyable, ~Escapable {
    /// The caller's octets.
    @usableFromInline var buffer: MutableSpan<UInt8>
    /// Octets of `buffer` that hold the message, from the first on.
    @usableFromInline var used: Int

    /// A builder over `buffer`; starts with a header of zeros.
    /// - Throws: `.full` when the buffer is shorter than a header.
    @inlinable
    @_lifetime(copy buffer)
    public init(_ buffer: consuming MutableSpan<UInt8>) throws(BuildError) {
        guard buffer.count >= Header.size else {
            self.buffer = buffer
            self.used = 0
            throw .full
        }
        self.buffer = buffer
        used = Header.size
        for index in 0..<Header.size { self.buffer[index] = 0 }
    }

    /// Octets written so far.
    @inlinable
    public var count: Int { used }

    /// Octets left in the buffer.
    @inlinable
    public var room: Int { buffer.count - used }

    /// Writes id and flags.
    @inlinable
    @_lifetime(self: copy self)
    public mutating func setHeader(id: UInt16, flags: UInt16) {
        write(id, at: 0)
        write(flags, at: 2)
    }

    /// Appends a question from an uncompressed wire name.
    @inlinable
    @_lifetime(self: copy self)
    public mutating func appendQuestion(
        name: Span<UInt8>, type: RecordType, recordClass: RecordClass
    ) throws(BuildError) {
        guard name.count + 4 <= room else { throw .full }
        appendOctets(name)
        append16(type.rawValue)
        append16(recordClass.rawValue)
        increment(at: 4)
    }

    /// Appends a record whose owner is a pointer to an earlier `offset` of the message.
    @inlinable
    @_lifetime(self: copy self)
    public mutating func appendRecord(
        _ section: Section, ownerAt offset: Int, type: RecordType, recordClass: RecordClass,
        ttl: UInt32, rdata: Span<UInt8>
    ) throws(BuildError) {
        precondition(offset >= Header.size && offset < 0x4000, "a pointer holds 14 bits")
        guard 12 + rdata.count <= room else { throw .full }
        append16(0xC000 | UInt16(truncatingIfNeeded: offset))
        appendTail(section, type: type, recordClass: recordClass, ttl: ttl, rdata: rdata)
    }

    /// Appends a record whose owner is an uncompressed wire name.
    @inlinable
    @_lifetime(self: copy self)
    public mutating func appendRecord(
        _ section: Section, owner: Span<UInt8>, type: RecordType, recordClass: RecordClass,
        ttl: UInt32, rdata: Span<UInt8>
    ) throws(BuildError) {
        guard owner.count + 10 + rdata.count <= room else { throw .full }
        appendOctets(owner)
        appendTail(section, type: type, recordClass: recordClass, ttl: ttl, rdata: rdata)
    }

    /// Appends an OPT record of version 0 (RFC 6891 §6.1.2), with an extended error if given.
    ///
    /// The error's text goes first when there is no room for it, the error next (RFC 8914 §3).
    @inlinable
    @_lifetime(self: copy self)
    public mutating func appendOPT(
        payloadSize: UInt16, rcode: ResponseCode, dnssecOK: Bool, error: ExtendedErrorCode?,
        text: Span<UInt8>
    ) throws(BuildError) {
        guard room >= Record.leastSize else { throw .full }
        let withError = error != nil && room >= Record.leastSize + 6
        let withText = withError && room >= Record.leastSize + 6 + text.count
        buffer[used] = 0
        used += 1
        append16(RecordType.opt.rawValue)
        append16(payloadSize)
        append16((rcode.rawValue >> 4) << 8)
        append16(dnssecOK ? 0x8000 : 0)
        guard withError, let error else {
            append16(0)
            increment(at: 10)
            return
        }
        let textCount = withText ? text.count : 0
        append16(UInt16(truncatingIfNeeded: 6 + textCount))
        append16(EDNSOption.extendedError)
        append16(UInt16(truncatingIfNeeded: 2 + textCount))
        append16(error.rawValue)
        if withText { appendOctets(text) }
        increment(at: 10)
    }

    /// Type to RDATA of a record whose owner is written and whose room is checked.
    @inlinable
    @_lifetime(self: copy self)
    mutating func appendTail(
        _ section: Section, type: RecordType, recordClass: RecordClass, ttl: UInt32,
        rdata: Span<UInt8>
    ) {
        append16(type.rawValue)
        append16(recordClass.rawValue)
        append16(UInt16(truncatingIfNeeded: ttl >> 16))
        append16(UInt16(truncatingIfNeeded: ttl))
        append16(UInt16(truncatingIfNeeded: rdata.count))
        appendOctets(rdata)
        increment(at: 6 + 2 * Int(section.rawValue))
    }

    /// Octets as they are, room checked by the caller.
    @inlinable
    @_lifetime(self: copy self)
    mutating func appendOctets(_ octets: Span<UInt8>) {
        var index = 0
        while index < octets.count {
            buffer[used + index] = octets[index]
            index += 1
        }
        used += octets.count
    }

    /// Two octets, big-endian, room checked by the caller.
    @inlinable
    @_lifetime(self: copy self)
    mutating func append16(_ value: UInt16) {
        write(value, at: used)
        used += 2
    }

    /// Adds one to the 16 bits at `offset`: a count of the header.
    @inlinable
    @_lifetime(self: copy self)
    mutating func increment(at offset: Int) {
        write((UInt16(buffer[offset]) << 8 | UInt16(buffer[offset + 1])) &+ 1, at: offset)
    }

    /// Two octets, big-endian, over what is at `offset`.
    @inlinable
    @_lifetime(self: copy self)
    mutating func write(_ value: UInt16, at offset: Int) {
        buffer[offset] = UInt8(truncatingIfNeeded: value >> 8)
        buffer[offset + 1] = UInt8(truncatingIfNeeded: value)
    }
}

/// Codes of EDNS options (IANA "DNS EDNS0 Option Codes").
public enum EDNSOption {
    /// Extended DNS error (RFC 8914 §2).
    @inlinable public static var extendedError: UInt16 { 15 }
}
