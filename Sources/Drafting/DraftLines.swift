internal import Base

/// Lines of a job file: comments are wrapped between words, long objects over lines.
public struct DraftLines {
  public private(set) var text = ""

  private static let columnsMax = 96

  public init() {}

  public private(set) var count = 0
  /// Without comments and empty lines.
  public var isShort = false

  public mutating func line(_ line: String) {
    if isShort, line.isEmpty { return }
    text += line + "\n"
    count += 1
  }

  public mutating func append(_ other: DraftLines) {
    text += other.text
    count += other.count
  }

  /// May contain text from an API, so it is escaped.
  public mutating func comment(_ words: String, _ indent: Int) {
    if isShort { return }
    let front = String(repeating: " ", count: indent) + "//"
    var current = front
    for word in words.split(separator: " ") {
      if current.utf8.count + word.utf8.count + 1 > Self.columnsMax, current != front {
        line(current)
        current = front
      }
      current += " " + String(word).harmless(upTo: 200)
    }
    line(current)
  }

  /// Quotas where nothing states a limit.
  public mutating func courtesy(_ why: String) {
    comment(why, 2)
    line("  quotas: { gentle: { allow: 60, per: \"minute\", burst: 1, courtesy: true } },")
  }

  /// `headers: { Accept: "text/plain", … }`; nothing if there are none.
  public mutating func texts(
    _ name: String, _ members: [(name: String, values: [String])], _ indent: Int
  ) {
    if members.isEmpty { return }
    list(name, members.map { "\(JobText.member($0.name)): \(JobText.texts($0.values))" }, indent)
  }

  /// `pages: { by: "link", … }`, on one line if it fits.
  public mutating func list(_ name: String, _ members: [String], _ indent: Int) {
    let front = String(repeating: " ", count: indent)
    let short = "\(front)\(name): { \(members.joined(separator: ", ")) },"
    if short.utf8.count <= Self.columnsMax { return line(short) }
    line("\(front)\(name): {")
    for member in members { line("\(front)  \(member),") }
    line("\(front)},")
  }
}
