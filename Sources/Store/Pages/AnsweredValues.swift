internal import Base

/// Which of the values of one request were answered: an API that does not know one of them, or
/// fails on it, often leaves it out without a word.
struct AnsweredValues {
  /// The column in which a record names the value that it answers.
  struct Column {
    let slot: Int
    /// The stream fills existing rows: each record belongs to a requested value.
    let isCertain: Bool

    /// Nil if a request is not for particular records: for the list of one parent.
    init?(_ stream: Stream) {
      guard let feed = stream.parent, stream.isAskedInBatches, stream.membership == nil,
        feed.batch > 1 || !stream.ownsTable
      else { return nil }
      let names = stream.columns.map(\.name)
      let named = names.firstIndex(of: feed.column)
      let key = stream.key.count == 1 ? names.firstIndex(of: stream.key[0]) : nil
      guard let slot = feed.stream == ParentFeed.favorites ? key : named ?? key else { return nil }
      self.slot = slot
      isCertain = !stream.ownsTable
    }
  }

  private let column: Column?
  private let asked: [String]
  /// Byte for byte, as an API takes them.
  private let known: Set<SQLValue>
  private var open: Set<SQLValue>
  private var named = 0
  private var others = 0

  init(_ asked: [String], _ column: Column?) {
    self.asked = asked
    self.column = column
    known = Set(asked.map { .text($0) })
    open = known
  }

  mutating func note(_ row: RowBuffer) {
    guard let column, !asked.isEmpty, let text = row.text(column.slot) else { return }
    let value = SQLValue.text(text)
    if open.remove(value) != nil { named += 1 } else if !known.contains(value) { others += 1 }
  }

  /// In the order of the request. If most records name other values than the requested ones, the
  /// column means something else, such as the posts of the requested users.
  var missing: [String] {
    guard let column, column.isCertain || others <= named else { return [] }
    return asked.filter { open.contains(.text($0)) }
  }
}
