import Testing

/// A list that is cut and does not say so is a loss that nobody sees. Where lists of an API's data
/// are read, planned and stored, each cut says in a comment `cut:` what becomes of the rest: it is
/// returned, asked for again, counted, or no part of the question.
@Suite("Limits that cut")
struct LimitTests {
  private static let modules: Set<String> = ["Store", "Walk", "Crawl", "Ledger"]

  static let files = Checkout.files(under: "Sources").filter { modules.contains($0.module) }

  @Test("say beside them what becomes of the rest", arguments: files)
  func said(file: SourceFile) {
    let lines = file.lines.map { String($0) }
    for (index, line) in lines.enumerated() where Self.cuts(line) {
      let near = lines[max(0, index - 2)...index]
      #expect(
        near.contains { $0.contains("cut: ") },
        "\(file.path):\(index + 1): say with `// cut: ...` what becomes of the rest")
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
