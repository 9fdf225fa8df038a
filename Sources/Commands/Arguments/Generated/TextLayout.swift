/// Wraps sentences and sets them in two columns, for help and reference.
struct TextLayout: Sendable {
  /// Of the whole line.
  let columns: Int

  /// Lines of at most `width` characters; longer words stay whole. Our own texts are ASCII.
  static func wrapped(_ text: String, to width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, line.utf8.count + 1 + word.utf8.count > width {
        lines.append(line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    if !line.isEmpty { lines.append(line) }
    return lines
  }

  /// `text` on lines of its own, indented.
  func paragraph(_ text: String, indent: Int = 0) -> String {
    let margin = String(repeating: " ", count: indent)
    return Self.wrapped(text, to: columns - indent).map { margin + $0 + "\n" }.joined()
  }

  /// Terms on the left, meanings on the right; on narrow screens below each other.
  func definitions(_ rows: [(term: String, meaning: String)]) -> String {
    let leftMax = 24
    let longest = rows.map { $0.term.utf8.count + 4 }.filter { $0 <= leftMax }.max() ?? leftMax
    let left = columns < 60 ? 6 : longest
    var text = ""
    for row in rows {
      let lines = Self.wrapped(row.meaning, to: columns - left)
      let margin = String(repeating: " ", count: left)
      let fits = row.term.utf8.count + 4 <= left
      var rest = lines[...]
      text += "  " + row.term
      if fits, let first = rest.popFirst() {
        text += String(repeating: " ", count: left - 2 - row.term.utf8.count) + first
      }
      text += "\n" + rest.map { margin + $0 + "\n" }.joined()
    }
    return text
  }
}
