public import Base

/// Numbered pages that overlap, because each is requested in another size: after 99 records in page 1 of 100, page 2 of
/// 99 begins with the last of them. Pure arithmetic; pages count from 0.
public enum VariedSizes {
  struct Page: Sendable, Equatable {
    var number: Int
    var size: Int
    /// How many of its records were read before.
    var overlap: Int
  }

  /// Smaller pages would cost more than the proof is worth.
  static let least = 20
  /// Longer lists have cheaper proofs; a backfill, which reads once, may have none.
  public static let pagesMax = 10

  /// Whether a list of the stream has no better proof.
  public static func suit(_ stream: Stream) -> Bool { suit(WalkRules(stream)) }

  static func suit(_ rules: WalkRules) -> Bool {
    guard rules.paging == .number, let size = rules.sizeValue, rules.sizeParameter != nil,
      size >= max(rules.limits.variedFrom, 3), !rules.isNewestFirst, rules.capExpected == nil,
      !rules.isSearch
    else { return false }
    return rules.trust != .counted && rules.trust != .steady
  }

  /// The page that begins at or before the last of `count` records and reaches furthest.
  /// - Parameters:
  ///   - most: the place where the API ends the list.
  ///   - overlap: how many of these records it may have.
  static func next(
    after count: Int, size: Int, within most: Int = .max, overlap: Int = .max
  ) -> Page? {
    guard count > 1 else { return nil }
    var best: Page?
    for size in 1...max(1, size) {
      let page = Page(number: (count - 1) / size, size: size, overlap: (count - 1) % size + 1)
      let isBetter = best.map { page.size - page.overlap > $0.size - $0.overlap } ?? true
      let end = count - page.overlap + size
      if page.size > page.overlap, isBetter, end <= most, page.overlap <= overlap { best = page }
    }
    return best
  }

  /// Records that these pages reach.
  static func reach(pages: Int, size: Int) -> Int {
    var count = size
    for _ in 1..<max(1, pages) {
      guard let page = next(after: count, size: size) else { return count }
      count += page.size - page.overlap
    }
    return count
  }

  /// Requests for a list of `records` records, with the empty place after it.
  static func requests(records: Int, size: Int) -> Int {
    var (count, requests) = (size, 1)
    guard records >= size else { return records == 0 ? 1 : 2 }
    while let page = next(after: count, size: size) {
      requests += 1
      count += page.size - page.overlap
      if count > records { return requests + 1 }
    }
    return requests
  }
}
