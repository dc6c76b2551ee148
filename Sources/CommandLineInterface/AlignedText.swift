import Quantities

/// Columns and figures for people.
enum AlignedText {
    /// Rows in columns two spaces apart, each line after `indent` spaces; the last column is not
    /// filled up.
    static func columns(_ rows: [[String]], indent: Int = 2) -> String {
        var widths: [Int] = []
        for row in rows {
            for (column, cell) in row.dropLast().enumerated() {
                if column == widths.count { widths.append(0) }
                widths[column] = max(widths[column], cell.count)
            }
        }
        var text = ""
        for row in rows {
            var line = String(repeating: " ", count: indent)
            for (column, cell) in row.enumerated() {
                line += Console.printable(cell)
                if column < row.count - 1 {
                    line += String(repeating: " ", count: widths[column] - cell.count + 2)
                }
            }
            while line.hasSuffix(" ") { line.removeLast() }
            text += line + "\n"
        }
        return text
    }

    /// A number with commas between thousands: `2,425,494`.
    static func count(_ number: some BinaryInteger) -> String {
        let digits = Array(String(number).utf8)
        let sign = digits.first == UInt8(ascii: "-") ? 1 : 0
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > sign, (digits.count - index) % 3 == 0 { text += "," }
            text.unicodeScalars.append(Unicode.Scalar(digit))
        }
        return text
    }

    /// A number, not negative, with `places` decimals, rounded.
    static func decimal(_ number: Double, places: Int) -> String {
        let scale = (0..<places).reduce(1) { scale, _ in scale * 10 }
        guard number.isFinite, number >= 0, number < 1e12 else { return "\(number)" }
        // Cut after adding a half: rounding by `rounded()` would need libm.
        let scaled = Int(number * Double(scale) + 0.5)
        guard places > 0 else { return count(scaled) }
        let fraction = String(scaled % scale)
        let zeros = String(repeating: "0", count: places - fraction.utf8.count)
        return "\(count(scaled / scale)).\(zeros)\(fraction)"
    }

    /// A share of a whole: `12.3 %`; empty for a whole of nothing.
    static func share(_ part: Int64, of whole: Int64) -> String {
        whole > 0 ? decimal(100 * Double(part) / Double(whole), places: 1) + " %" : ""
    }

    /// Seconds with two decimals.
    static func seconds(_ duration: Duration) -> String {
        decimal(Double(duration.wholeNanoseconds) / 1e9, places: 2) + " s"
    }
}
