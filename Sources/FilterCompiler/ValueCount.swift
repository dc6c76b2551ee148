/// Octets of rules that are held as values, against their share of the memory.
struct ValueCount: Sendable {
    /// Octets so far.
    private(set) var size = 0
    private let limit: Int
    private let listNames: [String]

    /// Nothing held.
    /// - Parameter listNames: the lists, by number, for errors.
    init(limit: Int, listNames: [String]) {
        self.limit = limit
        self.listNames = listNames
    }

    /// Counts a value of `octets` octets that list number `list` caused.
    /// - Throws: `.tooManyRulesInMemory`.
    mutating func add(_ octets: Int, of list: UInt16) throws(CompilationError) {
        size += octets
        guard size <= limit else {
            let name = Int(list) < listNames.count ? listNames[Int(list)] : ""
            throw .tooManyRulesInMemory(list: name)
        }
    }
}
