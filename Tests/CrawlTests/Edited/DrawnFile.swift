import Base
import TestSupport

/// A job file that somebody edits each night. Its records come from one list, perhaps also from another one and from
/// single answers; the file decides their key, columns, lists and nested lists.
struct DrawnFile {
  /// Streams that may have lists in the folder.
  private var names: Set<String> = ["things"]
  private var stream = "things"
  private var was: String?
  private var table = "things"
  private var key = ["id"]
  private var identity = "id as integer"
  private var name = "name"
  private var number: String? = "n as integer"
  private var isWhole = false
  private(set) var marks = true
  private var keeps = false
  private var list: String?
  /// Rows of a list whose constant was edited stay in it.
  private(set) var hasOldLists = false
  private var children: String?
  private var details: String?
  private var detailColumns = #", "bio""#
  private var detailsWere: String?
  private var when = "new"
  private var withChildren = false
  private var parts: String?
  private var hasParameter = false
  private var isReadTwice = false

  // MARK: an edit

  /// The file of the next night. If the reader refuses it, it was no edit.
  mutating func next(_ random: inout SeededRandom, isFirst: Bool) throws -> Job {
    while true {
      var next = self
      if !isFirst { next.edit(&random) }
      if let job = try? Job.file(next.streams, name: "a", head: next.head) {
        self = next
        return job
      }
    }
  }

  /// Changes some of it.
  private mutating func edit(_ random: inout SeededRandom) {
    (was, detailsWere) = (nil, nil)
    if let details { names.insert(details) }
    for _ in 0..<(random.next() % 3 == 0 ? 2 : 1) {
      func one<Value>(_ values: Value...) -> Value {
        values[Int(random.next() % UInt64(values.count))]
      }
      switch random.next() % 17 {
      case 0:
        let before = stream
        stream = before == "things" ? "stuff" : "things"
        was = rename(before, to: stream, one(true, true, false))
      case 1: table = one("things", "others")
      case 2: key = one(["id"], ["uid"], ["id", "uid"])
      case 3: identity = one("id as integer", "id", "uid", "code as integer")
      case 4: name = one("name", "own.login", "n")
      case 5: number = one(nil, "n as integer", "n as integer volatile", "n", "n as real")
      case 6: isWhole.toggle()
      case 7: marks.toggle()
      case 8: keeps.toggle()
      case 9, 10:
        list = one(
          nil, #""found""#, #"{ table: "spots", columns: { x: "'a'" } }"#,
          #"{ table: "spots", columns: { x: "'b'" } }"#)
        hasOldLists = hasOldLists || list?.contains("'b'") == true
      case 11, 12:
        children = one(
          nil, Self.nested(["name"], "p"), Self.nested(["name", "c"], "p"),
          Self.nested(["name"], "q"),
          Self.nested(["name"], "p", table: "labels"))
      case 13:
        let before = details
        details = one(nil, "det", "more")
        if let details { detailsWere = rename(before, to: details, one(true, false)) }
        when = one("new", "changed", "all")
        detailColumns = one("", #", "bio""#, ", @", #", "bio", @"#)
      case 14: withChildren.toggle()
      case 15:
        parts = one(
          nil, #"key: ["id"],"#, #"key: ["owner", "id"],"#,
          #"key: ["id"], list: { table: "owned", columns: { owner: "{@}" } },"#)
      default: if random.next() % 2 == 0 { hasParameter.toggle() } else { isReadTwice.toggle() }
      }
    }
  }

  /// The earlier name, if the file says it: never if both have lists.
  private mutating func rename(_ before: String?, to name: String, _ isSaid: Bool) -> String? {
    guard let before, before != name else { return nil }
    let isFree = names.insert(name).inserted
    guard isSaid, isFree else { return nil }
    names.remove(before)
    return before
  }

  /// A nested list whose columns for the record's key begin with these names.
  private static func nested(_ key: [String], _ names: String, table: String = "tags") -> String {
    "\(table): { records: \"tags\", key: \(key), parent: {\(names)}, columns: [\"name\", \"c\"] }"
  }

  // MARK: the text

  private func nested() -> String? {
    func parent(_ names: String) -> String {
      "{ \(key.map { "\($0): \"\(names)_of_\($0 == "id" ? "one" : "two")\"" }.joined(separator: ", ")) }"
    }
    return children?.replacing("{p}", with: parent("p")).replacing("{q}", with: parent("q"))
  }

  var streams: String {
    let (own, uid) = ("{ id: \"\(identity)\" }", "\"uid\"")
    let named = "{ name: \"\(name)\" }"
    var columns = [own, uid, named]
    if let number { columns.append("{ n: \"\(number)\" }") }
    if isWhole { columns.append("\"*\"") }
    var main = [
      hasParameter ? #"query: { p: "{p}" }"# : "", paged, "into: \"\(table)\"", "key: \(key)",
      "columns: [\(columns.joined(separator: ", "))]", marks ? #"vanish: "mark""# : "",
    ]
    // A file that filters needs the column.
    if keeps, number?.hasPrefix("n as integer") == true { main.append(#"keep: "n > 4""#) }
    if let list = hasParameter ? #""found""# : list { main.append("list: \(list)") }
    if let nested = nested() { main.append("children: { \(nested) }") }
    var streams = ["\(stream): { \(Self.was(was)) get: \"/things\", \(Self.joined(main)) }"]
    if isReadTwice { streams.append("again: { get: \"/again\", \(paged), sameAs: \"\(stream)\" }") }
    if let details {
      var one = [
        "for: { each: \"\(stream).\(key[0])\", when: \"\(when)\" }", "get: \"/one/{\(key[0])}\"",
        #"records: ".""#,
        "into: \"\(table)\"", "key: \(key)",
        "columns: [\(key.map { $0 == "id" ? own : uid }.joined(separator: ", "))"
          + "\(detailColumns.replacing("@", with: named))]",
        detailColumns.contains("@") ? "sameAs: \"\(stream)\"" : "",
      ]
      if withChildren, let nested = nested() { one.append("children: { \(nested) }") }
      streams.append("\(details): { \(Self.was(detailsWere)) \(Self.joined(one)) }")
    }
    if let parts {
      streams.append(
        "parts: { for: { each: \"\(stream).\(key[0])\", when: \"\(when)\" }, get: \"/parts/{\(key[0])}\", \(paged), "
          + "\(parts.replacing("@", with: key[0])) columns: [{ owner: \"{\(key[0])}\" }, \"id\"] }")
    }
    return streams.joined(separator: ", ")
  }

  private var head: String { hasParameter ? #"params: { p: { default: ["a", "b"] } },"# : "" }
  /// The stream that reads all records.
  var main: String { stream }
  var mainTable: String { table }

  private var paged: String {
    #"pages: { by: "single" }, total: "total counted", records: "items""#
  }

  private static func was(_ name: String?) -> String { name.map { "was: \"\($0)\"," } ?? "" }

  private static func joined(_ parts: [String]) -> String {
    parts.filter { !$0.isEmpty }.joined(separator: ", ")
  }
}
