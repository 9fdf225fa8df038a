internal import Base

/// What only several streams show together: the tables that they share.
struct TableCheck {
  let prefix: String
  let drafts: [StreamDraft]
  let complaints: Complaints

  /// Checks everything and returns the streams, each with the rule on who inserts.
  func checked() -> [Stream] {
    checkNames()
    checkRecordTables()
    checkLists()
    checkChildren()
    checkCircles()
    // A stream that never marks anything must not appear to. For questions this is reported already.
    for draft in drafts where draft.stream.marksVanished && draft.stream.confirmation == nil {
      if let why = whyNothingVanishes(draft) {
        complaints.add(draft.node["vanish"], "vanish: \(why)")
      }
    }
    return drafts.map { draft in
      var stream = draft.stream
      stream.ownsTable = inserts(draft)
      return stream
    }
  }

  /// As declared; else a stream that depends on another only updates rows that others insert.
  private func inserts(_ draft: StreamDraft) -> Bool {
    let isDeclared = draft.node["inserts"]?.boolean != nil
    if isDeclared || draft.stream.parent == nil { return draft.stream.ownsTable }
    return !drafts.contains { other in
      other.stream.table == draft.stream.table
        && (other.stream.parent == nil || isAbove(other.stream, draft.stream))
    }
  }

  private func isAbove(_ other: Stream, _ stream: Stream) -> Bool {
    var (name, passed) = (stream.parent?.stream, Set<String>())
    while let above = name, passed.insert(above).inserted {
      name = drafts.first { $0.stream.name == above }?.stream.parent?.stream
    }
    // In a circle neither is above the other.
    return passed.contains(other.name) && !passed.contains(stream.name)
  }

  private func whyNothingVanishes(_ draft: StreamDraft) -> String? {
    let stream = draft.stream
    if stream.window != nil { return "a walk of a window marks nothing; leave one of the two out" }
    if draft.node["kind"]?.string == "search" {
      return "a search returns others each time; that a record is not there says nothing of it"
    }
    if !inserts(draft), stream.membership == nil {
      return "\(stream.name) only fills rows that other streams add; it belongs to one of these"
    }
    if stream.isAskedInBatches { return whyNothingVanishes(stream, draft) }
    if stream.membership != nil { return nil }
    let isNamed = { (value: String) in
      stream.columnOfRequest(value).map(stream.key.contains) == true
    }
    let values = stream.holes + (stream.parent?.carries ?? [])
    if let value = values.first(where: { !isNamed($0) }) {
      return "the lists of {\(value)} share a table, and none of them marks anything without"
        + " list: \"NAME\", the table of which list has which record; or with the column"
        + " \(value): \"{\(value)}\" in the key"
    }
    return otherOwner(draft)
  }

  /// Single answers: only for requested records is it known that they are gone.
  private func whyNothingVanishes(_ stream: Stream, _ draft: StreamDraft) -> String? {
    guard let feed = stream.parent else { return nil }
    if let list = stream.membership {
      return "single answers mark nothing in a list; leave \(list.table) out"
        + (feed.batch > 1
          ? "" : ", and make {\(feed.column)} a column of the records and part of their key")
    }
    let isNamed = feed.batch > 1 || stream.columnOfRequest(feed.column) != nil
    let isOfAll = feed.when.isEachTime
    if !isNamed, !isOfAll {
      return "what is not requested in every run is marked only if a column names the request:"
        + " \(feed.column): \"{\(feed.column)}\""
    }
    return otherOwner(draft)
  }

  private func otherOwner(_ draft: StreamDraft) -> String? {
    let stream = draft.stream
    let other = drafts.first {
      $0.stream.name != stream.name && $0.stream.table == stream.table && inserts($0)
    }
    return other.map {
      "\($0.stream.name) adds records to \(stream.table) too, and nothing is marked without"
        + " list: \"NAME\", the table of which list has which record"
    }
  }

  private func checkRecordTables() {
    for (index, draft) in drafts.enumerated() {
      let earlier = drafts[..<index].filter { $0.stream.table == draft.stream.table }
      if let first = earlier.first, first.stream.key != draft.stream.key,
        first.hasSoundKey, draft.hasSoundKey
      {
        complaints.add(
          draft.node["key"],
          "the stream \(first.stream.name) fills the table \(draft.stream.table) with another key"
            + " (\(first.stream.key.joined(separator: ", "))); streams of one table share it")
      }
      checkAll(draft, earlier)
      for other in earlier { compare(draft.stream.columns, other.stream.columns, draft, other) }
      checkDetails(draft)
      let all = drafts.filter { $0.stream.table == draft.stream.table }
      if earlier.isEmpty, !all.contains(where: inserts) {
        complaints.add(
          draft.node["into"],
          "no stream adds new records to the table \(draft.stream.table); one of them"
            + " needs inserts: true")
      }
    }
  }

  /// Two kinds of records would each empty the columns of the other.
  private func checkAll(_ draft: StreamDraft, _ earlier: [StreamDraft]) {
    guard draft.stream.takesAll, let other = earlier.first(where: \.stream.takesAll),
      !haveSameRecords(draft, other)
    else { return }
    complaints.add(
      draft.node["columns"],
      "the stream \(other.stream.name) takes all members for the table \(draft.stream.table) already; one with"
        + " the same records says so (sameAs), any other names its columns or has a table of its own"
    )
  }

