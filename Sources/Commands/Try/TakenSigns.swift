internal import Base
internal import Walk

/// Which parts of an answer and its head the stream's rules used.
struct TakenSigns: Sendable {
  struct Line: Sendable {
    /// `next`, `total`, `more`, `size`
    var rule: String
    /// Its place according to the job.
    var place: String
    /// The value found there.
    var value: String
  }

  private static let header = "the header "

  private(set) var lines: [Line] = []
  /// What would request the next page; nil: there is none.
  private(set) var secondPage: String?
  /// Why there is no next page.
  private(set) var end: String?
  /// Signs that the job names, lists of several pages should have, and the answer lacks: `the answer has no "totl"`.
  private(set) var missing: [String] = []

  init(job: Job, stream: Stream, _ page: Page, _ answer: Answer) {
    addSize(stream, page)
    addNext(stream, page, answer)
    addFlag(stream, page)
    addTotal(stream, page, answer)
    if isCountedWhole(stream, page) {
      end = "all that the total counts came"
      return
    }
    switch SecondPage.way(job, stream, page, answer.address) {
    case .address(let address): secondPage = address.description
    case .body(let place, let value): secondPage = "\(place) = \(Self.short(value)) in the body"
    case .none(let why): end = why
    }
  }

  /// The total of a full page may be that of the page.
  private func isCountedWhole(_ stream: Stream, _ page: Page) -> Bool {
    stream.total?.trust == .counted && page.records.count != stream.size?.value
      && page.total.map { $0 <= page.records.count } ?? false
  }

  private mutating func addSize(_ stream: Stream, _ page: Page) {
    guard let size = stream.size else { return }
    let came = page.records.count
    let clause = came < size.value ? ", fewer than were asked for" : ""
    lines.append(
      Line(
        rule: "size", place: size.parameter.map { "\($0)=\(size.value)" } ?? "\(size.value)",
        value: "\(Wording.count(came, "record")) came\(clause)"))
  }

  private mutating func addNext(_ stream: Stream, _ page: Page, _ answer: Answer) {
    guard let next = stream.pager.nextPage else { return }
    let place: String
    let isThere: Bool
    var paths: [JSONPath] = []
    switch next.place {
    case .body(let path), .state(let path):
      place = path.text
      paths = [path]
      let root = page.document.root
      isThere = path.first(in: root) != nil || path.choosesNone(in: root)
    case .header(let name):
      place = Self.header + name
      isThere = answer.fields[name] != nil
    case .record(let last):
      place = "the last record's " + last.paths.map(\.text).joined(separator: " | ")
      isThere = !page.records.isEmpty
    case .link:
      place = Self.header + "Link"
      isThere = answer.fields["Link"] != nil
    }
    // A list without more pages has none, if something else says so.
    if !isThere, !page.records.isEmpty, page.more != false, !isCountedWhole(stream, page) {
      miss(place, paths, page)
    }
    let value =
      switch page.next {
      case .token(let text)?, .address(let text)?: Self.short(text)
      default: isThere ? "names none" : "is not there"
      }
    lines.append(Line(rule: "next", place: place, value: value))
  }

  private mutating func addFlag(_ stream: Stream, _ page: Page) {
    guard !stream.more.isEmpty else { return }
    let value =
      page.more.map { $0 ? "more follow" : "no more follow" }
      ?? (Self.isThere(stream.more, page) ? "is neither true nor false" : "is not there")
    if page.more == nil { miss(Self.place(stream.more, page), stream.more, page) }
    lines.append(Line(rule: "more", place: Self.place(stream.more, page), value: value))
  }

  private mutating func addTotal(_ stream: Stream, _ page: Page, _ answer: Answer) {
    guard let total = stream.total else { return }
    let isThere =
      total.field.map { answer.fields[$0] != nil } ?? Self.isThere(total.paths, page)
    let value =
      page.total.map { Wording.number($0) } ?? (isThere ? "is not a count" : "is not there")
    let place = total.field.map { Self.header + $0 } ?? Self.place(total.paths, page)
    if !isThere { miss(place, total.paths, page) }
    lines.append(Line(rule: "total", place: place, value: "\(value) (\(total.trust.rawValue))"))
  }

  /// - Parameter paths: its possible places in the body; empty: it belongs in the head.
  private mutating func miss(_ place: String, _ paths: [JSONPath], _ page: Page) {
    let root = page.document.root
    guard paths.allSatisfy({ $0.first(in: root) == nil && !$0.choosesNone(in: root) }) else {
      return
    }
    let nearest = paths.first?.nearest(in: [root], others: page.signs.map(\.place))
    let lack =
      place.hasPrefix(Self.header)
      ? "no answer has a \(place.dropFirst(Self.header.count)) header"
      : "the answer has no \"\(place)\""
    missing.append(lack + (nearest.map(Suggestion.clause) ?? ""))
  }

  private static func isThere(_ paths: [JSONPath], _ page: Page) -> Bool {
    paths.contains { $0.first(in: page.document.root) != nil }
  }

  /// The alternative that was found.
  private static func place(_ paths: [JSONPath], _ page: Page) -> String {
    let found = paths.first { $0.first(in: page.document.root) != nil }
    return found?.text ?? paths.map(\.text).joined(separator: " | ")
  }

  private static func short(_ text: String) -> String {
    // cut: an ellipsis says so
    text.utf8.count <= 80 ? text : String(text.prefix(80)) + "…"
  }
}
