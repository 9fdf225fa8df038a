public import Base

/// Describes an answer that should be JSON and is not: its type by the server, and how it begins. Nil if it looks like
/// truncated or damaged JSON, or like a page from something in front of the API: that may be temporary.
public enum ForeignAnswer {
  public static func sentence(_ answer: Answer) -> String? {
    if let sentence = otherWriting(answer.body) { return sentence }
    let type = type(answer)
    let first = answer.body.first { !$0.isBlank }
    let looksLikeJSON = first.map { "{[".utf8.contains($0) } ?? false
    guard let type, !type.hasSuffix("json"), !looksLikeJSON else { return nil }
    return "the answer is not JSON: it is \"\(type.shown)\" and begins with "
      + "\"\(beginning(answer.body))\""
  }

  /// JSON in a form that no damage produces.
  private static func otherWriting(_ body: [UInt8]) -> String? {
    if body.starts(with: [0xFF, 0xFE]) || body.starts(with: [0xFE, 0xFF])
      || body.count > 3 && body[..<4].count(where: { $0 == 0 }) >= 2
    {
      return "the answer is in UTF-16 or UTF-32; JSON is read in UTF-8 alone"
    }
    let lines = body.split(maxSplits: 1) { $0 == 10 }
    if lines.count == 2, lines[0].first == lines[1].first,
      (try? JSONDocument.read(Array(lines[0]))) != nil  // a page that was cut ends nowhere
    {
      return "the answer has one JSON document on each line, and none that holds them all"
    }
    return nil
  }

  /// Without parameters, in lower case; nil if the server names none.
  private static func type(_ answer: Answer) -> String? {
    answer.fields["Content-Type"].flatMap { $0.split(separator: ";").first }
      .map { String($0).trimmingBlanks.lowercased() }.flatMap { $0.isEmpty ? nil : $0 }
  }

  private static func beginning(_ body: [UInt8]) -> String {
    let shownMax = 40
    // cut: an ellipsis says so
    let text = String(decoding: body.prefix(4 * shownMax), as: UTF8.self).trimmingBlanks
    return text.harmless(upTo: shownMax, " ") + (text.isLonger(than: shownMax) ? "…" : "")
  }
}
