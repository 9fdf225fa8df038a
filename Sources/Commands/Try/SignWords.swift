internal import Base

extension UnreadSign.Kind {
  /// What it seems to say, for a person.
  var words: String {
    switch self {
    case .more: "more follow"
    case .end, .last: "nothing follows"
    case .part: "only a part"
    case .length: "the length of the list"
    case .count: "a length"
    case .pages: "the number of pages"
    case .page: "the number of this page"
    case .before: "records stand before it"
    case .cursor: "a place to go on at"
    case .notice: "a message"
    case .limit: "the API's limit"
    case .unclear: "not to be understood"
    case .twice: "stands there twice"
    case .emptied: "a column that was filled"
    case .old, .older: "from a cache"
    }
  }
}
