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

  private struct Result: Equatable {
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

  private let root: YAMLNode
  private let whole: Result

  init() throws {
    root = try Self.node(Self.text)
    whole = Result(root)
  }

  private static func node(_ text: String) throws -> YAMLNode {
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

  /// A member to add, and what the job then says, or the loss that is named.
  @Test(
    "What else such a manifest may say is in the job, or named",
    arguments: [
      ("streams.0.file_uploader", "{ x: 1 }", "file_uploader"),
      ("streams.0.retriever.pagination_reset", "{ action: RESET }", "pagination_reset"),
      ("streams.0.retriever.decoder", "{ type: XmlDecoder }", "not JSON"),
      ("streams.0.retriever.paginator.decoder", "{ type: XmlDecoder }", "not JSON"),
      ("streams.0.retriever.requester.query_properties", "{ x: 1 }", "query_properties"),
      ("streams.0.retriever.requester.fetch_properties_from_endpoint", "{ x: 1 }", "fetch_prop"),
      ("streams.0.retriever.requester.request_body_json", "{ a: 1 }", "a body that goes with GET"),
      ("streams.1.retriever.requester.request_body_data", "{ a: 1 }", "two bodies"),
      ("streams.0.retriever.requester.request_headers.Content-Type", "text/x", "text/x"),
      ("streams.0.retriever.requester.request_headers.Host", "other.example", "Host"),
      ("streams.0.retriever.requester.request_parameters.a", "{ b: 1 }", "an object or a list"),
      ("streams.0.retriever.requester.request_parameters.a", "\"\"", "a: \"\""),
      ("streams.0.retriever.requester.authenticator.request_method", "x", "request_method"),
      ("streams.1.retriever.requester.authenticator", "{ type: NoAuth }", "way of its own"),
      ("streams.0.retriever.record_selector.transform_before_filtering", "true", "changed before"),
      (
        "streams.0.retriever.record_selector.schema_normalization", "{ type: CustomX }",
        "changed by code"
      ),
      ("streams.0.retriever.record_selector.extractor.record_expander", "{ x: 1 }", "expander"),
      ("streams.0.retriever.paginator.page_size_option.inject_into", "header", "a page size in"),
      (
        "streams.1.retriever.partition_router.0.parent_stream_configs.0.lazy_read_pointer", "[a]",
        "lazy"
      ),
      ("streams.0.incremental_sync.clamping", "{ target: DAY }", "clamping"),
      ("streams.0.incremental_sync.end_datetime", "\"{{ config['day'] }}\"", "config['day']"),
      ("streams.0.incremental_sync.end_datetime", "2024-01-01", "end_datetime 2024-01-01"),
      ("streams.0.incremental_sync.lookback_window", "PT12H", "overlap: \"12h\""),
      ("streams.0.incremental_sync.lookback_window", "P1M", "overlap: \"31d\""),
      ("streams.0.incremental_sync.lookback_window", "P2W", "overlap: \"14d\""),
      ("streams.0.incremental_sync.lookback_window", "P1DT6H", "overlap: \"1d6h\""),
      ("streams.0.incremental_sync.lookback_window", "\"P{{ config['n'] }}D\"", "goes back"),
      ("streams.0.transformations.0.condition", "\"{{ record.x }}\"", "with a condition"),
      ("streams.0.transformations.1.condition", "\"{{ property == '' }}\"", "with a condition"),
      ("streams.0.transformations.0.fields.0.path", "[a, b]", "the added a.b"),
      (
        "streams.0.transformations.0.fields.0.value", "\"{{ record.a }}-{{ record.b }}\"",
        "the added"
      ),
      ("streams.0.transformations.0.fields.0.value", "fixed", "city: \"'fixed'\""),
      ("streams.0.transformations.0.fields.0.value_type", "integer", "address.city as integer"),
      ("streams.0.transformations.1.field_pointers", "[[a, b]]", "without a.b"),
      ("streams.0.transformations.2", "{ type: KeysToLower }", "KeysToLower"),
      (
        "streams.0.retriever.requester.error_handler",
        "{ type: DefaultErrorHandler, response_filters: [{ type: HttpResponseFilter, action: FAIL, predicate: \"{{ response.error }}\" }] }",
        "what an answer says"
      ),
      (
        "streams.1.retriever.partition_router.1.values", "\"{{ config['tags'] }}\"",
        "tags: { default: [\"a\", \"b\"]"
      ),
      ("spec.config_normalization_rules", "{ x: 1 }", "settings that are changed"),
    ])
  func added(_ path: String, _ value: String, _ said: String) throws {
    let steps = path.split(separator: ".").map(String.init)
    let changed = Result(root.with(steps, try Self.node(value)))
    let isSaid = changed.job.contains(said) && !whole.job.contains(said)
    #expect(
      isSaid || changed.losses(beyond: whole).contains { $0.contains(said) },
      "\(path): \(changed.losses(beyond: whole))\n\(changed.job)")
  }

  @Test(
    "A filter is said as it is, or named",
    arguments: [
      ("{{ record.config_type == 'a' }}", "keep: \"config_type = 'a'\""),
      ("{{ record.state == config['plan'] }}", "a filter"), ("{{ not record.gone }}", "a filter"),
      ("{{ not record.state }}", "keep: \"state IS NULL OR state = ''\""),
      ("{{ not record.id }}", "coalesce(id, 0) = 0"), ("{{ 'state' in record }}", "a filter"),
      ("{{ record.size == '5' }}", "a filter"), ("{{ record.state is not none }}", "a filter"),
      ("{{ record.get('state') is not none }}", "state IS NOT NULL"),
      ("{{ record.get('state', 'x') == 'x' }}", "a filter"),
      ("{{ record.updated >= stream_interval.start_time }}", "here all is kept"),
      ("{{ record.updated >= config['day'] }}", "a filter"),
      ("{{ record.updated < stream_state.updated }}", "a filter"),
      ("{{ record.state == 'a' }}{{ record.state == 'b' }}", "a filter"),
    ])
  func filters(_ text: String, _ said: String) throws {
    let changed = root.with(
      ["streams", "1", "retriever", "record_selector", "record_filter", "condition"],
      YAMLNode(.scalar(text, isPlain: false), line: 1))
    let job = try ManifestJob.of(changed, jobName: "mine", title: "m.yaml", date: "2026-01-02")
    #expect(job.text.contains(said), "\(job.text)")
  }

  @Test("A filter reads what came, though the manifest then writes another value in its place")
  func filteredBefore() throws {
    let filter =
      "        record_filter: { type: RecordFilter, condition: \"{{ record.name in ['a', 'b'] or record.name == 'c' }}\" }"
    let change =
      "    transformations: [{ type: AddFields, fields: [{ path: [name], value: \"{{ record.title }}\" }] }]"
    let (found, job) = try TestManifest.job(
      TestManifest.text(TestManifest.stream("things", more: filter, beside: change)))
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
      TestManifest.text(
        TestManifest.stream("mine", requester: own) + TestManifest.stream("others"),
        settings: "      tenant: { type: string, default: t0 }"))
    #expect(found.isWhole && job.fields.isEmpty, "\(found.text)")
    #expect(job.streams.map { $0.fields.count + $0.fieldTexts.count } == [2, 0], "\(found.text)")
    let key = "        request_parameters: { key: \"{{ config['other'] }}\" }"
    let keyed = try TestManifest.translated(
      TestManifest.text(
        TestManifest.stream("mine", requester: key) + TestManifest.stream("others"),
        settings: "      other: { type: string, airbyte_secret: true }"))
    #expect(keyed.missing.map(\.stream) == ["others"], "\(keyed.missing)")
  }

  @Test(
    "An expression is said as it is, or named",
    arguments: [
      ("{{ format_datetime(config['day'], '%s') }}", "{day_as_sent}"),
      ("{{ config['tags'] | join('|') }}", "default: \"a|b\""),
      ("{{ ','.join(config['tags']) }}", "default: \"a,b\""),
      ("{{ config['tags'] }}", "a list that a person gives"),
      ("{{ 'OPEN' | lower }}", "x: \"open\""), ("{{ config['plan'] | upper }}", "{plan_as_sent}"),
      ("{{ config['plan'].strip() }}", "{plan_as_sent}"),
      ("{{ config['plan'] | urlencode }}", "{plan_as_sent}"),
      ("{{ config.get('n', '10') }}{{ config.get('n', '20') }}", "{n}{my_n}"),
      ("a{{ none }}", "an expression"), ("a{{ 'b' if config.plan else none }}", "an expression"),
      ("{{ '7' | int }}", "x: \"7\""), ("{{ config['plan'] | int }}", "{plan_as_sent}"),
      ("{{ 'a/' ~ config['plan'] | lower }}", "an expression"),
      ("{{ config.get('plan', 'other') }}", "default: \"free\""),
      ("{{ 1 + 2 }}", "an expression"), ("{{ config['plan'] + 1 }}", "{plan_as_sent}"),
      ("{{ config['plan'] or config['day'] }}", "{plan_as_sent}"),
      ("{{ 'a' if stream_state else 'b' }}", "an expression"),
      ("{{ ['a', config['plan']] }}", "a list that is computed"), ("a{# b #}", "an expression"),
      ("{{ stream_interval.start_time }}", "one end twice"),
      ("a{{ format_datetime(stream_interval.end_time, '%s') }}", "written as %Y-%m-%d and %s"),
    ])
  func expressions(_ text: String, _ said: String) {
    var changed = Result(
      root.with(
        ["streams", "0", "retriever", "requester", "request_parameters"],
        .map([.init("x", YAMLNode(.scalar(text, isPlain: false), line: 1))])))
    if text.contains("start_time") {
      changed = Result(
        root.with(
          ["streams", "0", "retriever", "requester", "request_parameters"],
          .map(
            ["x", "y"].map { .init($0, YAMLNode(.scalar(text, isPlain: false), line: 1)) })))
    }
    let isSaid = changed.job.contains(said) && !whole.job.contains(said)
    #expect(
      isSaid || changed.losses(beyond: whole).contains { $0.contains(said) },
      "\(text): \(changed.losses)\n\(changed.job)")
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
  fileprivate func with(_ path: [String], _ value: YAMLNode) -> YAMLNode {
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
