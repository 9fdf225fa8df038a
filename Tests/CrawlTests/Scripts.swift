import Base
import Jobs
import TestSupport
import Testing

// Building blocks for the jobs and answers of these tests.

extension Base.Stream {
  /// Records at `items` with the key `id`. Its columns: `id integer, login, at time`.
  init(
    _ name: String, _ path: String, _ columns: String = "id integer", by pager: Pager? = nil
  ) throws {
    self.init(
      name: name, path: try #require(Template(path)), pager: try pager ?? .tokens(),
      records: try JSONPath("items"), table: name, key: ["id"],
      columns: try columns.split(separator: ",").map { try Column($0) })
  }

  /// The same, whole in one answer.
  init(whole name: String, _ path: String, _ columns: String = "id integer") throws {
    try self.init(name, path, columns, by: .single)
    hasOnePage = true
  }
}

extension Column {
  /// `at time`; text is the default.
  init(_ text: Substring) throws {
    let words = text.split(separator: " ").map(String.init)
    let kinds: [String: Kind] = ["integer": .integer, "time": .time(digits: 0, zone: nil)]
    self.init(
      name: words[0], source: .paths([try JSONPath(words[0])]),
      kind: kinds[words.last ?? ""] ?? .text)
  }
}

extension Pager {
  static func tokens() throws -> Pager { .token(parameter: "token", next: try JSONPath("next")) }
  static let numbers = Pager.number(parameter: "page", first: 1)
}

extension Total {
  static func told(_ trust: Trust) throws -> Total {
    Total(paths: [try JSONPath("total")], trust: trust)
  }
}

extension Membership {
  /// A parameter says whose list it is, in a column of the same or another name.
  init(_ table: String, of parameter: String, as column: String? = nil, key: String) {
    self.init(
      table: table, columns: [Column(name: column ?? parameter, source: .parameter(parameter))],
      keyNames: [key])
  }
}

extension Job {
  init(_ name: String, _ streams: Base.Stream..., with parameters: [String: [String]] = [:]) throws
  {
    self.init(
      name: name, about: "a test", base: try WebAddress(Gallery.base), streams: streams,
      source: "a test")
    self.parameters = parameters.map { Parameter(name: $0.key, defaults: $0.value) }
  }

  /// A job file with these streams.
  static func file(_ streams: String, name: String, head: String = "") throws -> Job {
    let text =
      #"{ name: "\#(name)", base: "\#(Gallery.base)", \#(head) streams: { \#(streams) } }"#
    return try JobFile.read(Array(text.utf8), file: "\(name).json5")
  }
}

extension Request {
  var lastPart: String { address.parts.last ?? "" }
}

extension Duration {
  static let day = Duration.seconds(86_400)
}

extension WebAddress {
  var parts: [String] {
    path.split(separator: "/").map { String(decoding: PercentEncoding.decoded($0), as: UTF8.self) }
  }
}

extension ScriptedExchange {
  /// Answers every request.
  static func answering(
    _ script: @escaping @Sendable (Request, Int) -> Answer
  ) -> ScriptedExchange {
    ScriptedExchange { request, number in .success(script(request, number)) }
  }

  /// Answers 200 with the JSON that the script returns for the request and its number.
  static func json(_ script: @escaping @Sendable (Request, Int) -> String) -> ScriptedExchange {
    .answering { request, number in .json(request, script(request, number)) }
  }
}

/// A page of these records, perhaps with a total.
func listing(_ items: some Sequence<String>, total: Int? = nil) -> String {
  let said = total.map { ",\"total\":\($0)" } ?? ""
  return "{\"items\":[\(items.joined(separator: ","))]\(said)}"
}

/// The same with the next page, or null for none.
func listing(_ items: some Sequence<String>, next: String?, total: Int? = nil) -> String {
  "\(listing(items, total: total).dropLast()),\"next\":\(next.map { "\"\($0)\"" } ?? "null")}"
}
