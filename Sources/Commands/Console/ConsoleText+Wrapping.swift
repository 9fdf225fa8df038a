extension ConsoleText {
  /// Wraps at blanks into lines of at most `columns`; all but the first begin with `hanging` blanks. Longer words stay
  /// whole.
  func wrapped(to columns: Int, hanging: Int) -> [ConsoleText] {
    guard DisplayWidth.of(plain) > columns else { return [self] }
    let signs = spans.flatMap { span in span.text.map { (character: $0, style: span.style) } }
    let margin = min(hanging, columns / 2)
    var lines: [ConsoleText] = []
    var rest = signs[...]
    while !rest.isEmpty {
      let isFirst = lines.isEmpty
      let width = columns - (isFirst ? 0 : margin)
      let end = Self.lineEnd(rest, width)
      var line = ConsoleText(isFirst ? "" : String(repeating: " ", count: margin))
      line.append(rest.prefix(end))
      lines.append(line)
      rest = rest.dropFirst(end).drop { $0.character == " " }
    }
    return lines
  }

  /// How many characters fit on the line: up to the last blank before its end, or the first one after a word that is
  /// too long. Leading blanks are an indent.
  private static func lineEnd(_ signs: Signs, _ width: Int) -> Int {
    var used = 0
    var lastBreak: Int?
    var hasWord = false
    var isBehindWord = false
    // Reads no further than this line: a text may have thousands of lines.
    for (index, sign) in signs.enumerated() {
      let isBlank = sign.character == " "
      if isBlank, hasWord, used > width { return lastBreak ?? index }
      if isBlank, isBehindWord { lastBreak = index }
      isBehindWord = !isBlank
      hasWord = hasWord || !isBlank
      used += DisplayWidth.of(sign.character)
      if used > width, !isBlank, let lastBreak { return lastBreak }
    }
    return signs.count
  }

  private typealias Signs = ArraySlice<(character: Character, style: Style)>

  private mutating func append(_ signs: Signs) {
    var rest = signs
    while let first = rest.first {
      let same = rest.prefix { $0.style == first.style }
      append(String(same.map(\.character)), first.style)
      rest = rest.dropFirst(same.count)
    }
  }

  /// Split at its own line ends.
  var lines: [ConsoleText] {
    var lines = [ConsoleText("")]
    for span in spans {
      let parts = span.text.split(separator: "\n", omittingEmptySubsequences: false)
      for (index, part) in parts.enumerated() {
        if index > 0 { lines.append(ConsoleText("")) }
        lines[lines.count - 1].append(String(part), span.style)
      }
    }
    return lines
  }

  /// One line of at most `columns`, cut between words if that keeps most of it.
  func shortened(to columns: Int) -> ConsoleText {
    let wordMax = 24
    guard DisplayWidth.of(plain) > columns, columns > wordMax else {
      return truncated(to: columns)
    }
    var first = wrapped(to: columns - 2, hanging: 0)[0]
    let width = DisplayWidth.of(first.plain)
    guard width > columns - wordMax, width <= columns - 2 else { return truncated(to: columns) }
    first.append(" …")
    return first
  }
}
