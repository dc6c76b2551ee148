import CCurl
import LinuxSystem
import Quantities

/// One request over http or https, its body going into a file.
struct HTTPTransfer {
    /// The address.
    var url: String
    /// Lines of the header, `Name: value`.
    var headers: [String]
    /// Hosts with their addresses, as libcurl takes them: `HOST:PORT:ADDRESS,ADDRESS`.
    var resolved: [String]
    /// How long it may take.
    var timeout: Duration
    /// Octets that the body may have, unpacked, and as sent.
    var sizeLimit: ByteCount
    /// Who asks.
    var userAgent: String

    /// What the server said.
    struct Response {
        /// The HTTP status.
        var status: Int
        /// The type of the body; empty when it was not said.
        var contentType: String
        /// Where a redirect leads.
        var redirect: String?
        /// What to ask with the next time.
        var validators: Validators
    }

    /// What tells a server which text is there already (RFC 9110 §8.8).
    struct Validators: Equatable, Sendable {
        /// ETag.
        var entityTag: String?
        /// Last-Modified.
        var lastModified: String?

        /// More octets than this are not kept of either.
        static let sizeLimit = 512
    }

    /// The longest that a connection may take to be made.
    private static let connectTime = Duration.seconds(10)
    /// A transfer of fewer octets a second, for so long, is given up.
    private static let slowRate: (octets: Int64, seconds: Int64) = (64, 15)

    /// Makes the request.
    /// - Throws: `.noLibrary`, `.transfer`, `.tooLarge`, `.unreadable` when the file is full.
    func run(
        into file: ScratchFile, progress: @escaping (ByteCount, ByteCount?) -> Void
    ) throws(ListFault) -> Response {
        try Self.openLibrary()
        let receiver = Receiver(file: file, limit: sizeLimit.octets, progress: progress)
        var response = ccurl_response()
        let code = perform(receiver, &response)
        if let fault = receiver.fault { throw fault }
        let status = Int(response.status)
        guard code == 0 else {
            if code == Self.codeOfTooLarge { throw .tooLarge(limit: sizeLimit) }
            throw .transfer(code: code, Self.text(of: response.error))
        }
        let redirect = Self.text(of: response.redirect)
        return Response(
            status: status, contentType: Self.text(of: response.content_type),
            redirect: redirect.isEmpty ? nil : redirect, validators: receiver.validators)
    }

    /// CURLE_FILESIZE_EXCEEDED.
    private static let codeOfTooLarge: Int32 = 63

    /// Opens libcurl unless it is open.
    static func openLibrary() throws(ListFault) {
        // The text is libcurl's or the loader's own and stays.
        if let reason = unsafe ccurl_open() { throw .noLibrary(unsafe String(cString: reason)) }
    }

    private func perform(_ receiver: Receiver, _ response: inout ccurl_response) -> Int32 {
        // The strings and the receiver live until the call is over, and it calls back from inside.
        unsafe Self.withCStrings(headers) { headers in
            unsafe Self.withCStrings(resolved) { resolved in
                unsafe url.withCString { url in
                    unsafe userAgent.withCString { userAgent in
                        var request = unsafe ccurl_request()
                        unsafe request.url = url
                        unsafe request.user_agent = userAgent
                        unsafe request.headers = headers
                        unsafe request.resolve = resolved
                        unsafe request.connect_milliseconds =
                            min(timeout, Self.connectTime).wholeMillisecondsRoundedUp
                        unsafe request.total_milliseconds = timeout.wholeMillisecondsRoundedUp
                        unsafe request.slow_octets = Self.slowRate.octets
                        unsafe request.slow_seconds = Self.slowRate.seconds
                        unsafe request.most_octets = Int64(sizeLimit.octets)
                        unsafe request.context = Unmanaged.passUnretained(receiver).toOpaque()
                        unsafe request.body = { context, octets, size in
                            guard let receiver = unsafe Receiver.of(context) else { return 0 }
                            let buffer = unsafe UnsafeBufferPointer(start: octets, count: size)
                            return receiver.take(body: unsafe Span(_unsafeElements: buffer)) ? 1 : 0
                        }
                        unsafe request.header = { context, octets, size in
                            let buffer = unsafe UnsafeBufferPointer(start: octets, count: size)
                            unsafe Receiver.of(context)?.take(
                                header: unsafe String(decoding: buffer, as: UTF8.self))
                        }
                        unsafe request.progress = { context, done, total in
                            unsafe Receiver.of(context)?.progress(
                                ByteCount(Int(done)), total > 0 ? ByteCount(Int(total)) : nil)
                        }
                        return unsafe ccurl_perform(&request, &response)
                    }
                }
            }
        }
    }

    /// Takes what comes, under the limit.
    private final class Receiver {
        private let file: ScratchFile
        private let limit: Int
        let progress: (ByteCount, ByteCount?) -> Void
        private var count = 0
        private(set) var fault: ListFault?
        private(set) var validators = Validators()

        init(
            file: ScratchFile, limit: Int, progress: @escaping (ByteCount, ByteCount?) -> Void
        ) {
            self.file = file
            self.limit = limit
            self.progress = progress
        }

        /// The receiver behind the pointer that was made from it.
        static func of(_ context: UnsafeMutableRawPointer?) -> Receiver? {
            guard let context = unsafe context else { return nil }
            return unsafe Unmanaged<Receiver>.fromOpaque(context).takeUnretainedValue()
        }

        /// Writes octets of the body; `false` ends the transfer.
        func take(body octets: Span<UInt8>) -> Bool {
            count += octets.count
            guard count <= limit else {
                fault = .tooLarge(limit: ByteCount(limit))
                return false
            }
            do throws(SystemError) {
                try file.append(octets)
                return true
            } catch {
                fault = .unreadable(error)
                return false
            }
        }

        /// Keeps the two lines of the header that count.
        func take(header line: String) {
            guard let colon = line.firstIndex(of: ":"),
                line.utf8.count <= Validators.sizeLimit
            else { return }
            let value = String(line[line.index(after: colon)...].trimmingSpace)
            guard !value.isEmpty, value.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else { return }
            switch line[..<colon].lowercased() {
            case "etag": validators.entityTag = value
            case "last-modified": validators.lastModified = value
            default: break
            }
        }
    }

    /// The text in a C array of characters that ends with a zero.
    private static func text<Characters>(of array: Characters) -> String {
        unsafe withUnsafeBytes(of: array) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    /// Runs `body` with a C array of C strings, ended by a null pointer.
    private static func withCStrings<Result>(
        _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
    ) -> Result {
        let octets = strings.flatMap { Array($0.utf8CString) }
        return unsafe octets.withUnsafeBufferPointer { buffer in
            var pointers: [UnsafePointer<CChar>?] = unsafe []
            var offset = 0
            for string in strings {
                unsafe pointers.append(buffer.baseAddress.map { unsafe $0 + offset })
                offset += string.utf8.count + 1
            }
            unsafe pointers.append(nil)
            return unsafe pointers.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
        }
    }
}

extension Substring {
    /// This text without blanks and line ends around it.
    var trimmingSpace: Substring {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0.isNewline }
        var text = self.drop(while: isSpace)
        while let last = text.last, isSpace(last) { text.removeLast() }
        return text
    }
}
