import LinuxSystem

/// Finds the process that holds a port, from /proc, for an error that helps.
enum PortHolder {
    /// Processes looked at, so that a machine with very many costs no long wait.
    private static let processLimit = 4096

    /// `process 1234 (dnsmasq)`; `nil` when it cannot be told, as without the right to look.
    static func find(port: UInt16) -> String? {
        let inodes = Set(
            ["udp", "udp6", "tcp", "tcp6"].flatMap { table in
                socketInodes(of: table, port: port)
            })
        guard !inodes.isEmpty, let names = try? FileIO.list(directory: "/proc") else { return nil }
        for name in names.filter({ Int($0) != nil }).prefix(processLimit) {
            guard let files = try? FileIO.list(directory: "/proc/\(name)/fd") else { continue }
            for file in files {
                guard let target = FileIO.linkTarget(path: "/proc/\(name)/fd/\(file)"),
                    target.hasPrefix("socket:["), inodes.contains(String(target.dropFirst(8)))
                else { continue }
                let command = (try? FileIO.readWhole(path: "/proc/\(name)/comm", limit: 256)) ?? []
                let text = String(decoding: command, as: UTF8.self).filter { $0 != "\n" }
                return "process \(name) (\(text))"
            }
        }
        return nil
    }

    /// Inodes, with the bracket that ends them in a link, of sockets bound to a port.
    private static func socketInodes(of table: String, port: UInt16) -> [String] {
        guard let text = try? FileIO.readWhole(path: "/proc/net/\(table)", limit: 4 << 20) else {
            return []
        }
        let digits = String(port, radix: 16, uppercase: true)
        let suffix = ":" + String(repeating: "0", count: 4 - digits.count) + digits
        var inodes: [String] = []
        for line in text.split(separator: UInt8(ascii: "\n")).dropFirst() {
            let fields = String(decoding: line, as: UTF8.self).split(separator: " ")
            guard fields.count > 9, fields[1].hasSuffix(suffix) else { continue }
            inodes.append("\(fields[9])]")
        }
        return inodes
    }
}
