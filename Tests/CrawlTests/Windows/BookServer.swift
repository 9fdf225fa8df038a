import Base
import TestSupport

extension Gallery {
  /// The stored books.
  func books() throws -> [Int] {
    try rows("SELECT id FROM shelf_books ORDER BY id").compactMap { Int($0) }
  }
}

/// Authors, and the books of each with their times: a list for each author that can be requested in windows. Both ends
/// of a window are included.
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

  /// The answer for an author instead of books.
  func answer(_ author: Int, with status: Int?) { state.withLock { $0.statuses[author] = status } }

  var ids: [Int] { state.withLock { $0.books.values.flatMap { $0.map(\.id) }.sorted() } }

  /// `7`, or `7 from 1795269600 to 1795273200`: the requests since the last call.
  func asked() -> [String] {
    let requests = state.withLock { state in
      defer { state.asked = [] }
      return state.asked
    }
    return requests.compactMap(Self.words)
  }

  static func words(_ request: Request) -> String? {
    guard let author = author(request.address) else { return nil }
    guard let from = request["since"] else { return "\(author)" }
    return "\(author) from \(from) to \(request["until"] ?? "now")"
  }

  private static func author(_ address: WebAddress) -> Int? {
    let parts = address.path.split(separator: "/")
    return parts.count == 3 ? Int(parts[2]) : nil
  }

  var exchange: ScriptedExchange {
    .answering { [self] request, _ in state.withLock { Self.answer(request, &$0) } }
  }

  private static func answer(_ request: Request, _ state: inout State) -> Answer {
    guard let author = author(request.address) else {
      let items = state.books.keys.sorted().map {
        "{\"id\":\($0),\"books\":\(state.books[$0]?.count ?? 0)}"
      }
      return .json(request, listing(items, total: items.count))
    }
    state.asked.append(request)
    if let status = state.statuses[author] { return .json(request, status: status) }
    let from = Int64(request.number("since") ?? .min)
    let to = Int64(request.number("until") ?? .max)
    let found = (state.books[author] ?? []).filter { $0.at >= from && $0.at <= to }
    let page = max(1, request.number("page") ?? 1) - 1
    let size = request.number("size") ?? found.count
    // cut: a page of the requested size
    let shown = found.sorted { $0.id < $1.id }.dropFirst(page * size).prefix(size)
    return .json(
      request, listing(shown.map { "{\"id\":\($0.id),\"at\":\($0.at)}" }, total: found.count))
  }

  /// - Parameter needsWindow: its address needs both ends of the window.
  func job(
    when: ParentFeed.When = .all, needsWindow: Bool = false, isPaged: Bool = true,
    expects: Bool = false
  ) throws -> Job {
    var authors = try Base.Stream(whole: "authors", "/authors", "id integer, books integer")
    var books = try Base.Stream("books", "/books/{id}", "id integer, at time", by: .numbers)
    books.size = PageSize(parameter: "size", value: 2)
    books.total = try .told(.counted)
    authors.total = books.total
    books.parent = ParentFeed(stream: "authors", column: "id", when: when, batch: 1)
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
    return try Job("shelf", authors, books)
  }
}
