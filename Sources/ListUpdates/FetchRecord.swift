import Control
import Cryptography
import FilterLists
import LinuxSystem
import Quantities

/// What is known of a list with an address: the text in force, what to ask the server with, and
/// what was wrong with the last text, if anything.
struct FetchRecord: Equatable, Sendable {
    /// The text in force, which the library keeps under its digest.
    struct Text: Equatable, Sendable {
        /// Its digest, unpacked.
        var digest: SHA256Digest
        /// Octets of it, unpacked.
        var size: ByteCount
        /// Rules in it.
        var rules: Int
        /// Its format, as told or guessed.
        var format: ListFormat
        /// When it came, in seconds since 1970.
        var time: Int64
    }

    /// What was wrong when it was fetched last.
    struct Fault: Equatable, Sendable {
        /// `ListFault.key`.
        var key: String
        /// What was said.
        var text: String
        /// Whether the text came and was held back.
        var isHeldBack: Bool
        /// Since when this is so, in seconds since 1970.
        var time: Int64
        /// Of a text that was held back, `ListGuard.judgement`: the same text, judged in the same
        /// way, need not be compiled again to be held back again.
        var judgement: SHA256Digest?
    }

    /// The address that all this belongs to.
    var url: String
    /// The text in force; `nil` before the first.
    var text: Text?
    /// What the server said of it.
    var validators = HTTPTransfer.Validators()
    /// What was wrong the last time; `nil` when nothing was.
    var fault: Fault?

    /// Nothing known of the list at `url`.
    init(url: String) { self.url = url }

    /// The record that a JSON text writes; `nil` when it is none.
    init?(json text: [UInt8]) {
        guard let value = try? JSONValue(text: text.span), let url = value["url"]?.string else {
            return nil
        }
        self.url = url
        if let text = value["text"] {
            guard let digest = text["digest"]?.string.flatMap({ SHA256Digest(text: $0) }),
                let size = text["bytes"]?.integer, let rules = text["rules"]?.integer,
                let format = text["format"]?.string.flatMap({ ListFormat(rawValue: $0) }),
                let time = text["time"]?.integer, size >= 0, rules >= 0
            else { return nil }
            self.text = Text(
                digest: digest, size: ByteCount(Int(size)), rules: Int(rules), format: format,
                time: time)
        }
        validators.entityTag = value["entityTag"]?.string
        validators.lastModified = value["lastModified"]?.string
        guard let fault = value["fault"] else { return }
        guard let key = fault["key"]?.string, let words = fault["text"]?.string,
            let isHeldBack = fault["heldBack"]?.bool, let time = fault["time"]?.integer
        else { return nil }
        self.fault = Fault(
            key: key, text: words, isHeldBack: isHeldBack, time: time,
            judgement: fault["judgement"]?.string.flatMap { SHA256Digest(text: $0) })
    }

    /// The text that `init(json:)` reads.
    var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { object in
            object.member("url", url)
            if let text {
                object.member("text") {
                    $0.object {
                        $0.member("digest", "\(text.digest)")
                        $0.member("bytes", text.size.octets)
                        $0.member("rules", text.rules)
                        $0.member("format", text.format.rawValue)
                        $0.member("time", text.time)
                    }
                }
            }
            if let tag = validators.entityTag { object.member("entityTag", tag) }
            if let date = validators.lastModified { object.member("lastModified", date) }
            if let fault {
                object.member("fault") {
                    $0.object {
                        $0.member("key", fault.key)
                        $0.member("text", fault.text)
                        $0.member("heldBack", fault.isHeldBack)
                        $0.member("time", fault.time)
                        if let judgement = fault.judgement {
                            $0.member("judgement", "\(judgement)")
                        }
                    }
                }
            }
        }
        return writer.octets + [0x0A]
    }
}

/// The records of a state directory.
///
/// ```
/// STATE-DIRECTORY/fetched/LIST.json       replaced whole, and only when something changed
/// ```
struct FetchRecords {
    /// Where they are.
    let directory: String
    private static let ending = ".json"
    private static let sizeLimit = 64 << 10

    /// The records of a state directory.
    init(stateDirectory: String) { directory = "\(stateDirectory)/fetched" }

    /// The record of a list; `nil` when there is none that can be read, or when it is of another
    /// address: the list is then as if it had never been fetched.
    func record(of list: String, url: String) -> FetchRecord? {
        guard
            let text = try? FileIO.readWhole(
                path: "\(directory)/\(list)\(Self.ending)", limit: Self.sizeLimit),
            let record = FetchRecord(json: text), record.url == url
        else { return nil }
        return record
    }

    /// Keeps a record.
    func keep(_ record: FetchRecord, of list: String) throws(UpdateError) {
        let text = record.json
        do throws(SystemError) {
            try FileIO.makeDirectories(path: directory)
            try FileIO.replace(path: "\(directory)/\(list)\(Self.ending)", with: text.span)
        } catch {
            throw .stateDirectory(error)
        }
    }

    /// The digests of all texts in force.
    var digests: Set<SHA256Digest> {
        var digests: Set<SHA256Digest> = []
        for name in (try? FileIO.list(directory: directory)) ?? [] where name.hasSuffix(".json") {
            let text = try? FileIO.readWhole(path: "\(directory)/\(name)", limit: Self.sizeLimit)
            if let digest = text.flatMap({ FetchRecord(json: $0) })?.text?.digest {
                digests.insert(digest)
            }
        }
        return digests
    }

    /// Removes the records of all lists but these.
    func sweep(keeping lists: Set<String>) throws(UpdateError) {
        for name in (try? FileIO.list(directory: directory)) ?? [] where name.hasSuffix(".json") {
            guard !lists.contains(String(name.dropLast(Self.ending.utf8.count))) else { continue }
            do { try FileIO.remove(path: "\(directory)/\(name)") } catch {
                throw .stateDirectory(error)
            }
        }
    }
}
