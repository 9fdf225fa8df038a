public import Base

/// Seven records in pages of three, behind an API of one style, and the lie that it tells on one night instead of one
/// page.
public struct LyingList: Sendable {
  public enum Style: String, CaseIterable, Sendable {
    case number, offset, token, link, url
  }

  /// Each says or shows less than the list holds; none is true.
  public enum Lie: String, CaseIterable, Sendable {
    case noContent = "204"
    case resetContent = "205"
    case partial = "206 with fewer records"
    case patch = "226"
    case unasked304 = "a 304 that nobody asked for"
    case emptyObject = "{}"
    case nullList = "a list that is null"
    case noList = "no list beside the next page"
    case emptyList = "an empty list beside the next page"
    case emptyEnd = "an empty list, and no next page"
    case errorObject = "an error object with status 200"
    case errorBeside = "an empty list beside an error"
    case errorInList = "an error object in place of the records"
    case message = "fewer records beside a message"
    case range = "Content-Range tells of more"
    case nextElsewhere = "the next page under another name"
    case flag = "has_more, and no next page"
    case longer = "a length in the head, and no next page"
    case zeroTotal = "a total of 0 beside records"
    case wordTotal = "a total that is no number"
    case firstAgain = "page 1 in its place"
    case twice = "the list stands twice, the second one empty"
    case reject = "a record without its key"
    case sameKey = "one key for all records"
    case html = "a page of a proxy"
    case truncated = "half of the body"
    case bareList = "a list without its envelope"
    case notFound = "404"
    case gone = "410"
    case forbidden = "403"
    case limit = "429"
    case broken = "500"
  }

  public struct Night: Sendable {
    public var lie: Lie
    public var page: Int
    /// The lie is repeated at each request; false: told once.
    public var isLasting: Bool

    public init(lie: Lie, page: Int, isLasting: Bool) {
      self.lie = lie
      self.page = page
      self.isLasting = isLasting
    }
  }

  public static let count = 7
  public static let size = 3
  public static let pages = 3

  public let style: Style
  public let total: Total.Trust?

  /// The base address of its API.
  public let base: String

  public init(style: Style, total: Total.Trust?, base: String) {
    self.style = style
    self.total = total
    self.base = base
  }

  /// - Parameter night: nil tells the truth. Used up unless it is lasting.
  public func answer(_ query: String?, _ night: inout Night?) -> Reply {
    let size = value("size", of: query) ?? Self.size
    let begin =
      switch style {
      case .number, .link: (max(1, value("page", of: query) ?? 1) - 1) * size
      case .offset, .url: value("skip", of: query) ?? 0
      case .token: value("token", of: query) ?? 0
      }
    // Pages by offset overlap by one record.
    let page = style == .offset ? (begin + 1) / (Self.size - 1) + 1 : begin / Self.size + 1
    let told = Told(self, begin, size)
    guard let now = night, page == now.page, size == Self.size else { return told.answer() }
    if !now.isLasting { night = nil }
    return told.lying(now.lie)
  }

  private func value(_ name: String, of query: String?) -> Int? {
    let parts = (query ?? "").split(separator: "&").map { $0.split(separator: "=") }
    return parts.first { $0.first ?? "" == name }.flatMap { Int($0.last ?? "") }
  }

  /// An HTTP answer.
  public struct Reply: Sendable {
    public var status: Int
    public var fields: [(String, String)]
    public var body: [UInt8]
  }

  /// One answer in its parts.
  private struct Told {
    let list: LyingList
    var records: [String]
    var next: Int?
    let size: Int

    init(_ list: LyingList, _ begin: Int, _ size: Int) {
      self.list = list
      self.size = size
      let end = min(LyingList.count, begin + size)
      records = begin < end ? (begin..<end).map(Self.record) : []
      next = end < LyingList.count && begin < end ? end : nil
    }

