import Base
import Walk
import Testing

/// Where a request has its values: in a path with slashes, in a body with a window's ends.
@Suite("A value's place in a request")
struct PlaceTests {
  private static func path(_ value: String, slashes: Set<String> = ["image"]) throws -> String {
    var stream = try FakeJob.stream(FakeJob.number)
    stream.path = Template([.text("/v2/"), .hole("image"), .text("/tags/list")])
    stream.slashes = slashes
    return try FakeJob.builder(stream, [ParameterValue("image", value)])
      .step(.page, ordinal: 1, at: .number(1)).address.path
  }

  @Test("is the whole of it with its slashes, where the job says so, and one part of it elsewhere")
  func slashes() throws {
    #expect(try Self.path("alpine") == "/v1/v2/alpine/tags/list")
    #expect(try Self.path("library/alpine") == "/v1/v2/library/alpine/tags/list")
    #expect(try Self.path("a/b c/d?e#f%2Fg") == "/v1/v2/a/b%20c/d%3Fe%23f%252Fg/tags/list")
    #expect(try Self.path("a\\b/\u{301}c") == "/v1/v2/a%5Cb/%CC%81c/tags/list")
    #expect(
      try Self.path("library/alpine", slashes: []) == "/v1/v2/library%2Falpine/tags/list")
  }

  @Test(
    "leads nowhere else",
    arguments: ["", "/", "/a", "a/", "a//b", "..", "a/..", "../a", "a/../b", "./a", "a/./b"])
  func escapes(value: String) {
    #expect(throws: StepProblem.self) { try Self.path(value) }
  }

  private static func body(
    _ form: Window.Form, isInBody: Bool, _ template: BodyTemplate, isWhole: Bool = false
  ) throws -> (body: String, query: String?) {
    var stream = try FakeJob.stream(FakeJob.number)
    (stream.body, stream.isPositionInBody) = (template, true)
    stream.size?.isInBody = true
    stream.window = Window(
      from: "time.since", to: "time.until", form: form, column: nil, overlap: .zero,
      step: .seconds(1))
    stream.window?.isInBody = isInBody
    let window = TimeWindow(from: Instant(seconds: 1000), to: Instant(seconds: 2001))
    let step = try FakeJob.builder(stream, window: isWhole ? nil : window)
      .step(.page, ordinal: 1, at: .number(1))
    return (String(decoding: step.body?.bytes ?? [], as: UTF8.self), step.address.query)
  }

  @Test("is in the body for the ends of a window, as a number where their form is one")
  func ends() throws {
    let empty = BodyTemplate.json(.object([]))
    let seconds = try Self.body(.seconds, isInBody: true, empty)
    #expect(seconds.body == #"{"time":{"since":1000,"until":2000},"size":100,"page":1}"#)
    #expect(seconds.query == nil)
    let text = try Self.body(.time, isInBody: true, empty)
    #expect(text.body.contains(#""since":"1970-01-01T00:16:40Z","until":"1970-01-01T00:33:20Z""#))
    let whole = try Self.body(.seconds, isInBody: true, empty, isWhole: true)
    #expect(whole.body == #"{"size":100,"page":1}"#)
    let form = try Self.body(.seconds, isInBody: true, .form([]))
    #expect(form.body == "time.since=1000&time.until=2000&size=100&page=1")
    let query = try Self.body(.seconds, isInBody: false, empty)
    #expect(query.query == "time.since=1000&time.until=2000")
  }
}
