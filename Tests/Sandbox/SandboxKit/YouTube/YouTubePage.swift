internal import Base

/// The page that a request wants, and the token for the next one.
struct YouTubePage: Sendable {
  let offset: Int
  let size: Int
  private let age: Int64
  private let list: UInt64
  private let seed: UInt64

  private static let usualSize = 5
  private static let sizeMax = 50

  /// More than 50 means 50; anything but a number is refused, as is a token that is too old or of another list.
  init(
    _ request: SandboxRequest, list: UInt64, setting: DialectSetting, life: Duration
  ) throws(Reply) {
    self.list = list
    seed = setting.seed
    age = max(0, (request.now - setting.startedAt).milliseconds / 1000 / YouTubeToken.quarter)
    if let text = request.query["maxResults"] {
      guard let asked = Int(text), asked >= 0 else {
        throw YouTubeErrors.invalid("maxResults", text)
      }
      size = min(asked, Self.sizeMax)
    } else {
      size = Self.usualSize
    }
    guard let text = request.query["pageToken"], !text.isEmpty else {
      offset = 0
      return
    }
    guard let token = YouTubeToken(text, list: list, seed: setting.seed),
      Duration.seconds((age - token.age) * YouTubeToken.quarter) <= life
    else { throw YouTubeErrors.invalidPageToken }
    offset = token.offset
  }

  /// A whole answer, without pages.
  init(whole count: Int) {
    offset = 0
    size = count
    age = 0
    list = 0
    seed = 0
  }

  func slots<T>(_ all: [T], reach: Int) -> ArraySlice<T> {
    let from = min(offset, all.count)
    return all[from..<max(from, min(all.count, reach, offset + size))]
  }

  /// Nil at the end. A search of several pages promises one more, which is empty; one that reaches the ceiling just
  /// ends, whatever its total.
  func next(count: Int, reach: Int, promisesMore: Bool) -> String? {
    let end = offset + size
    guard size > 0, end < reach else { return nil }
    let isLast = end >= count
    let isPromise = promisesMore && count > size && offset < count && count <= reach
    guard !isLast || isPromise else { return nil }
    return YouTubeToken(offset: end, age: age).text(list: list, seed: seed)
  }
}
