import Configuration
import Control
import Quantities

/// How a list with an address stands, by what its last update left in the state directory.
package struct ListStatus: Sendable {
    /// Its name.
    package let name: String
    /// Its address.
    package let url: String
    /// The text in force: its rules, and when it came in seconds since 1970.
    package let text: (rules: Int, time: Int64)?
    /// What was wrong when it was fetched last: what was said, since when, and whether the text
    /// came and was held back.
    package let fault: (text: String, time: Int64, isHeldBack: Bool)?

    /// The lists of the settings that have an address and that a policy uses, in their order.
    package static func all(_ settings: Settings) -> [ListStatus] {
        let records = FetchRecords(stateDirectory: settings.stateDirectory)
        let used = Set(settings.policies.flatMap(\.lists))
        return settings.lists.compactMap { list in
            guard let url = list.url, used.contains(list.name) else { return nil }
            let record = records.record(of: list.name, url: url)
            return ListStatus(
                name: list.name, url: url, text: record?.text.map { ($0.rules, $0.time) },
                fault: record?.fault.map { ($0.text, $0.time, $0.isHeldBack) })
        }
    }

    /// A word for how it stands.
    package var state: String {
        guard let fault else { return text == nil ? "never fetched" : "good" }
        return fault.isHeldBack ? "held back" : "not fetched"
    }

    /// Writes it as an object.
    package func write(to array: inout JSONWriter) {
        array.object { object in
            object.member("name", name)
            object.member("url", url)
            object.member("state", state)
            if let text {
                object.member("rules", text.rules)
                object.member("fetched", text.time)
            }
            if let fault {
                object.member("reason", fault.text)
                object.member("since", fault.time)
            }
        }
    }
}
