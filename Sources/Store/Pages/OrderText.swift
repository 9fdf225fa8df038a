internal import Base

/// How a page is sorted, as `trawl_pages` keeps it: `[7,3]`, `["b","a"]`; `[]` is in no order.
enum OrderText {
  static func text(_ order: PageOrder?) -> String? {
    guard let order else { return nil }
    var writer = JSONWriter()
    writer.array { out in
      guard case .sorted(let first, let last) = order else { return }
      for value in [first, last] {
        switch value {
        case .number(let number): out.integer(number)
        case .text(let bytes): out.string(String(decoding: bytes, as: UTF8.self))
        }
      }
    }
    return writer.text
  }

  /// What another hand wrote is in no order.
  static func order(_ text: String?) -> PageOrder? {
    guard let text else { return nil }
    guard let document = try? JSONDocument.read(Array(text.utf8)),  // else it is nobody's
      document.root.count == 2, let first = document.root[0].flatMap(value),
      let last = document.root[1].flatMap(value)
    else { return .unsorted }
    return .sorted(first: first, last: last)
  }

  private static func value(_ value: JSONValue) -> SortValue? {
    value.integer.map { .number($0) } ?? value.string.map { .text(Array($0.utf8)) }
  }
}
