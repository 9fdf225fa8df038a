/// Text for a terminal or log. It is cleaned on the way in, so that no escape sequence from outside can reach a
/// terminal; styles are kept apart from text.
struct ConsoleText: Sendable, Equatable {
  enum Style: Sendable {
    case plain, bold, dim, red, green, yellow

    /// "Select graphic rendition", by number.
    var code: Int {
      switch self {
      case .plain: 0
      case .bold: 1
      case .dim: 2
      case .red: 31
      case .green: 32
      case .yellow: 33
      }
    }
  }

  struct Span: Sendable, Equatable {
    var text: String
    var style: Style
  }

  private(set) var spans: [Span] = []

  init() {}

  /// One line of foreign text: line ends and tabs become visible too.
  init(_ text: String, _ style: Style = .plain) { append(text, style) }

  /// Whole lines, such as help, reports and tables.
  init(lines text: String) {
    spans = [Span(text: ForeignText.cleaned(text, keepsLines: true), style: .plain)]
  }

  mutating func append(_ text: String, _ style: Style = .plain) {
    spans.append(Span(text: ForeignText.cleaned(text), style: style))
  }

  static func += (left: inout ConsoleText, right: ConsoleText) { left.spans += right.spans }

  /// Without styles.
  var plain: String { spans.map(\.text).joined() }

  /// With escape sequences for styles and no others.
  var coloured: String {
    spans.map { span in
      span.style == .plain || span.text.isEmpty
        ? span.text : "\u{1b}[\(span.style.code)m\(span.text)\u{1b}[0m"
    }.joined()
  }

  /// Replaces each `name`, which is not empty.
  /// - Parameter withFiles: also at the beginning of a path.
  func replacing(_ name: String, with other: String, withFiles: Bool = true) -> ConsoleText {
    mapping { text in
      var (done, rest) = ("", Substring(text))
      while let start = rest.firstIndex(where: { $0 == name.first }) {
        let here = rest[start...]
        let isName = here.hasPrefix(name) && (withFiles || here.dropFirst(name.count).first != "/")
        done += rest[..<start] + (isName ? other : String(rest[start]))
        rest = rest[start...].dropFirst(isName ? name.count : 1)
      }
      return done + rest
    }
  }

  /// Changes each piece of text; new text must be our own.
  func mapping(_ change: (String) -> String) -> ConsoleText {
    var text = self
    for index in spans.indices { text.spans[index].text = change(spans[index].text) }
    return text
  }

  /// Line ends and tabs become visible escapes.
  var onOneLine: ConsoleText { mapping { ForeignText.cleaned($0) } }

  /// One line of at most `columns` columns.
  func truncated(to columns: Int) -> ConsoleText {
    guard DisplayWidth.of(plain) > columns else { return self }
    var left = columns
    var cut = ConsoleText()
    for span in spans {
      let width = DisplayWidth.of(span.text)
      if width >= left {
        // `…` even if the span itself fits: what follows does not.
        let text = DisplayWidth.truncated(span.text + " ", to: left)
        cut.spans.append(Span(text: text, style: span.style))
        return cut
      }
      cut.spans.append(span)
      left -= width
    }
    return cut
  }
}

/// `"kept \(name, .bold) in \(folder)"`: literal parts are ours, the rest is cleaned.
extension ConsoleText: ExpressibleByStringInterpolation {
  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ConsoleText()

    init(literalCapacity: Int, interpolationCount: Int) {}

    mutating func appendLiteral(_ literal: String) { text += ConsoleText(lines: literal) }

    mutating func appendInterpolation(
      _ value: some CustomStringConvertible, _ style: Style = .plain
    ) { text.append(value.description, style) }

    mutating func appendInterpolation(_ value: ConsoleText) { text += value }
  }

  init(stringInterpolation: StringInterpolation) { self = stringInterpolation.text }

  init(stringLiteral literal: String) { self.init(lines: literal) }
}
