import Testing

/// A list that is cut and does not say so is a loss that nobody sees. Where lists of an API's data
/// are read, planned and stored, each cut says in a comment `cut:` what becomes of the rest: it is
/// returned, asked for again, counted, or no part of the question.
@Suite("Limits that cut")
struct LimitTests {
  private static let modules: Set<String> = ["Store", "Walk", "Crawl"]

  @Test("say beside them what becomes of the rest")
  func said() {
    for file in Checkout.files(under: "Sources") where Self.modules.contains(file.module) {
      for (index, line) in file.lines.enumerated() where Self.cuts(String(line)) {
        let near = file.lines[max(0, index - 2)...index]
        if near.contains(where: { $0.contains("cut: ") }) { continue }
        Issue.record("\(file.path):\(index + 1): say with `// cut: ...` what becomes of the rest")
      }
    }
  }

  private static func cuts(_ line: String) -> Bool {
    let code = line.drop { $0 == " " }
    if code.hasPrefix("//") { return false }
    // One row is a question of its own: the first, the last.
    if code.contains("LIMIT ") { return !code.contains("LIMIT 1\"") && !code.contains("LIMIT 1)") }
    // A function of that name takes no part of anything, and a condition is no number.
    return [".prefix(", ".suffix("].contains { code.contains($0) }
      && !code.contains("Self.prefix(") && !code.contains(".prefix(while")
  }
}
