import LinuxSystem
import Quantities

/// The UDP sockets of one worker to one upstream: many, on random ports, each for a short time.
///
/// A forged answer must hit the port of the socket that carried the question; with the id that is
/// some 24 random bits (RFC 5452 §9.2, RFC 6056). A socket is replaced after 64 questions or 10
/// seconds; the old one is heard until its answers are in, at most 5 seconds.
struct DatagramPool {
    private struct Place {
        var link: Link?
        var uses = 0
        var opened = MonotonicInstant.distantPast
    }

    private static let usesPerSocket = 64
    private static let lifetime = Duration.seconds(10)
    /// A port that is taken is drawn again this often.
    private static let portTries = 8
    private static let firstPort: UInt32 = 1024

    /// The upstream.
    let address: NetworkAddress
    private var places: [Place]

    /// A pool of `size` places, all closed.
    init(address: NetworkAddress, size: Int) {
        self.address = address
        places = Array(repeating: Place(), count: size)
    }

    /// The link of a random place, opened or replaced when it is due.
    mutating func pick(
        random: inout RandomSource, now: MonotonicInstant, sockets: inout SocketTable,
        epoll: borrowing Epoll, token: (Link) -> UInt64
    ) throws(SystemError) -> Link {
        let index = Int(random.next(below: UInt32(places.count)))
        let place = places[index]
        if let link = place.link, place.uses < DatagramPool.usesPerSocket,
            now - place.opened < DatagramPool.lifetime, sockets.socket(link) != nil
        {
            places[index].uses += 1
            return link
        }
        if let old = place.link { sockets.retire(old, now: now) }
        places[index].link = nil
        let socket = SharedDescriptor(try openSocket(&random))
        let link = sockets.insert(socket)
        do throws(SystemError) {
            try epoll.add(socket.number, for: .readable, token: token(link))
        } catch {
            sockets.close(link)
            throw error
        }
        places[index] = Place(link: link, uses: 1, opened: now)
        return link
    }

    private func openSocket(_ random: inout RandomSource) throws(SystemError) -> FileDescriptor {
        for _ in 0..<DatagramPool.portTries {
            let span = 65_536 - DatagramPool.firstPort
            let port = UInt16(DatagramPool.firstPort + random.next(below: span))
            do throws(SystemError) {
                return try Sockets.connectUDP(address, localPort: port)
            } catch {
                guard error.code == SystemError.Code.addressInUse else { throw error }
            }
        }
        return try Sockets.connectUDP(address, localPort: 0)
    }
}
