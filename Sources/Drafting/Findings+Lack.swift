internal import Base
internal import Walk

/// What a draft may lack.
extension Findings {
  /// One answer has the whole list beyond doubt: a stated length is not enough, since it may be that of the page.
  var isShownWhole: Bool {
    guard let page, saysItIsAll(page) else { return false }
    if case .right = count { return true }
    return page.envelope.flag != nil || !page.envelope.all(.next).isEmpty
  }

  /// The stated total is larger than the number of records that came.
  var isTotalAbove: Bool {
    guard let page, !page.isOneRecord, let total else { return false }
    return total.number > page.records.count
  }

  /// Why the list is, or may be, longer than page 1, if no way to page 2 was found.
  var lack: String? {
    guard paging == nil, let page, !page.isOneRecord else { return nil }
    let count = page.records.count
    if let total, isTotalAbove {
      return "\(total.place) says \(total.number), and page 1 has \(Wording.count(count, "record"))"
    }
    if saysMoreFollow(page) { return "page 1 says that more follow" }
    if isShownWhole { return nil }
    if let size, count >= size.value { return "page 1 came as long as was asked for" }
    // A feed in a file shows its newest entries, so their number means nothing.
    if let pages = page.envelope.all(.pages).first(where: { $0.number ?? 1 > 1 }) {
      return "\(pages.text) says \(pages.number ?? 0) pages, and page 2 was not found"
    }
    let isRound = count > 0 && (count % 10 == 0 || SeenEnd.usualSizes.contains(count))
    guard isRound, total == nil, !page.isFeed || !subject.parameters.isEmpty else { return nil }
    return "page 1 has exactly \(count) records, as pages of longer lists have"
  }

  /// Why the draft's pages do not fit together: an offset counts everything that came, including
  /// entries that are not records.
  var miscount: String? {
    if case .short(let why) = count, let total {
      return
        "\(total.place) is \(total.number), but \(why): until the job file says why, runs will call the list incomplete"
    }
    guard case .offset? = paging, let page, page.hasOtherMembers else { return nil }
    return "\(JSONPath.text(of: page.path)) has members that are not records, and offsets count"
      + " them: its pages will not meet"
  }

  /// Whether the list is known to have more than a page of this many records.
  func hasMore(than count: Int) -> Bool {
    total.map { $0.number > count } ?? false || Set(records.map(\.json)).count > count
      // A page of that length said so: as the first page it must lead to the next.
      || samples.contains { $0.records.count >= count && saysMoreFollow($0) }
  }

  /// The address is a later page by its path, as the address of page 2 shows: /things/page/3 and /things/page/4.
  var laterPath: String? {
    guard paging?.isNamed ?? false, let second else { return nil }
    let steps = subject.path.split(separator: "/")
    let next = second.answer.address.path.split(separator: "/")
    let moved = zip(steps, next).filter { $0 != $1 }
    guard steps.count == next.count, moved.count == 1, let number = Int(moved[0].0),
      (2..<Int.max).contains(number), Int(moved[0].1) == number + 1
    else { return nil }
    return
      "\(subject.path.shown) seems to be page \(number) of its list: give the address of page 1"
  }

  /// One of several equal lists was taken.
  mutating func judgeSiblings(of first: Sample) {
    let others = RecordSearch.siblings(of: first, subject.words)
    if others.isEmpty { return }
    doubt(
      "the draft reads \(JSONPath.text(of: first.path)) alone, and \(Wording.some(others, 3)) beside it"
        + " \(others.count == 1 ? "has" : "have") records of the same form")
  }
}
