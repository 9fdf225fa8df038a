import JSON
import Model
import TestSupport

/// Seven records in pages of three, behind an API of one style, and what it answers on one night in
/// the place of one of its pages.
struct LyingList: Sendable {
  enum Style: String, CaseIterable, Sendable {
    case number, offset, token, link, url
  }

  /// Each says or shows less than the list holds; none of them is the truth.
  enum Lie: String, CaseIterable, Sendable {
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

  struct Night: Sendable {
    var lie: Lie
    var page: Int
    /// Each time it is asked for, or only the first time.
    var isLasting: Bool
  }

  static let count = 7
  static let size = 3
  static let pages = 3

  let style: Style
  let total: Total.Trust?

  func job() throws -> Job {
    let pager: Pager =
      switch style {
      case .number: .number(parameter: "page", first: 1)
      case .offset: .offset(parameter: "skip")
      case .token: .token(parameter: "token", next: try JSONPath("next"))
      case .link: .link
      case .url: .address(next: try JSONPath("next"))
      }
    var things = Model.Stream(
      name: "things", path: Template([.text("/things")]), pager: pager,
      records: try JSONPath("items"), table: "things", key: ["id"],
      columns: [
        Column(name: "id", source: .paths([try JSONPath("id")]), kind: .integer),
        Column(name: "name", source: .paths([try JSONPath("name")]), kind: .text),
      ])
    things.size = PageSize(parameter: "size", value: Self.size)
    if let total { things.total = Total(paths: [try JSONPath("total")], trust: total) }
    things.marksVanished = total != .estimate
    return Job(
      name: "shop", about: "things", base: try WebAddress(Gallery.base), streams: [things],
      source: "a test")
  }

  /// - Parameter night: nil tells the truth. It is used up where it is not lasting.
  func answer(_ request: Request, _ night: inout Night?) -> Answer {
    let size = value("size", of: request) ?? Self.size
    let begin =
      switch style {
      case .number, .link: ((value("page", of: request) ?? 1) - 1) * size
      case .offset, .url: value("skip", of: request) ?? 0
      case .token: value("token", of: request) ?? 0
      }
    // Pages by offset overlap by a record.
    let page = style == .offset ? (begin + 1) / (Self.size - 1) + 1 : begin / Self.size + 1
    let told = Told(self, begin, size)
    guard let now = night, page == now.page, size == Self.size else { return told.answer(request) }
    if !now.isLasting { night = nil }
    return told.lying(now.lie, request)
  }

  private func value(_ name: String, of request: Request) -> Int? {
    let parts = (request.address.query ?? "").split(separator: "&").map { $0.split(separator: "=") }
    return parts.first { $0.first ?? "" == name }.flatMap { Int($0.last ?? "") }
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

    /// As a member of the body, by token and address.
    private var nextMember: String {
      switch (list.style, next) {
      case (.token, let next?): #","next":"\#(next)""#
      case (.url, let next?): #","next":"\#(Gallery.base)/things?size=\#(size)&skip=\#(next)""#
      default: ""
      }
    }

    private var link: [HeaderField] {
      guard list.style == .link, let next else { return [] }
      let target = "\(Gallery.base)/things?size=\(size)&page=\(next / size + 1)"
      return [HeaderField("Link", "<\(target)>; rel=\"next\"")]
    }

    func answer(_ request: Request, _ extra: String = "", status: Int = 200) -> Answer {
      let body = #"{"items":[\#(records.joined(separator: ","))]\#(total)\#(nextMember)\#(extra)}"#
      return whole(request, body, status: status)
    }

    private func whole(
      _ request: Request, _ body: String, _ more: [HeaderField] = [], status: Int = 200
    ) -> Answer {
      let type = HeaderField(
        "Content-Type", body.hasPrefix("<") ? "text/html" : "application/json")
      return .whole(request, Array(body.utf8), [type] + link + more, status: status)
    }

    private func ended(_ records: [String]? = nil) -> Told {
      var other = self
      other.next = nil
      if let records { other.records = records }
      return other
    }

    func lying(_ lie: Lie, _ request: Request) -> Answer {
      let rest = nextMember + total
      return switch lie {
      case .noContent: whole(request, "", status: 204)
      case .resetContent: whole(request, "", status: 205)
      case .partial: ended(Array(records.prefix(1))).answer(request, status: 206)
      case .patch: ended([]).answer(request, status: 226)
      case .unasked304: whole(request, "", status: 304)
      case .emptyObject: whole(request, "{}")
      case .nullList: whole(request, #"{"items":null\#(rest)}"#)
      case .noList: whole(request, #"{"ok":true\#(rest)}"#)
      case .emptyList: whole(request, #"{"items":[]\#(rest)}"#)
      case .emptyEnd: ended([]).answer(request)
      case .errorObject: whole(request, #"{"error":{"code":500,"message":"backend"}}"#)
      case .errorBeside: ended([]).answer(request, #","error":"backend timeout""#)
      case .errorInList: ended([#"{"error":{"code":500}}"#]).answer(request)
      case .message:
        ended(Array(records.prefix(1))).answer(request, #","message":"rate limit exceeded""#)
      case .range:
        ended(Array(records.prefix(1)))
          .whole(
            request, #"{"items":[\#(records.first ?? "")]\#(total)}"#,
            [HeaderField("Content-Range", "items 0-0/\(LyingList.count)")])
      case .nextElsewhere: ended().answer(request, #","nextPageToken":"p9""#)
      case .flag: ended().answer(request, #","has_more":true"#)
      case .longer:
        ended().whole(
          request, #"{"items":[\#(records.joined(separator: ","))]}"#,
          [HeaderField("X-Total-Count", "\(LyingList.count)")])
      case .zeroTotal:
        ended().whole(
          request, #"{"items":[\#(records.joined(separator: ","))],"total":0}"#)
      case .wordTotal:
        ended().whole(
          request, #"{"items":[\#(records.joined(separator: ","))],"total":"many"}"#)
      case .firstAgain: Told(list, 0, size).answer(request)
      case .twice:
        whole(request, #"{"items":[\#(records.joined(separator: ","))],"items":[]\#(rest)}"#)
      case .reject: ended(records.dropLast() + [#"{"name":"x"}"#]).answer(request)
      case .sameKey:
        ended(records.indices.map { #"{"id":0,"name":"other \#($0)"}"# }).answer(request)
      case .html: whole(request, "<html><body>Please log in</body></html>")
      case .truncated: whole(request, #"{"items":[\#(records.first ?? "")"#)
      case .bareList: whole(request, "[\(records.joined(separator: ","))]")
      case .notFound: whole(request, #"{"message":"Not Found"}"#, status: 404)
      case .gone: whole(request, "{}", status: 410)
      case .forbidden: whole(request, #"{"message":"Forbidden"}"#, status: 403)
      case .limit:
        whole(request, "{}", [HeaderField("Retry-After", "1")], status: 429)
      case .broken: whole(request, "{}", status: 500)
      }
    }
  }
}
