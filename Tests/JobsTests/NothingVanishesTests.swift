import Jobs
import Testing

@Suite("A stream that says vanish and could never mark anything")
struct NothingVanishesTests {
  private static let single = #"pages: { by: "single" }"#
  private static let things = #"columns: ["id", "v"], key: ["id"], records: "items""#
  private static let parents =
    "parents: { get: \"/p\", \(single), records: \"items\", key: [\"name\"], columns: [\"name\"] },"

  private static func problems(_ streams: String) -> [String] {
    let text = """
      {
        name: "books", base: "https://api.example.com/v1",
        params: { topic: { default: ["sea"], about: "a topic" } },
        streams: { \(streams) },
      }
      """
    return Books.problems(text)
  }

  @Test(
    "is told so, and what would help",
    arguments: [
      (
        "things: { get: \"/t?q={topic}\", \(single), \(things), vanish: \"mark\" }",
        "the lists of {topic} share a table, and none of them marks anything without list: \"NAME\""
      ),
      (
        "\(parents) things: { for: { each: \"parents.name\" }, get: \"/t/{name}\", "
          + "pages: { by: \"number\", to: \"?page\" }, \(things), vanish: \"mark\" }",
        "the lists of {name} share a table"
      ),
      (
        "things: { get: \"/t\", \(single), window: { from: \"?since\", on: \"v\" }, "
          + "columns: { id: \"id\", v: \"v as time\" }, key: [\"id\"], records: \"items\", vanish: \"mark\" }",
        "a walk of a window marks nothing"
      ),
      (
        "things: { get: \"/t\", \(single), kind: \"search\", \(things), vanish: \"mark\" }",
        "a search returns others each time"
      ),
      (
        "things: { get: \"/t\", \(single), \(things), vanish: \"mark\" }, "
          + "more: { get: \"/m\", \(single), into: \"things\", \(things) }",
        "more adds records to things too"
      ),
      (
        "\(parents) things: { for: { each: \"parents.name\" }, get: \"/t/{name}\", \(things), "
          + "list: \"found\", vanish: \"mark\" }",
        "single answers mark nothing in a list; leave found out, and make {name} a column"
      ),
      (
        "\(parents) things: { for: { each: \"parents.name\", when: \"changed\" }, get: \"/t/{name}\", "
          + "\(things), vanish: \"mark\" }",
        "what is not requested in every run is marked only if a column names the request: name: \"{name}\""
      ),
      (
        "\(parents) more: { for: { each: \"parents.name\" }, get: \"/t/{name}\", into: \"parents\", "
          + "key: [\"name\"], columns: [\"name\", \"v\"], records: \".\", vanish: \"mark\" }",
        "more only fills rows that other streams add"
      ),
    ])
  func never(streams: String, sentence: String) {
    let told = Self.problems(streams)
    #expect(told.contains { $0.contains("vanish: \(sentence)") }, "\(told)")
  }

  @Test(
    "is not told so where something may be marked",
    arguments: [
      "things: { get: \"/t\", \(single), \(things), vanish: \"mark\" }, "
        + "more: { for: { each: \"things.id\" }, get: \"/m/{id}\", into: \"things\", key: [\"id\"], "
        + "columns: [\"id\", \"w\"], records: \".\" }",
      "\(parents) things: { for: { each: \"parents.name\", when: \"all\" }, get: \"/t/{name}\", "
        + "\(things), vanish: \"mark\" }",
      "\(parents) things: { for: { each: \"parents.name\", batch: 5 }, get: \"/t/{name}\", "
        + "\(things), vanish: \"mark\" }",
      "\(parents) things: { for: { each: \"parents.name\" }, get: \"/t/{name}\", "
        + "key: [\"name\", \"id\"], columns: { name: \"{name}\", id: \"id\" }, records: \"items\", "
        + "vanish: \"mark\" }",
    ])
  func sound(streams: String) {
    #expect(Self.problems(streams) == [])
  }
}
