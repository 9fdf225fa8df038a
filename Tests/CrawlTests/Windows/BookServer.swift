import Base
import TestSupport

/// Authors, and the books of each with their times: a list for each author that can be asked for a
/// stretch of time. Both ends of a stretch are inside.
final class BookServer: Sendable {
  struct Book: Sendable {
    var id: Int
    var at: Int64
  }

  private struct State {
    var books: [Int: [Book]] = [:]
    var asked: [Request] = []
    var statuses: [Int: Int] = [:]
  }

  private let state = Locked(State())
  private let time: VirtualTime

  init(_ time: VirtualTime) { self.time = time }

  func publish(_ id: Int, by author: Int, ago: Duration = .zero) {
    let at = (time.now - ago).seconds
    state.withLock { $0.books[author, default: []].append(Book(id: id, at: at)) }
  }

  func add(author: Int) { state.withLock { $0.books[author, default: []] += [] } }

  /// What is answered for an author, in place of books.
  func answer(_ author: Int, with status: Int?) { state.withLock { $0.statuses[author] = status } }

  var ids: [Int] { state.withLock { $0.books.values.flatMap { $0.map(\.id) }.sorted() } }

  /// `7`, or `7 from 1795269600 to 1795273200`: what was asked since the last look.
  func asked() -> [String] {
    let requests = state.withLock { state in
      defer { state.asked = [] }
      return state.asked
    }
    return requests.compactMap(Self.words)
  }

  static func words(_ request: Request) -> String? {
    guard let author = author(request.address) else { return nil }
    let query = query(request.address)
    guard let from = query["since"] else { return "\(author)" }
    return "\(author) from \(from) to \(query["until"] ?? "now")"
  }

  private static func author(_ address: WebAddress) -> Int? {
    let parts = address.path.split(separator: "/")
    return parts.count == 3 ? Int(parts[2]) : nil
  }

  private static func query(_ address: WebAddress) -> [String: String] {
    let pairs = (address.query ?? "").split(separator: "&").map { $0.split(separator: "=") }
    return Dictionary(pairs.map { (String($0[0]), String($0.last ?? "")) }) { first, _ in first }
  }

  var exchange: ScriptedExchange {
    ScriptedExchange { [self] request, _ in
      .success(state.withLock { Self.answer(request, &$0) })
    }
  }

  private static func answer(_ request: Request, _ state: inout State) -> Answer {
    guard let author = author(request.address) else {
      let items = state.books.keys.sorted().map {
        "{\"id\":\($0),\"books\":\(state.books[$0]?.count ?? 0)}"
      }
      return whole(request, items, total: items.count)
    }
    state.asked.append(request)
    if let status = state.statuses[author] {
      return .whole(request, Array("{}".utf8), status: status)
    }
    let query = query(request.address)
    let (from, to) = (query["since"].flatMap { Int64($0) }, query["until"].flatMap { Int64($0) })
    let found = (state.books[author] ?? []).filter {
      $0.at >= from ?? .min && $0.at <= to ?? .max
    }
    let page = max(1, query["page"].flatMap { Int($0) } ?? 1) - 1
    let size = query["size"].flatMap { Int($0) } ?? found.count
    // cut: a page as it is asked for
    let shown = found.sorted { $0.id < $1.id }.dropFirst(page * size).prefix(size)
    return whole(request, shown.map { "{\"id\":\($0.id),\"at\":\($0.at)}" }, total: found.count)
  }

  private static func whole(_ request: Request, _ items: [String], total: Int) -> Answer {
    .whole(
      request,
      Array("{\"items\":[\(items.joined(separator: ","))],\"total\":\(total)}".utf8))
  }

  /// - Parameter needsWindow: its address cannot be built without the ends.
  func job(
    when: ParentFeed.When = .all, needsWindow: Bool = false, isPaged: Bool = true,
    expects: Bool = false
  ) throws -> Job {
    func stream(_ name: String, _ path: [Template.Part], _ columns: [Column]) throws -> Base.Stream
    {
      var stream = Base.Stream(
        name: name, path: Template(path), pager: .number(parameter: "page", first: 1),
        records: try JSONPath("items"), table: name, key: ["id"],
        columns: [Column(name: "id", source: .paths([try JSONPath("id")]), kind: .integer)]
          + columns)
      stream.size = PageSize(parameter: "size", value: 2)
      stream.total = Total(paths: [try JSONPath("total")], trust: .counted)
      return stream
    }
    var authors = try stream(
      "authors", [.text("/authors")],
      [Column(name: "books", source: .paths([try JSONPath("books")]), kind: .integer)])
    (authors.pager, authors.hasOnePage, authors.size) = (.single, true, nil)
    var books = try stream(
      "books", [.text("/books/"), .hole("author")],
      [
        Column(
          name: "at", source: .paths([try JSONPath("at")]), kind: .time(digits: 0, zone: nil))
      ])
    books.parent = ParentFeed(
      stream: "authors", column: "id", hole: "author", when: when, batch: 1)
    books.window = Window(
      from: needsWindow ? nil : "since", to: needsWindow ? nil : "until", form: .seconds,
      column: "at", overlap: .seconds(3600))
    if needsWindow {
      books.query = [
        QueryItem("since", Template([.hole("from")])), QueryItem("until", Template([.hole("to")])),
      ]
    }
    if !isPaged { (books.pager, books.hasOnePage, books.size) = (.single, true, nil) }
    if expects { books.expectation = Expectation(stream: "authors", column: "books") }
    return Job(
      name: "shelf", about: "books", base: try WebAddress(Gallery.base), streams: [authors, books],
      source: "a test")
  }
}
