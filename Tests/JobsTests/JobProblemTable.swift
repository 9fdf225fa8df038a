import Testing

/// One mistake each in the valid job of `Books`, with all its messages: line, column, text.
enum JobProblemTable {
  struct Row: Sendable, CustomTestStringConvertible {
    let old: String
    let new: String
    let told: String

    init(_ old: String, _ new: String, _ told: String) {
      self.old = old
      self.new = new
      self.told = told
    }

    var testDescription: String { new }
  }

  /// Parses rows: a mistake, `old ⟶ new` (⏎ is a line end), or a further key of the job or its list, `top + more` or
  /// `list + more`; then, indented, its messages, which may continue further indented.
  static func read(
    _ text: String, _ row: (String, String, String) -> Row = { Row($0, $1, $2) }
  ) -> [Row] {
    var parts: [(slip: String, told: String)] = []
    for line in text.split(separator: "\n") {
      let words = line.drop { $0 == " " }
      let last = parts.count - 1
      switch line.count - words.count {
      case 0 where parts.last?.told == "": parts[last].slip += " " + words
      case 0: parts.append((String(words), ""))
      case 2: parts[last].told += "\n" + words
      default: parts[last].told += " " + words
      }
    }
    return parts.map { slip, told in
      let sides = slip.replacing("⏎", with: "\n").split(separator: " ⟶ ").map(String.init)
      if sides.count == 2 { return row(sides[0], sides[1], told) }
      let place = slip.hasPrefix("top + ") ? "name: \"books\"," : "list: \"hits\""
      let more = slip.drop { $0 != "+" }.dropFirst(2)
      return Row(place, place.hasSuffix(",") ? "\(place) \(more)" : "\(place), \(more)", told)
    }
  }

  static let rows = first + second + third + vanish + order + pages + tokens + logins
}
