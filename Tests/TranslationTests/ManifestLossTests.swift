import Base
import Testing

@testable import Translation

/// Everything in a manifest is in the job, or named as missing.
@Suite("A manifest loses nothing in silence")
struct ManifestLossTests {
  /// Every kind of component that is read.
  private static let text = """
    version: "5.0"
    streams:
      - type: DeclarativeStream
        name: teams
        primary_key: [id]
        schema_loader: &schema { type: InlineSchemaLoader, schema: { properties: { id: { type: integer }, state: { type: string }, updated: { type: string } } } }
        transformations:
          - { type: AddFields, fields: [{ type: AddedFieldDefinition, path: [city], value: "{{ record.address.city }}" }] }
          - { type: RemoveFields, field_pointers: [[state]] }
        incremental_sync:
          type: DatetimeBasedCursor
          cursor_field: updated
          datetime_format: "%Y-%m-%d"
          start_datetime: { type: MinMaxDatetime, datetime: "2020-01-01" }
          start_time_option: { type: RequestOption, inject_into: request_parameter, field_name: since }
          end_time_option: { type: RequestOption, inject_into: request_parameter, field_name: until }
          lookback_window: P3D
        retriever: &retriever
          type: SimpleRetriever
          decoder: { type: JsonDecoder }
          requester: &requester
            type: HttpRequester
            url_base: https://api.example.com/v1/
            path: /teams
            http_method: GET
            authenticator: { type: ApiKeyAuthenticator, api_token: "{{ config['api_key'] }}", inject_into: { type: RequestOption, inject_into: header, field_name: X-Key } }
            request_parameters: { kind: all }
            request_headers: { X-Version: "3" }
            error_handler:
              type: CompositeErrorHandler
              error_handlers: [{ type: DefaultErrorHandler, response_filters: [{ type: HttpResponseFilter, action: IGNORE, http_codes: [404] }] }]
          record_selector:
            type: RecordSelector
            extractor: { type: DpathExtractor, field_path: [data] }
            record_filter: { type: RecordFilter, condition: "{{ record.state == 'open' }}" }
          paginator:
            type: DefaultPaginator
            page_token_option: { type: RequestOption, inject_into: request_parameter, field_name: page }
            page_size_option: { type: RequestOption, inject_into: request_parameter, field_name: limit }
            pagination_strategy: { type: PageIncrement, page_size: 50, start_from_page: 1 }
      - type: DeclarativeStream
        name: boards
        primary_key: [id]
        schema_loader: *schema
        retriever:
          <<: *retriever
          requester: { <<: *requester, path: "/teams/{{ stream_partition.team }}/boards", http_method: POST, request_body_json: { deep: { word: x } } }
          partition_router:
            - type: SubstreamPartitionRouter
              parent_stream_configs: [{ type: ParentStreamConfig, parent_key: id, partition_field: team, stream: { $ref: "#/streams/0" }, request_option: { type: RequestOption, inject_into: request_parameter, field_name: team } }]
            - { type: ListPartitionRouter, cursor_field: color, values: [red, blue], request_option: { type: RequestOption, inject_into: request_parameter, field_name: color } }
          paginator:
            type: DefaultPaginator
            page_token_option: { type: RequestOption, inject_into: body_json, field_path: [after] }
            pagination_strategy: { type: CursorPagination, cursor_value: "{{ response.next }}", stop_condition: "{{ not response.more }}" }
    spec: { connection_specification: { required: [api_key], properties: { api_key: { type: string, airbyte_secret: true }, plan: { type: string, default: free }, tags: { type: array, default: [a, b] }, day: { type: string, default: "2024-01-01" } } } }
    """

  struct Result: Equatable {
    var job = ""
    var losses: [String] = []

    init(_ root: YAMLNode) {
      guard
        // No job at all is a result, too.
        let found = try? ManifestJob.of(root, jobName: "mine", title: "m.yaml", date: "2026-01-02")
      else { return }
      // The head and comments only name what is missing.
      job = found.text.split(separator: "\n").filter { !$0.contains("//") }.joined(separator: "\n")
      losses = found.missing.map(\.reason)
    }

    /// Losses that the other result lacks.
    func losses(beyond other: Result) -> [String] { losses.filter { !other.losses.contains($0) } }
  }

  let root: YAMLNode
  let whole: Result

  init() throws {
    root = try Self.node(Self.text)
    whole = Result(root)
  }

  static func node(_ text: String) throws -> YAMLNode {
    try YAMLReader.read(Array(text.utf8))
  }

  @Test("The manifest of these tests is whole but for its beginning")
  func base() {
    #expect(whole.losses.count == 1 && whole.losses[0].contains("start_datetime (2020-01-01)"))
    #expect(whole.job.contains("teams: {") && whole.job.contains("boards: {"), "\(whole.losses)")
  }

