import Jobs
import Testing

@Suite("Lists that one table holds, and that mark who left")
struct ListColumnsTests {
  /// - Parameters:
  ///   - list: what follows `list:`.
  ///   - topics: the values in the file.
  private static func problems(_ list: String, topics: String, vanish: Bool = true) -> [String] {
    let marks = vanish ? ", vanish: \"mark\"" : ""
    let text = Books.with("list: \"hits\"", "list: \(list)\(marks)")
      .replacing("default: [\"sea\"]", with: "default: [\(topics)]")
    return Books.problems(text)
  }

  private static let two = "\"sea\", \"sky\""

  @Test(
    "need a column that tells them apart",
    arguments: [
      "{ table: \"hits\", columns: {} }",
      "{ table: \"hits\", columns: { kind: \"'x'\" } }",
      "{ table: \"hits\", columns: { kind: \"kind\" } }",
      "{ table: \"hits\", columns: { t: { at: \"{topic}\", sql: \"substr(value, 1, 1)\" } } }",
    ])
  func shared(list: String) {
    let told = Self.problems(list, topics: Self.two)
    #expect(told.contains { $0.contains("no column of the list has {topic} as it is") }, "\(told)")
    #expect(!Self.problems(list, topics: "\"sea\"").contains { $0.contains("{topic} as it is") })
    #expect(
      !Self.problems(list, topics: Self.two, vanish: false).contains {
        $0.contains("{topic} as it is")
      })
  }

  @Test(
    "are told apart by any column that has the value",
    arguments: [
      "\"hits\"", "{ table: \"hits\" }",
      "{ table: \"hits\", columns: { t: \"{topic}\" } }",
      "{ table: \"hits\", columns: { t: \"{topic}\", kind: \"kind\" } }",
    ])
  func apart(list: String) {
    #expect(Self.problems(list, topics: Self.two) == [])
  }
}
