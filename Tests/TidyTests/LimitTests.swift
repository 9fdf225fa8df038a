import Testing

/// A silent cut of a list is an unseen loss. Where lists of an API's data are read, planned and stored, a comment
/// `cut:` at each cut says what becomes of the rest: it is returned, requested again, counted, or not needed.
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
    // A single row is not a cut: the first, the last.
    if code.contains("LIMIT ") { return !code.contains("LIMIT 1\"") && !code.contains("LIMIT 1)") }
    // Our own function of that name cuts nothing, nor does one with a condition.
    return [".prefix(", ".suffix("].contains { code.contains($0) }
      && !code.contains("Self.prefix(") && !code.contains(".prefix(while")
  }
}
