import Base
@testable import Translation
import Testing

@Suite("The paging of a manifest is that of the job")
struct ManifestPagingTests {
  private static func paginator(
    _ strategy: String, _ option: String, sendsSize: Bool = true
  ) -> String {
    let size =
      "        page_size_option: { type: RequestOption, inject_into: request_parameter, field_name: limit }"
    return """
            paginator:
              type: DefaultPaginator
              pagination_strategy: { \(strategy) }
              page_token_option: { \(option) }
      \(sendsSize ? size : "")
      """
  }

  private func text(_ strategy: String, option: String) -> String {
    TestManifest.text(TestManifest.stream("things", more: Self.paginator(strategy, option)))
  }

  private func stream(_ strategy: String, option: String) throws -> (ManifestJob, Base.Stream) {
    let (translated, job) = try TestManifest.job(text(strategy, option: option))
    return (translated, job.streams[0])
  }

  private static let query = "type: RequestOption, inject_into: request_parameter, field_name: at"

  @Test(
    "Numbers, offsets, tokens, URLs, links, last records",
    arguments: [
      (
        "type: PageIncrement, start_from_page: 1, page_size: 50", query,
        "number(parameter: \"at\", first: 1)"
      ),
      ("type: PageIncrement, page_size: 50", query, "number(parameter: \"at\", first: 0)"),
      (
        #"type: CursorPagination, cursor_value: "{{ response.data[-1].id }}""#, query, "data[-1].id"
      ),
      ("type: OffsetIncrement, page_size: 50", query, "offset(parameter: \"at\")"),
      (
        #"type: CursorPagination, cursor_value: "{{ response.get('meta', {}).get('next') }}""#,
        query, "meta.next"
      ),
      (
        #"type: CursorPagination, cursor_value: "{{ response['next'] or none }}""#,
        "type: RequestPath", "next"
      ),
      (
        #"type: CursorPagination, cursor_value: "{{ headers['link']['next']['url'] }}""#,
        "type: RequestPath", "link"
      ),
      (#"type: CursorPagination, cursor_value: "{{ headers['X-Next'] }}""#, query, "X-Next"),
      (#"type: CursorPagination, cursor_value: "{{ last_record['id'] }}""#, query, "record"),
      (#"type: CursorPagination, cursor_value: "{{ last_records[-1]['id'] }}""#, query, "record"),
      (
        #"type: CursorPagination, cursor_value: "{{ headers['link'] | regex_search('(.*)next') }}""#,
        "type: RequestPath", "link"
      ),
      (
        #"type: CursorPagination, cursor_value: "{{ response.page + 1 }}""#, query,
        "number(parameter: \"at\", first: 0)"
      ),
      (
        #"type: CursorPagination, cursor_value: "{{ response.next.split('at=')[1] if response.next else '' }}""#,
        query, "next"
      ),
    ])
  func ways(_ strategy: String, _ option: String, _ expected: String) throws {
    let (translated, stream) = try stream(strategy, option: option)
    #expect(translated.isWhole, "\(translated.missing)")
    #expect("\(stream.pager)".contains(expected), "\(stream.pager)")
  }

  @Test("A first page that the manifest requests without a number is requested so")
  func firstPage() throws {
    let option = Self.query + " }\n        x: { y: 1"
    #expect(try stream("type: PageIncrement", option: option).1.hidesFirstNumber)
    let next = #"type: CursorPagination, cursor_value: "{{ response.page + 1 }}""#
    #expect(try stream(next, option: Self.query).1.hidesFirstNumber)
    // A last page that has the number of pages: they are counted from 1.
    let last = next + #", stop_condition: "{{ response.page >= response.pages }}""#
    #expect(try stream(last, option: Self.query).1.pager == .number(parameter: "at", first: 1))
    let said = "type: PageIncrement, inject_on_first_request: true"
    #expect(try !stream(said, option: option).1.hidesFirstNumber)
  }

  @Test("An end that is a flag is a flag; one that is no sign of an end is left to the list")
  func ends() throws {
    let cursor =
      #"type: CursorPagination, cursor_value: "{{ response.next }}", page_size: 20, stop_condition: "#
    for (stop, more, sense) in [
      (#""{{ not response.has_more }}""#, "has_more", true),
      (#""{{ response.get('is_last') == true }}""#, "is_last", false),
      (#""{{ not response.next or not response.more }}""#, "more", true),
    ] {
      let (translated, stream) = try stream(cursor + stop, option: Self.query)
      #expect(translated.isWhole && stream.more.map(\.text) == [more] && stream.moreIs == sense)
      #expect(stream.size?.value == 20)
    }
    for stop in [
      #""{{ not response.next }}""#, #""{{ 'next' not in response }}""#, #""{{ false }}""#,
    ] {
      #expect(try stream(cursor + stop, option: Self.query).1.more.isEmpty)
    }
    for stop in [
      #""{{ last_page_size == 0 }}""#, #""{{ not last_record }}""#,
      #""{{ not response.get('data', []) }}""#,
    ] {
      let (translated, stream) = try stream(cursor + stop, option: Self.query)
      #expect(translated.isWhole && stream.more.isEmpty)
      #expect(stream.pager.nextPage?.endsEmpty == true, "\(translated.text)")
    }
    let (unknown, _) = try stream(cursor + #""{{ response.a | tojson > 3 }}""#, option: Self.query)
    #expect(unknown.missing.contains { $0.reason.hasPrefix("paging: an end that is computed") })
  }

  @Test("An end is said with its sense and its value, or named")
  func senses() throws {
    func found(_ next: String, _ stop: String) throws -> ManifestJob {
      let cursor = "cursor_value: \"{{ \(next) }}\", stop_condition: \"{{ \(stop) }}\""
      return try TestManifest.translated(
        text("type: CursorPagination, page_size: 20, \(cursor)", option: Self.query))
    }
    for (next, stop, said) in [
      ("response.next", "response.next == '0'", "stops: \"0\""),
      (
        "response.next", "response.next == 'END' or last_page_size == 0",
        "stops: [\"END\", \"empty\"]"
      ),
      ("response.next", "not response.data or response.next == 7", "stops: [\"7\", \"empty\"]"),
      ("response.next", "not response.next and not response.more", "next: \"next\", size"),
      ("response.next", "'next' not in response.keys()", "next: \"next\", size"),
      ("response.next", "response.next is none", "next: \"next\", size"),
      ("response.next", "response.more != true", "more: \"more\""),
      ("response.next", "0 == last_page_size", "stops: \"empty\""),
      ("response.page + 1", "response.page >= response.pages", "lastPage: \"pages\""),
      ("response.page + 1", "response.pages <= response.page", "lastPage: \"pages\""),
      (
        "response.page + 1 if response.page < response.pages else none", "false",
        "lastPage: \"pages\""
      ),
    ] {
      let found = try found(next, stop)
      #expect(found.isWhole && found.text.contains(said), "\(stop): \(found.text)")
    }
    for stop in [
      "response.state == 'done'", "response.left > 0", "response.page >= response.total / 8",
      "not response.a and not response.b", "true", "last_page_size > 3",
      "response.other | length == 0", "not headers['X-More']", "response.get('x', 'y') == 'y'",
      "not response.a or not response.b", "response.next == 'repeat'",
    ] {
      #expect(try found("response.next", stop).missing.count == 1, "\(stop)")
    }
    for next in [
      "response.next or 'x'", "response.next if response.more", "headers.link.prev.url",
      "response.next.split(':')[1]", "response.next.split('at=')[1] if response.more",
    ] {
      #expect(try found(next, "false").streams.isEmpty, "\(next)")
    }
  }

  @Test("A token among the request's parameters is paging's, with its value for the first page")
  func tokenOfRequest() throws {
    let requester =
      "        request_parameters: { cursor: \"{{ next_page_token['next_page_token'] or '*' }}\" }"
    func paginator(_ more: String) -> String {
      "      paginator: { type: DefaultPaginator, pagination_strategy: { type: CursorPagination, cursor_value: \"{{ response.next }}\", stop_condition: \"{{ last_page_size < 20 }}\" }\(more) }"
    }
    let (found, _) = try TestManifest.job(
      of: TestManifest.stream("things", requester: requester, more: paginator("")))
    #expect(found.isWhole, "\(found.missing)")
    let pages = #"pages: { by: "token", to: "?cursor", next: "next", first: "*" }"#
    #expect(found.text.contains(pages), "\(found.text)")
    #expect(found.text.contains("takes a short page for the end"))
    let twice = try TestManifest.translated(
      of: TestManifest.stream(
        "things", requester: requester,
        more: paginator(", page_token_option: { \(Self.query) }")))
    #expect(twice.missing[0].reason.contains("a token in two places"), "\(twice.missing)")
  }

  @Test("A page size of the component's own parameters is said; another is named once")
  func sizes() throws {
    let own = "type: PageIncrement, $parameters: { n: 30 }, page_size: "
    let said = try stream(own + "\"{{ parameters['n'] }}\"", option: Self.query)
    #expect(said.0.isWhole && said.1.size?.value == 30, "\(said.0.text)")
    let named = try stream(own + "\"{{ parameters['m'] }}\"", option: Self.query).0
    #expect(named.missing.count == 1, "\(named.missing)")
  }

  @Test("A page size that is not sent makes no job less than whole")
  func unsentSize() throws {
    let paginator = Self.paginator(
      "type: PageIncrement, start_from_page: 1, page_size: 50", Self.query, sendsSize: false)
    let (translated, job) = try TestManifest.job(of: TestManifest.stream("things", more: paginator))
    #expect(translated.isWhole && job.streams[0].size == nil, "\(translated.text)")
  }

  @Test("Parameters that a next page would lack are named")
  func repeated() throws {
    func missing(_ requester: String) throws -> [String] {
      let next = #"type: CursorPagination, cursor_value: "{{ response.next }}""#
      let paginator = Self.paginator(next, "type: RequestPath", sendsSize: false)
      return try TestManifest.translated(
        of: TestManifest.stream("things", requester: requester, more: paginator)
      ).missing.map(\.reason)
    }
    #expect(try missing("").isEmpty)
    let one = "        request_parameters: { state: open }"
    #expect(try missing(one).allSatisfy { $0.contains("with state;") } && missing(one).count == 1)
  }

  @Test("A next page that is computed leaves its stream out, with its line")
  func computed() throws {
    let next = #"type: CursorPagination, cursor_value: "{{ response.a + response.b }}""#
    let paginator = Self.paginator(next, Self.query, sendsSize: false)
    let text = TestManifest.text(
      TestManifest.stream("odd", more: paginator) + TestManifest.stream("even"))
    let (translated, job) = try TestManifest.job(text)
    #expect(job.streams.map(\.name) == ["even"] && !translated.isWhole)
    #expect(translated.missing.map(\.stream) == ["odd"] && translated.missing[0].line > 8)
    #expect(translated.text.contains("- odd (line "))
  }
}
