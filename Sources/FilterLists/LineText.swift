/// Lines of lists as reports show them.
extension Span<UInt8> {
    /// Octets of a line that are shown.
    private static var shownSize: Int { 500 }

    /// The line without blanks at its ends; a very long one is cut.
    package var shownText: String {
        let shown = trimmed(0..<Swift.min(count, Self.shownSize))
        var octets: [UInt8] = []
        for index in shown { octets.append(self[index]) }
        let text = String(decoding: octets, as: UTF8.self)
        return count > Self.shownSize ? text + "…" : text
    }
}