  @Test("A member that no reader knows is named, in whatever component")
  func unknown() {
    var count = 0
    for (path, node) in root.places() {
      guard path.first == "streams", path.count > 1, node.members != nil, !path.isOfData else {
        continue
      }
      let changed = Result(
        root.with(path + ["magic"], YAMLNode(.scalar("7", isPlain: true), line: 1)))
      // An authentication or a parent differs as a whole.
      let named = ["magic", "a way of its own", "its parent differs"]
      let losses = changed.losses(beyond: whole)
      #expect(losses.contains { loss in named.contains { loss.contains($0) } }, "\(path)")
      count += 1
    }
    #expect(count > 35)
  }

  @Test("Another value of a member is another job, or named")
  func altered() {
    for (path, node) in root.places() {
      guard path.first == "streams", let text = node.text, !path.contains("schema_loader") else {
        continue
      }
      let last = path.last ?? ""
      if last != "type", YAMLNode.indifferent.contains(last), path.count > 3 { continue }
      let other = node.integer.map { String($0 + 1) } ?? "x" + text
      let changed = Result(root.with(path, YAMLNode(.scalar(other, isPlain: true), line: 1)))
      #expect(changed != whole, "\(path) \(other)")
    }
  }

  @Test("A filter reads what came, though the manifest then writes another value in its place")
  func filteredBefore() throws {
    let filter =
      "        record_filter: { type: RecordFilter, condition: \"{{ record.name in ['a', 'b'] or record.name == 'c' }}\" }"
    let change =
      "    transformations: [{ type: AddFields, fields: [{ path: [name], value: \"{{ record.title }}\" }] }]"
    let (found, job) = try TestManifest.job(
      of: TestManifest.stream("things", more: filter, beside: change))
    #expect(found.isWhole, "\(found.missing)")
    #expect(found.text.contains("keep: \"(name_before IN ('a', 'b')) OR (name_before = 'c')\""))
    let paths = job.streams[0].columns.reduce(into: [:]) { $0[$1.name] = $1.paths.map(\.text) }
    #expect(paths["name_before"] == ["name"] && paths["name"] == ["title"], "\(found.text)")
  }

  @Test("An authentication that no job can express is named with its line")
  func authLine() throws {
    let text = TestManifest.text(TestManifest.stream("things")).replacing(
      "{ type: BearerAuthenticator,", with: "{ type: JwtAuthenticator,")
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let found = try TestManifest.translated(text)
    #expect(found.missing.map(\.stream) == ["auth"])
    #expect(lines[found.missing[0].line - 1].contains("JwtAuthenticator"), "\(found.missing)")
    // A stream of that name is another thing.
    let named = try TestManifest.translated(
      TestManifest.text(TestManifest.stream("auth")).replacing(
        "{ type: BearerAuthenticator,", with: "{ type: BearerAuthenticator, magic: 1,"))
    #expect(named.streams.map(\.name) == ["auth"], "\(named.missing)")
  }

  @Test("A header field is sent by the streams whose it is, and a type of content is kept")
  func headers() throws {
    let own =
      "        request_headers: { X-Tenant: \"{{ config['tenant'] }}\", Content-Type: text/x }"
    let (found, job) = try TestManifest.job(
      of: TestManifest.stream("mine", requester: own) + TestManifest.stream("others"),
      settings: "      tenant: { type: string, default: t0 }")
    #expect(found.isWhole && job.fields.isEmpty, "\(found.text)")
    #expect(job.streams.map { $0.fields.count + $0.fieldTexts.count } == [2, 0], "\(found.text)")
    let key = "        request_parameters: { key: \"{{ config['other'] }}\" }"
    let keyed = try TestManifest.translated(
      of: TestManifest.stream("mine", requester: key) + TestManifest.stream("others"),
      settings: "      other: { type: string, airbyte_secret: true }")
    #expect(keyed.missing.map(\.stream) == ["others"], "\(keyed.missing)")
  }
}

extension [String] {
  /// Within request data that is sent as written, or within a schema.
  fileprivate var isOfData: Bool {
    contains { $0.hasPrefix("request_") && $0 != "request_option" || $0 == "schema_loader" }
  }
}

extension YAMLNode {
  /// All values with their paths.
  fileprivate func places(_ path: [String] = []) -> [(path: [String], node: YAMLNode)] {
    let inner: [(String, YAMLNode)] =
      members?.map { ($0.key, $0.value) } ?? entries?.enumerated().map { (String($0), $1) } ?? []
    return [(path, self)] + inner.flatMap { $1.places(path + [$0]) }
  }

  /// A copy with one value replaced; a missing member is added.
  func with(_ path: [String], _ value: YAMLNode) -> YAMLNode {
    guard let step = path.first else { return value }
    let rest = Array(path.dropFirst())
    switch content {
    case .list(var list):
      let at = Int(step) ?? 0
      let inner = (at < list.count ? list[at] : .map([])).with(rest, value)
      if at < list.count { list[at] = inner } else { list.append(inner) }
      return YAMLNode(.list(list), line: line)
    case .map(var members):
      let inner = (self[step] ?? .map([])).with(rest, value)
      if let at = members.firstIndex(where: { $0.key == step }) {
        members[at] = .init(step, inner)
      } else {
        members.append(.init(step, inner))
      }
      return YAMLNode(.map(members), line: line)
    case .scalar: return YAMLNode.map([]).with(path, value)
    }
  }
}