    static func record(_ id: Int) -> String { #"{"id":\#(id),"name":"n\#(id)"}"# }

    private var total: String { list.total == nil ? "" : #","total":\#(LyingList.count)"# }

    /// As a member of the body, for tokens and addresses.
    private var nextMember: String {
      switch (list.style, next) {
      case (.token, let next?): #","next":"\#(next)""#
      case (.url, let next?): #","next":"\#(list.base)/things?size=\#(size)&skip=\#(next)""#
      default: ""
      }
    }

    private var link: [(String, String)] {
      guard list.style == .link, let next else { return [] }
      let target = "\(list.base)/things?size=\(size)&page=\(next / size + 1)"
      return [("Link", "<\(target)>; rel=\"next\"")]
    }

    private var items: String { "[\(records.joined(separator: ","))]" }

    func answer(_ extra: String = "", status: Int = 200) -> Reply {
      whole(#"{"items":\#(items)\#(total)\#(nextMember)\#(extra)}"#, status: status)
    }

    private func whole(
      _ body: String, _ more: [(String, String)] = [], status: Int = 200
    ) -> Reply {
      let type = ("Content-Type", body.hasPrefix("<") ? "text/html" : "application/json")
      return Reply(status: status, fields: [type] + link + more, body: Array(body.utf8))
    }

    private func ended(_ records: [String]? = nil) -> Told {
      var other = self
      other.next = nil
      if let records { other.records = records }
      return other
    }

    func lying(_ lie: Lie) -> Reply {
      let rest = nextMember + total
      let one = ended(Array(records.prefix(1)))
      return switch lie {
      case .noContent: whole("", status: 204)
      case .resetContent: whole("", status: 205)
      case .partial: one.answer(status: 206)
      case .patch: ended([]).answer(status: 226)
      case .unasked304: whole("", status: 304)
      case .emptyObject: whole("{}")
      case .nullList: whole(#"{"items":null\#(rest)}"#)
      case .noList: whole(#"{"ok":true\#(rest)}"#)
      case .emptyList: whole(#"{"items":[]\#(rest)}"#)
      case .emptyEnd: ended([]).answer()
      case .errorObject: whole(#"{"error":{"code":500,"message":"backend"}}"#)
      case .errorBeside: ended([]).answer(#","error":"backend timeout""#)
      case .errorInList: ended([#"{"error":{"code":500}}"#]).answer()
      case .message: one.answer(#","message":"rate limit exceeded""#)
      case .range:
        one.whole(
          #"{"items":\#(one.items)\#(total)}"#,
          [("Content-Range", "items 0-0/\(LyingList.count)")])
      case .nextElsewhere: ended().answer(#","nextPageToken":"p9""#)
      case .flag: ended().answer(#","has_more":true"#)
      case .longer:
        ended().whole(#"{"items":\#(items)}"#, [("X-Total-Count", "\(LyingList.count)")])
      case .zeroTotal: ended().whole(#"{"items":\#(items),"total":0}"#)
      case .wordTotal: ended().whole(#"{"items":\#(items),"total":"many"}"#)
      case .firstAgain: Told(list, 0, size).answer()
      case .twice: whole(#"{"items":\#(items),"items":[]\#(rest)}"#)
      case .reject: ended(records.dropLast() + [#"{"name":"x"}"#]).answer()
      case .sameKey:
        ended(records.indices.map { #"{"id":0,"name":"other \#($0)"}"# }).answer()
      case .html: whole("<html><body>Please log in</body></html>")
      case .truncated: whole(#"{"items":[\#(records.first ?? "")"#)
      case .bareList: whole(items)
      case .notFound: whole(#"{"message":"Not Found"}"#, status: 404)
      case .gone: whole("{}", status: 410)
      case .forbidden: whole(#"{"message":"Forbidden"}"#, status: 403)
      case .limit: whole("{}", [("Retry-After", "1")], status: 429)
      case .broken: whole("{}", status: 500)
      }
    }
  }
}
