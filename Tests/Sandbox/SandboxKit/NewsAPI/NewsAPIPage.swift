/// The range of results that a request wants.
struct NewsAPIPage: Sendable {
  let from: Int
  /// The place after the last one.
  let to: Int

  static let sizeMax = 100

  /// More than 100 means 100. On the developer plan a range that ends after the hundredth result is refused as a whole,
  /// whatever exists.
  init(_ query: Query, usualSize: Int, max: Int?) throws(Reply) {
    let size = try Self.number("pageSize", query) ?? usualSize
    let page = try Self.number("page", query) ?? 1
    let shown = min(size, Self.sizeMax)
    // 10^12 pages are more than any list has; the bound prevents overflow.
    from = (min(page, 1_000_000_000_000) - 1) * shown
    to = from + shown
    if let max, to > max { throw NewsAPIErrors.tooMany(from: from, to: to, max: max) }
  }

  func shown<T>(_ all: [T]) -> ArraySlice<T> {
    let start = min(from, all.count)
    return all[start..<min(all.count, to)]
  }

  private static func number(_ name: String, _ query: Query) throws(Reply) -> Int? {
    guard let text = query[name], !text.isEmpty else { return nil }
    guard let number = query.int(name), number > 0 else {
      throw NewsAPIErrors.invalid(name, text)
    }
    return number
  }
}
