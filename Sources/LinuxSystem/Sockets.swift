import CLinux

/// A client's connection.
package struct AcceptedSocket: ~Copyable {
    /// The connection.
    package let socket: FileDescriptor
    /// The client.
    package let remote: NetworkAddress

    /// The connection alone.
    package consuming func take() -> FileDescriptor { socket }
}

/// Sockets, always non-blocking unless said otherwise.
package enum Sockets {
    /// A UDP socket bound to `address`, which tells the address that each datagram came to.
    ///
    /// - Parameter sharesPort: whether others of this user may bind the same address
    ///   (`SO_REUSEPORT`); the kernel then spreads clients over the sockets.
    package static func bindUDP(
        _ address: NetworkAddress, sharesPort: Bool
    ) throws(SystemError) -> FileDescriptor {
        var system = address.system
        let result = unsafe linux_udp_bind(&system, sharesPort ? 1 : 0, 0)
        return FileDescriptor(taking: try checked(result, "bind UDP", address.description))
    }

    /// A TCP socket that listens on `address`.
    package static func listenTCP(
        _ address: NetworkAddress, sharesPort: Bool
    ) throws(SystemError) -> FileDescriptor {
        var system = address.system
        let result = unsafe linux_tcp_listen(&system, sharesPort ? 1 : 0, 0)
        return FileDescriptor(taking: try checked(result, "listen TCP", address.description))
    }

    /// Fails when anyone holds `address`, even a socket that would share it.
    package static func probe(_ address: NetworkAddress) throws(SystemError) {
        var system = address.system
        let udp = unsafe linux_udp_bind(&system, 0, 1)
        _ = FileDescriptor(taking: try checked(udp, "bind UDP", address.description))
        let tcp = unsafe linux_tcp_listen(&system, 0, 1)
        _ = FileDescriptor(taking: try checked(tcp, "listen TCP", address.description))
    }

    /// A UDP socket on `localPort` that hears only `remote`.
    package static func connectUDP(
        _ remote: NetworkAddress, localPort: UInt16
    ) throws(SystemError) -> FileDescriptor {
        var system = remote.system
        let result = unsafe linux_udp_connect(&system, localPort)
        return FileDescriptor(taking: try checked(result, "connect UDP", remote.description))
    }

    /// A TCP socket on its way to `remote`; writable when it is there or has failed.
    package static func connectTCP(_ remote: NetworkAddress) throws(SystemError) -> FileDescriptor {
        var system = remote.system
        let result = unsafe linux_tcp_connect(&system)
        return FileDescriptor(taking: try checked(result, "connect TCP", remote.description))
    }

    /// The next client of a TCP listener; `nil` when none waits.
    package static func accept(
        _ listener: borrowing FileDescriptor
    ) throws(SystemError) -> AcceptedSocket? {
        var remote = linux_address()
        let result = unsafe linux_accept(listener.number, &remote)
        if result == -SystemError.Code.again { return nil }
        return AcceptedSocket(
            socket: FileDescriptor(taking: try checked(result, "accept")),
            remote: NetworkAddress(remote))
    }

    /// The address that a socket is bound to.
    package static func localAddress(
        _ socket: borrowing FileDescriptor
    ) throws(SystemError) -> NetworkAddress {
        var local = linux_address()
        _ = try checked(unsafe linux_local_address(socket.number, &local), "getsockname")
        return NetworkAddress(local)
    }

    /// Throws the error that a socket has met, for one that was connecting.
    package static func checkConnected(_ socket: borrowing FileDescriptor) throws(SystemError) {
        _ = try checked(linux_socket_error(socket.number), "connect")
    }

    /// Reads what is there from a connected socket.
    /// - Returns: octets read; 0 when the other side closed; `nil` when nothing is there now.
    @_lifetime(buffer: copy buffer)
    package static func receive(
        _ socket: borrowing FileDescriptor, into buffer: inout MutableSpan<UInt8>
    ) throws(SystemError) -> Int? {
        let number = socket.number
        let got = unsafe buffer.withUnsafeMutableBufferPointer { bytes in
            unsafe linux_receive(number, bytes.baseAddress, bytes.count)
        }
        if got == -Int64(SystemError.Code.again) { return nil }
        return Int(try checked(got, "recv"))
    }

    /// Sends what there is room for.
    /// - Returns: octets taken; `nil` when there is no room now.
    package static func send(
        _ socket: borrowing FileDescriptor, _ octets: Span<UInt8>
    ) throws(SystemError) -> Int? {
        let number = socket.number
        let sent = unsafe octets.withUnsafeBufferPointer { bytes in
            unsafe linux_send(number, bytes.baseAddress, bytes.count)
        }
        if sent == -Int64(SystemError.Code.again) { return nil }
        return Int(try checked(sent, "send"))
    }

    /// A Unix stream socket that listens at `path` with the given mode.
    package static func listenUnix(
        path: String, mode: UInt32
    ) throws(SystemError) -> FileDescriptor {
        FileDescriptor(taking: try checked(unsafe linux_unix_listen(path, mode), "listen", path))
    }

    /// A blocking connection to the Unix socket at `path`, each call bounded by `milliseconds`.
    package static func connectUnix(
        path: String, timeoutMilliseconds: Int32
    ) throws(SystemError) -> FileDescriptor {
        let socket = FileDescriptor(
            taking: try checked(unsafe linux_unix_connect(path), "connect", path))
        _ = try checked(linux_set_timeout(socket.number, timeoutMilliseconds), "setsockopt")
        return socket
    }

    /// The next client of a Unix listener; `nil` when none waits.
    package static func acceptUnix(
        _ listener: borrowing FileDescriptor
    ) throws(SystemError) -> FileDescriptor? {
        let result = linux_unix_accept(listener.number)
        if result == -SystemError.Code.again { return nil }
        return FileDescriptor(taking: try checked(result, "accept"))
    }

    /// The index of the interface called `name`; `nil` when there is none.
    package static func interfaceIndex(_ name: String) -> UInt32? {
        let index = unsafe linux_interface_index(name)
        return index == 0 ? nil : index
    }
}
