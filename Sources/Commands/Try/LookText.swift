internal import Base
internal import Crawl
internal import Store

/// One look as a person reads it.
struct LookText {
  let console: Console

  /// Shown of each; `--json` gives all.
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
    for slip in look.slips { console.print("  \(slip, .yellow)") }
    printTaken(look)
    printRows(look)
    printRejects(look)
    printFields(look)
    printSigns(look)
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
      parts.append("\(Wording.count(sample.rows.count, "row")) of \(sample.table)")
    }
    return parts.joined(separator: "; ")
  }

  /// What the walk would go on by.
  private func printTaken(_ look: Look) {
    guard let taken = look.taken else { return }
    var rows = AlignedRows(indent: 4)
    for line in taken.lines { rows.add(line.rule, line.place, line.value) }
    if !taken.lines.isEmpty {
      console.print("\n  taken for the rules of the list:")
      console.print(rows)
    }
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
    if rest > 0 { console.print("\n    and \(Wording.number(rest)) more like these (--json)") }
  }

  private func printRejects(_ look: Look) {
    guard !look.rejects.isEmpty else { return }
    console.print("\n  \("does not fit, and would be kept among the rejects:", .yellow)")
    var rows = AlignedRows(indent: 4)
    for reject in look.rejects.prefix(Self.rejectsMax) {
      rows.add(reject.path, reject.reason, reject.raw)
    }
    console.print(rows)
    let rest = look.rejects.count - Self.rejectsMax
    if rest > 0 { console.print("    and \(rest) more (--json)") }
  }

  private func printFields(_ look: Look) {
    guard !look.unmapped.isEmpty else { return }
    console.print("\n  fields that no column takes:")
    var rows = AlignedRows(indent: 4)
    for field in look.unmapped.prefix(Self.fieldsMax) { rows.add(field.path, field.example) }
    console.print(rows)
    let rest = look.unmapped.count - Self.fieldsMax
    if rest > 0 { console.print("    and \(rest) more (--json)") }
  }

  private func printSigns(_ look: Look) {
    guard !look.signs.isEmpty else { return }
    console.print(
      "\n  speaks of more pages or of a length, and the job does not read it (pages, total, unread):"
    )
    var rows = AlignedRows(indent: 4)
    for sign in look.signs { rows.add(sign.place, sign.value, sign.kind.words) }
    console.print(rows)
  }
}
