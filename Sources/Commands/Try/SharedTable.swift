internal import Base

/// Whether two streams put different things into one table, whose keys are equal by chance: each run would write the
/// rows of one over those of the other.
enum SharedTable {
  /// Fewer equal keys prove nothing.
  private static let enough = 4

  /// Of a stream and those before it.
  static func slip(_ index: Int, in looks: [Look]) -> String? {
    let look = looks[index]
    return looks[..<index].lazy.filter { $0.stream.table == look.stream.table }
      .compactMap { differing($0, look) }.first
  }

  private static func differing(_ one: Look, _ other: Look) -> String? {
    let records = [one, other].map(byKey)
    let keys = records[0].keys.filter { records[1][$0] != nil }
    guard keys.count >= enough else { return nil }
    let differs = other.stream.columns.map(\.name).first { name in
      keys.allSatisfy { key in
        let texts = zip([one, other], records).map { look, records in
          records[key].flatMap { text(name, of: $0, look.stream) }
        }
        return texts[0] != nil && texts[1] != nil && texts[0] != texts[1]
      }
    }
    return differs.map {
      "into: \(one.stream.name) fills \(other.stream.table), too, and the "
        + "\(Wording.count(keys.count, "record")) with the same key all differ in \($0): lists of different "
        + "things need tables of their own"
    }
  }

  private static func byKey(_ look: Look) -> [[String]: JSONValue] {
    let columns = look.stream.key.compactMap { look.stream.column($0) }
    let keyed = look.records.map { record in
      (columns.compactMap { $0.value(in: record).map { "\(Array($0.json))" } }, record)
    }
    return Dictionary(keyed.filter { $0.0.count == columns.count }) { first, _ in first }
  }

  /// Only what is stored as the record has it: a value of the request differs rightly, others are brought into one form
  /// first.
  private static func text(_ name: String, of record: JSONValue, _ stream: Stream) -> String? {
    guard let column = stream.column(name), column.kind == .text, column.expression == nil,
      !column.isVolatile, !stream.key.contains(name), stream.media.allSatisfy({ $0.column != name })
    else { return nil }
    return column.value(in: record)?.string
  }
}