  private func haveSameRecords(_ one: StreamDraft, _ other: StreamDraft) -> Bool {
    let same = [one, other].map { $0.node["sameAs"]?.string ?? $0.stream.name }
    return same[0] == same[1]
  }

  /// A list may cut what its details have whole. Each would write over the other's values, and the list comes more often.
  private func checkDetails(_ draft: StreamDraft) {
    let stream = draft.stream
    if inserts(draft) { return }
    for other in drafts
    where other.stream.table == stream.table && isAbove(other.stream, stream)
      && !haveSameRecords(draft, other)
    {
      for column in stream.columns {
        guard case .paths = column.source, !column.isVolatile, column.name != stream.parent?.column,
          !(stream.key + other.stream.key).contains(column.name),
          case .paths? = other.stream.column(column.name)?.source
        else { continue }
        complaints.add(
          draft.node["columns"]?[column.name],
          "the stream \(other.stream.name) fills the column \(column.name), too, and each would write over the"
            + " other's value: read it once, where it is whole, or name it differently here")
      }
    }
  }

  private func compare(
    _ mine: [Column], _ others: [Column], _ draft: StreamDraft, _ other: StreamDraft
  ) {
    for column in mine {
      guard let same = others.first(where: { $0.name == column.name }) else { continue }
      if same.kind != column.kind || same.isVolatile != column.isVolatile {
        complaints.add(
          draft.node["columns"]?[column.name],
          "the stream \(other.stream.name) gives the column \(column.name) another type; streams of"
            + " one table agree on it")
      }
    }
  }

  private func checkLists() {
    var first: [String: StreamDraft] = [:]
    for draft in drafts {
      guard let list = draft.stream.membership else { continue }
      guard let other = first[list.table] else {
        first[list.table] = draft
        continue
      }
      let mine = Self.shape(draft.stream)
      let theirs = Self.shape(other.stream)
      if mine != theirs {
        complaints.add(
          draft.node["list"],
          "the stream \(other.stream.name) fills the list \(list.table) with other columns: \(theirs)"
            + " there, \(mine) here")
      }
    }
  }

  /// Names and types of a list's columns, ordered by name.
  private static func shape(_ stream: Stream) -> String {
    guard let list = stream.membership else { return "" }
    let own = list.columns.map { ($0.name, $0.kind) }
    let key = zip(list.keyNames, stream.key).map { ($0, stream.column($1)?.kind ?? .text) }
    return (own + key).sorted { $0.0 < $1.0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
  }

  private func checkChildren() {
    var first: [String: (ChildTable, String)] = [:]
    for draft in drafts {
      for child in draft.stream.children {
        guard let (other, stream) = first[child.table] else {
          first[child.table] = (child, draft.stream.name)
          continue
        }
        let isSame =
          other.key == child.key && other.parentKeyNames == child.parentKeyNames
          && other.columns.map(\.name) == child.columns.map(\.name)
        if !isSame {
          complaints.add(
            draft.node["children"]?[child.table],
            "the stream \(stream) fills the table \(child.table) with another key or other columns")
        }
      }
    }
  }

  /// A table has one meaning, and names leave room for Trawl's own tables and views.
  private func checkNames() {
    var meaning: [String: String] = [:]
    for draft in drafts { meaning[draft.stream.table] = "records" }
    for draft in drafts {
      let stream = draft.stream
      var uses = [(stream.table, "records", draft.node["into"])]
      if let list = stream.membership { uses.append((list.table, "a list", draft.node["list"])) }
      for child in stream.children {
        uses.append((child.table, "nested entries", draft.node["children"]?[child.table]))
      }
      for (table, use, place) in uses {
        if let other = meaning[table], other != use {
          complaints.add(place, "the table \(table) holds \(other) already and cannot hold \(use)")
        }
        if meaning[table] == nil { meaning[table] = use }
        if "\(prefix)_\(table)".utf8.count > 63 - "_history".utf8.count {
          complaints.add(place, "the name \(prefix)_\(table) is too long: 55 letters are the most")
        }
      }
    }
    for (index, draft) in drafts.enumerated()
    where !drafts[..<index].contains(where: { $0.stream.table == draft.stream.table }) {
      for added in ["history", "history_rows", "media"]
      where meaning["\(draft.stream.table)_\(added)"] != nil {
        complaints.add(
          draft.node["into"],
          "Trawl itself makes \(draft.stream.table)_\(added); another table must be called otherwise"
        )
      }
    }
  }

  /// A stream that depends on itself through others would never begin.
  private func checkCircles() {
    for draft in drafts {
      var name = draft.stream.parent?.stream
      for _ in 0..<drafts.count {
        guard let current = name, current != draft.stream.name else { break }
        name = drafts.first { $0.stream.name == current }?.stream.parent?.stream
      }
      if name == draft.stream.name, draft.stream.parent?.stream != draft.stream.name {
        complaints.add(
          draft.node["for"]?["each"], "the streams wait for each other in a circle; none can begin")
      }
    }
  }
}

/// A stream that was read, with the places for complaints about it and others.
struct StreamDraft {
  let stream: Stream
  let node: JSON5Node

  /// Every column of the key exists, once; else it is reported already.
  var hasSoundKey: Bool {
    stream.key.allSatisfy { stream.column($0) != nil } && Set(stream.key).count == stream.key.count
  }
}
