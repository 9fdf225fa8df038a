internal import Base
internal import Crawl
internal import Store

/// A look for people.
struct LookText {
  let console: Console

  /// How many are shown; `--json` has all that were read back.
  static let rowsMax = 3
  static let fieldsMax = 40
  static let rejectsMax = 10

  func print(_ look: Look) {
    var head: ConsoleText = "\(look.listName, .bold)"
    if let address = look.address {
      head += look.stream.body == nil ? "  \(address)" : "  POST \(address)"
    }
    console.print(head)
    if let note = look.note { console.print("  \(note, .yellow)") }
    guard look.address != nil else { return console.print("") }
    console.print("  \(sentence(look))")
    if let clash = look.clash { console.print("  \(clash, .red)") }
    for slip in look.slips { console.print("  \(slip, .yellow)") }
    printTaken(look)
    printRows(look)
    list(
      "does not fit, and would be kept among the rejects:",
      look.rejects.map { [$0.path, $0.reason, $0.raw] }, most: Self.rejectsMax, style: .yellow)
    list(
      "fields that no column takes:", look.unmapped.map { [$0.path, $0.example] },
      most: Self.fieldsMax)
    list(
      "hints at more pages or at a length that the job does not read (pages, total, unread):",
      look.signs.map { [$0.place, $0.value, $0.kind.words] })
    console.print("")
  }

  private func sentence(_ look: Look) -> String {
    var parts = [
      "HTTP \(look.status ?? 0), \(Wording.bytes(look.bytes))",
      Wording.count(look.counts.received, "record"),
    ]
    if look.counts.dropped > 0 { parts.append("\(look.counts.dropped) dropped by keep") }
    if look.counts.rejected > 0 { parts.append("\(look.counts.rejected) rejected") }
    if let sample = look.sample, !sample.rows.isEmpty {
      let count = sample.rows.count
      parts.append("\(Look.least(count))\(Wording.count(count, "row")) of \(sample.table)")
    }
    return parts.joined(separator: "; ")
  }

  /// What paging would go by.
  private func printTaken(_ look: Look) {
    guard let taken = look.taken else { return }
    list("taken for the rules of the list:", taken.lines.map { [$0.rule, $0.place, $0.value] })
    if let next = taken.secondPage {
      console.print("\n  page 2 would be requested by \(next)")
    } else if let end = taken.end {
      console.print("\n  no page 2: \(end)")
    }
  }

  private func printRows(_ look: Look) {
    guard let sample = look.sample else { return }
    for row in sample.rows.prefix(Self.rowsMax) {
      console.print("")
      var rows = AlignedRows(indent: 4)
      for (name, value) in zip(sample.columns, row) {
        let shown = value.map { ConsoleText($0) } ?? ConsoleText("NULL", .dim)
        rows.add([ConsoleText(name, .dim), shown])
      }
      console.print(rows)
    }
    let rest = sample.rows.count - Self.rowsMax
    if rest > 0 {
      let least = Look.least(sample.rows.count)
      console.print("\n    and \(least)\(Wording.number(rest)) more like these (--json)")
    }
  }

  private func list(
    _ head: String, _ lines: [[String]], most: Int = .max, style: ConsoleText.Style = .plain
  ) {
    if lines.isEmpty { return }
    console.print("\n  \(head, style)")
    var rows = AlignedRows(indent: 4)
    for line in lines.prefix(most) { rows.add(line.map { ConsoleText($0) }) }
    console.print(rows)
    if lines.count > most {
      console.print("    and \(Look.least(lines.count))\(lines.count - most) more (--json)")
    }
  }
}

extension UnreadSign.Kind {
  /// Its apparent meaning, in words.
  var words: String {
    switch self {
    case .more: "more follow"
    case .end, .last: "nothing follows"
    case .part: "only a part"
    case .length: "the length of the list"
    case .count: "a length"
    case .pages: "the number of pages"
    case .page: "the number of this page"
    case .before: "records precede it"
    case .cursor: "a place to go on at"
    case .notice: "a message"
    case .limit: "the API's limit"
    case .unclear: "unclear"
    case .twice: "occurs twice"
    case .emptied: "a column that was filled"
    case .outside: "no record of the time that was requested"
    case .old, .older: "from a cache"
    }
  }
}
