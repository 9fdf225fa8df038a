internal import Base
internal import Store

/// The trust of what was read, in sentences and as values, from the same lists.
struct TrustWords {
  let trust: ReadTrust
  let now: Instant

  /// How many lists are named; all are counted.
  static let namedMax = 20

  var verdicts: [String: Int] {
    trust.lists.reduce(into: [:]) { $0[$1.verdict, default: 0] += 1 }
  }

  var sentences: [String] {
    var lines: [String] = []
    if trust.lists.isEmpty {
      lines.append(
        trust.tables.isEmpty
          ? "Trust: no list was read; this rests on no answer of an API."
          : "Trust: no list of \(trust.tables.joined(separator: ", ")) was ever read: nothing is proven."
      )
    } else {
      let counts = verdicts.sorted { $0.key < $1.key }.map {
        "\(Wording.number($0.value)) \($0.key)"
      }
      let all = Wording.count(trust.lists.count, "list")
      lines.append("Trust: this rests on \(all): \(counts.joined(separator: ", ")).")
      lines += trust.lists.prefix(Self.namedMax).map { "- \($0.sentence)" }
      if leftOut > 0 {
        lines.append("- and \(Wording.count(leftOut, "list")) more, no worse than these")
      }
      if trust.lists.contains(where: { !["complete", "orphaned"].contains($0.verdict) }) {
        lines.append(
          "Not every list is complete: counts are lower bounds, and what is missing here may exist. "
            + "Say so with any number that you quote.")
      }
      if trust.lists.contains(where: { $0.readTo != nil }) {
        lines.append(
          "Where a list names a range of time, it was read for that time only. Say so as well.")
      }
    }
    if !trust.others.isEmpty {
      lines.append(
        "No job fills \(trust.others.joined(separator: ", ")): of these nothing is known.")
    }
    return lines
  }

  private var leftOut: Int { max(0, trust.lists.count - Self.namedMax) }

  var object: JSONObject {
    [
      "verdict": trust.lists.first?.verdict, "lists": trust.lists.count, "verdicts": verdicts,
      "named": trust.lists.prefix(Self.namedMax).map { Self.object($0, now: now) },
      "left_out": leftOut, "tables": trust.tables, "not_of_jobs": trust.others,
    ]
  }

  static let shape = AnswerShape.object([
    "verdict": .maybeText, "lists": .whole, "verdicts": .map, "named": .list(listShape),
    "left_out": .whole, "tables": .list(.text), "not_of_jobs": .list(.text),
  ])

  static func object(_ list: TrustedList, now: Instant) -> JSONObject {
    let age = list.asOf.flatMap { Instant(rfc3339: $0) }.map { (now - $0).components.seconds }
    return [
      "job": list.job, "stream": list.stream, "table": list.table, "list": list.name,
      "rows": list.rows, "verdict": list.verdict, "proof": list.proof, "cause": list.cause,
      "why": list.why, "as_of": list.asOf, "age_seconds": age, "complete_as_of": list.completeAsOf,
      "read_from": list.readFrom, "read_to": list.readTo,
    ]
  }

  static let listShape = AnswerShape.object([
    "job": .text, "stream": .text, "table": .text, "list": .text, "rows": .whole, "verdict": .text,
    "proof": .maybeText, "cause": .maybeText, "why": .text, "as_of": .maybeText,
    "age_seconds": .maybeWhole, "complete_as_of": .maybeText,
    "read_from": .maybeText, "read_to": .maybeText,
  ])
}
