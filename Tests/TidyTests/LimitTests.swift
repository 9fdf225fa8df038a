import Testing

/// A silent cut of a list is an unseen loss. Where lists of an API's data are read, planned and stored, a comment
/// `cut:` at each cut says what becomes of the rest: it is returned, requested again, counted, or not needed.
@Suite("Limits that cut")
struct LimitTests {
  private static let modules: Set<String> = ["Store", "Walk", "Crawl"]

  @Test("say beside them what becomes of the rest")
  func said() {
    for file in Checkout.files(under: "Sources") where Self.modules.contains(file.module) {
      for (number, line) in file.code where Self.cuts(line) {
        let near = file.lines[max(0, number - 3)..<number]
        if near.contains(where: { $0.contains("cut: ") }) { continue }
        Issue.record("\(file.path):\(number): say with `// cut: ...` what becomes of the rest")
      }
    }
  }

  private static func cuts(_ code: String) -> Bool {
    // A single row is not a cut: the first, the last.
    if code.contains("LIMIT ") { return !code.contains("LIMIT 1\"") && !code.contains("LIMIT 1)") }
    // Our own function of that name cuts nothing, nor does one with a condition.
    return [".prefix(", ".suffix("].contains { code.contains($0) }
      && !code.contains("Self.prefix(") && !code.contains(".prefix(while")
  }
}
