/// The commented example, `etc/sluice.yaml`, made from the table of keys.
///
/// Live keys stand there with their defaults; examples and keys that are not in this version stand
/// behind a `#` without a space, so that taking it away leaves valid YAML.
package enum ConfigurationExample {
    /// The text of the example, ending in a newline.
    package static var text: String {
        var lines = [
            "# Sluice: /etc/sluice/sluice.yaml",
            "#",
            "# Every key may be left out; the values below are the defaults. A line that begins",
            "# with '#' and a letter is an example: take the '#' away to use it.",
            "# `sluice check-config` shows every mistake with its line and the fix.",
        ]
        for key in ConfigurationKey.children(of: "") {
            lines.append("")
            lines += paragraph(key)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func paragraph(_ key: ConfigurationKey) -> [String] {
        var lines = ["# " + key.summary]
        let children = ConfigurationKey.children(of: key.path)
        if key.defaultText == nil, !children.isEmpty {
            lines += children.map { described($0, indent: "  ") }
            lines += note(key)
            lines.append((key.isLive ? "" : "#") + section(key.name, children))
            return lines
        }
        lines.append("# Takes \(key.takes).")
        let items = ConfigurationKey.children(of: key.path + ".*")
        for item in items {
            lines.append(described(item, indent: "  "))
            lines += ConfigurationKey.children(of: item.path).map { described($0, indent: "    ") }
        }
        lines += note(key)
        if let example = key.example { lines.append("#\(key.name): \(example)") }
        if let defaultText = key.defaultText, key.example == nil || !defaultIsEmpty(key) {
            lines.append((key.isLive ? "" : "#") + "\(key.name): \(defaultText)")
        }
        return lines
    }

    private static func note(_ key: ConfigurationKey) -> [String] {
        key.isLive ? [] : ["# Not in this version: only the default is taken."]
    }

    private static func defaultIsEmpty(_ key: ConfigurationKey) -> Bool {
        key.defaultText == "[]" || key.defaultText == "{}"
    }

    private static func section(_ name: String, _ children: [ConfigurationKey]) -> String {
        let values = children.map { "\($0.name): \($0.defaultText ?? "")" }
        return "\(name): { \(values.joined(separator: ", ")) }"
    }

    private static func described(_ key: ConfigurationKey, indent: String) -> String {
        let isOfLater = !key.isLive && !key.path.hasPrefix("forward") && key.path.hasPrefix("lists")
        return "# \(indent)\(key.name): \(key.summary) (\(key.takes))"
            + (isOfLater ? " Not in this version." : "")
    }
}
