import Configuration
import LinuxSystem
import Quantities

/// Gets the texts of lists from where their addresses say.
struct ListFetcher: ~Copyable {
    /// What came.
    enum Fetched {
        /// The text that is there already.
        case unchanged
        /// A text, packed or not, with what the server said of it.
        case text(ScratchFile, HTTPTransfer.Validators, contentType: String)
    }

    private let settings: UpdateSettings
    private let directory: String
    private let userAgent: String
    private let backOff: Duration
    private var hosts: HostBook

    /// A fetcher that asks `upstreams` for hosts and keeps texts in files without names, on the
    /// file system of `directory`.
    /// - Parameter backOff: the wait before the second try; doubled before each other.
    init(
        _ settings: UpdateSettings, upstreams: [NetworkAddress], directory: String,
        userAgent: String, backOff: Duration = .seconds(1)
    ) {
        self.settings = settings
        self.directory = directory
        self.userAgent = userAgent
        self.backOff = backOff
        hosts = HostBook(upstreams: upstreams)
    }

    /// The text at the address of `list`.
    /// - Parameter validators: what the server said of the text that is there.
    mutating func fetch(
        _ list: ListSettings, url: String, validators: HTTPTransfer.Validators?,
        progress: @escaping (ByteCount, ByteCount?) -> Void
    ) throws(ListFault) -> Fetched {
        if url.hasPrefix(Self.filePrefix) { return try copy(url, list) }
        var tries = 0
        while true {
            do throws(ListFault) {
                return try follow(list, url: url, validators: validators, progress: progress)
            } catch {
                guard error.isTransient, tries < settings.retries else { throw error }
            }
            // At most a minute, so that ten tries end the same hour.
            Clock.pause(min(backOff * (1 << tries), .seconds(60)))
            tries += 1
        }
    }

    private static let filePrefix = "file://"

    /// The text of a `file:` address, copied: what is looked at is then what is kept.
    private func copy(_ url: String, _ list: ListSettings) throws(ListFault) -> Fetched {
        guard let path = ListAddress.path(ofFileURL: url) else { throw .badAddress(url) }
        do throws(SystemError) {
            let source = try FileIO.open(path: path)
            let file = try ScratchFile(directory: directory)
            var chunk = [UInt8](repeating: 0, count: 64 << 10)
            var left = list.sizeLimit.octets
            while true {
                var span = chunk.mutableSpan
                let count = try source.read(into: &span)
                if count == 0 { break }
                left -= count
                guard left >= 0 else {
                    throw SystemError("read", code: SystemError.Code.tooLarge, subject: path)
                }
                try file.append(chunk.span.extracting(0..<count))
            }
            return .text(file, HTTPTransfer.Validators(), contentType: "")
        } catch {
            if error.code == SystemError.Code.tooLarge { throw .tooLarge(limit: list.sizeLimit) }
            throw .unreadable(error)
        }
    }

    /// One try: the address and where it redirects to.
    private mutating func follow(
        _ list: ListSettings, url: String, validators: HTTPTransfer.Validators?,
        progress: @escaping (ByteCount, ByteCount?) -> Void
    ) throws(ListFault) -> Fetched {
        var address = try ListAddress(url)
        let end = Clock.now() + list.timeout
        for _ in 0...settings.redirects {
            let left = end - Clock.now()
            guard left > .zero else { throw .transfer(code: 28, "no time is left") }
            let file: ScratchFile
            do { file = try ScratchFile(directory: directory) } catch { throw .unreadable(error) }
            let transfer = HTTPTransfer(
                url: address.text, headers: Self.headers(validators),
                resolved: try hosts.entries(for: address), timeout: left,
                sizeLimit: list.sizeLimit, userAgent: userAgent)
            let response = try transfer.run(into: file, progress: progress)
            switch response.status {
            case 200:
                return .text(file, response.validators, contentType: response.contentType)
            case 304 where validators != nil: return .unchanged
            case 301, 302, 303, 307, 308:
                guard let target = response.redirect else { throw .status(response.status) }
                let next = try ListAddress(target)
                guard address.mayLead(to: next) else { throw .badRedirect(to: target) }
                address = next
            default: throw .status(response.status)
            }
        }
        throw .tooManyRedirects(limit: settings.redirects)
    }

    /// A conditional request (RFC 9110 §13.1.2, §13.1.3): the date only where there is no tag.
    private static func headers(_ validators: HTTPTransfer.Validators?) -> [String] {
        if let tag = validators?.entityTag { return ["If-None-Match: \(tag)"] }
        return validators?.lastModified.map { ["If-Modified-Since: \($0)"] } ?? []
    }
}
