import Foundation

/// One file of `Tests/Vectors/dns`; `FORMAT.md` there says how they are written.
struct MessageVector: CustomStringConvertible, Sendable {
    enum Failure: Error {
        case notHex(String)
        case noFiles
    }

    let name: String
    let octets: [UInt8]
    /// Kind and offset of the error.
    let mustFail: String?
    let expected: [String]

    var description: String { name }

    init(name: String, text: String) throws {
        self.name = name
        var octets: [UInt8] = []
        var mustFail: String?
        var expected: [String] = []
        for line in text.split(separator: "\n") {
            if line.hasPrefix("must-fail: ") {
                mustFail = String(line.dropFirst("must-fail: ".count))
            } else if line.hasPrefix("expect: ") {
                expected.append(String(line.dropFirst("expect: ".count)))
            } else {
                for word in line.prefix(while: { $0 != "#" }).split(separator: " ") {
                    guard word.count == 2, let octet = UInt8(word, radix: 16) else {
                        throw Failure.notHex("\(name): \(word)")
                    }
                    octets.append(octet)
                }
            }
        }
        self.octets = octets
        self.mustFail = mustFail
        self.expected = expected
    }

    /// The folder of this file's package.
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// All vectors, by name.
    static func all() throws -> [MessageVector] {
        let folder = root.appendingPathComponent("Tests/Vectors/dns")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            .filter { $0.hasSuffix(".hex") }
        guard !files.isEmpty else { throw Failure.noFiles }
        return try files.map { file in
            let text = try String(
                contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
            return try MessageVector(name: String(file.dropLast(4)), text: text)
        }
    }
}
