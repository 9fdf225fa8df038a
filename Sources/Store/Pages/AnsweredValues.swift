internal import Base

/// Which of the values of one request were answered: an API that does not know one of them, or
/// fails on it, often leaves it out without a word.
struct AnsweredValues {
  /// The column in which a record names the value that it answers.
  struct Column {
    let slot: Int
    let name: String
    /// The column of the same row that the requests were made from; nil: it is in another table.
    let ownSource: String?
    /// The stream fills existing rows: each record belongs to a requested value.
    let isCertain: Bool

    /// Nil if a request is not for particular records but for one parent's list.
    init?(_ stream: Stream, of job: Job) {
      guard let feed = stream.parent, stream.isAskedInBatches, stream.membership == nil,
        feed.batch > 1 || !stream.ownsTable
      else { return nil }
      guard let name = stream.answerColumn,
        let slot = stream.columns.firstIndex(where: { $0.name == name })
      else { return nil }
      (self.slot, self.name) = (slot, name)
      isCertain = !stream.ownsTable
      if feed.stream == ParentFeed.favorites {
        ownSource = stream.key[0]
      } else {
        ownSource = job.stream(feed.stream)?.table == stream.table ? feed.column : nil
      }
    }
  }

  let column: Column?
  let asked: [String]
  private let all: Set<ExactText>
  private var open: Set<ExactText>
  private var named = 0
  private var others = 0
  /// A record was refused, since the request was not for it.
  var isRefused = false

  init(_ asked: [String], _ column: Column?) {
    self.asked = asked
    self.column = column
    all = Set(asked.map { ExactText($0) })
    open = all
  }

  mutating func note(_ row: RowBuffer) {
    guard let column, !asked.isEmpty, let value = row.text(column.slot).map({ ExactText($0) })
    else { return }
    if open.remove(value) != nil { named += 1 } else if !all.contains(value) { others += 1 }
  }

  /// All of several requested values were named, and no others.
  var isExact: Bool { asked.count > 1 && open.isEmpty && others == 0 && column?.isCertain == false }

  func holds(_ row: RowBuffer) -> Bool {
    guard let column, let value = row.text(column.slot) else { return false }
    return all.contains(ExactText(value))
  }

  /// Records that name other values came instead of those that name the requested ones.
  var areOthers: Bool { others > 0 && !open.isEmpty }

  /// Most records name other values, and none was refused: they came in place of the requested ones, or the column
  /// means something else, such as in the posts of the requested users. Then nothing shows what is missing.
  var areUnnamed: Bool {
    column?.isCertain == false && !isRefused && areOthers && others > named
  }

  /// In the order of the request.
  var missing: [String] {
    column == nil ? [] : asked.filter { open.contains(ExactText($0)) }
  }
}
