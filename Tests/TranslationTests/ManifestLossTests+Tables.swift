import Testing

@testable import Translation

/// What is said of each member, filter and expression.
extension ManifestLossTests {
  private static let wide = "{ \((0...180).map { "p\($0): {}" }.joined(separator: ", ")) }"

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
      ("streams.0.retriever.requester.request_parameters.a", "[x, y]", "a: [\"x\", \"y\"]"),
      ("streams.0.retriever.requester.path", "\"/té ams\"", "/t%C3%A9%20ams"),
      ("streams.1.retriever.requester.path", "https://o.example.com/x", "another origin"),
      ("streams.1.retriever.requester.request_body_json.deep", "yes", "deep: true"),
      ("streams.1.retriever.requester.request_body_json.deep", "\"{{ 5 }}\"", "deep: 5"),
      (
        "streams.1.retriever.requester.request_body_json.deep",
        "\"{ 'a': {{ config['plan'] }} }\"", "may be of any type"
      ),
      (
        "streams.1.retriever.requester.request_body_json", "\"{{ config['plan'] }}\"",
        "a body that is computed"
      ),
      (
        "streams.1.retriever.requester.request_headers.X", "\"{{ stream_partition.team }}\"",
        "a header field with a value of a parent"
      ),
      (
        "streams.0.retriever.requester.request_headers.Authorization", "fixed",
        "a header field that is computed"
      ),
      (
        "streams.0.retriever.paginator.page_token_option.field_name", "\"{{ config['p'] }}\"",
        "a parameter whose name is computed"
      ),
      (
        "streams.1.retriever.paginator.page_token_option.field_path", "[\"{{ config['p'] }}\"]",
        "a place in the body that is computed"
      ),
      (
        "streams.1.retriever.partition_router.1.request_option.field_name",
        "\"{{ config['p'] }}\"", "a parameter whose name is computed"
      ),
      (
        "streams.1.retriever.requester.request_parameters.x", "\"{{ config['id'] }}\"",
        "x: \"{my_id}\""
      ),
      (
        "streams.1.retriever.requester.request_parameters.x",
        "\"{{ stream_interval.start_time }}\"", "ends of no window"
      ),
      ("streams.0.retriever.requester.authenticator.request_method", "x", "request_method"),
      ("streams.1.retriever.requester.authenticator", "{ type: NoAuth }", "way of its own"),
      ("streams.0.retriever.record_selector.transform_before_filtering", "true", "changed before"),
      (
        "streams.0.retriever.record_selector.schema_normalization", "{ type: CustomX }",
        "changed by code"
      ),
      ("streams.0.retriever.record_selector.extractor.record_expander", "{ x: 1 }", "expander"),
      (
        "streams.0.retriever.record_selector.extractor.field_path", "['**']", "no path can say"
      ),
      ("streams.0.retriever.paginator.page_size_option.inject_into", "header", "a page size in"),
      ("streams.0.retriever.paginator", "{ type: DefaultPaginator }", "without a strategy"),
      (
        "streams.0.retriever.paginator.pagination_strategy.page_size", "\"{{ config['n'] }}\"",
        "a page size ({{ config['n'] }})"
      ),
      (
        "streams.0.retriever.paginator.pagination_strategy.page_size",
        "\"{{ config.get('n', 30) }}\"", "size: \"?limit=30\""
      ),
      (
        "streams.0.retriever.paginator.pagination_strategy",
        "{ type: CursorPagination, cursor_value: \"{{ last_record['size'] }}\" }", "not a key"
      ),
      (
        "streams.0.retriever.ignore_stream_slicer_parameters_on_paginated_requests", "true",
        "only the first page is requested with since, until"
      ),
      (
        "streams.1.retriever.paginator",
        "{ page_token_option: { inject_into: body_json, field_path: [vars] }, page_size_option: { inject_into: body_json, field_path: [n] }, pagination_strategy: { type: CursorPagination, page_size: 20, cursor_value: \"{{ '{\\\"after\\\": \\\"' + response.end + '\\\"}' }}\" } }",
        "to: \"body:vars.after\", next: \"end\", size: \"body:n=20\""
      ),
      (
        "streams.1.retriever.partition_router.0.parent_stream_configs.1",
        "{ parent_key: id, partition_field: t, stream: { $ref: \"#/streams/0\" } }",
        "records of several streams"
      ),
      (
        "streams.1.retriever.partition_router.1.values", "[\"{{ config['plan'] }}\"]",
        "values that are computed"
      ),
      (
        "streams.1.retriever.partition_router.0.parent_stream_configs.0.lazy_read_pointer", "[a]",
        "lazy"
      ),
      ("streams.0.incremental_sync.clamping", "{ target: DAY }", "clamping"),
      ("streams.0.incremental_sync.end_datetime", "\"{{ config['day'] }}\"", "config['day']"),
      ("streams.0.incremental_sync.end_datetime", "2024-01-01", "end_datetime 2024-01-01"),
      (
        "streams.0.incremental_sync.datetime_format", "\"%Y-%m-%dT%H:%M:%S.%fZ\"",
        "form: \"time(3)\""
      ),
      (
        "streams.0.incremental_sync",
        "{ type: DatetimeBasedCursor, datetime_format: \"%Y-%m-%d\", end_time_option: { inject_into: request_parameter, field_name: until } }",
        "an end without a beginning"
      ),
      (
        "streams.1.incremental_sync",
        "{ type: DatetimeBasedCursor, datetime_format: \"%Y-%m-%d\", start_time_option: { inject_into: request_parameter, field_name: since }, end_time_option: { inject_into: body_json, field_path: [until] } }",
        "one end in the body alone"
      ),
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
        "streams.1.transformations",
        "[{ type: AddFields, fields: [{ path: [squad], value: \"{{ stream_partition.team }}\" }] }]",
        "squad: \"{id}\""
      ),
      ("streams.0.primary_key", "[city]", "key: [\"city\"]"),
      ("streams.0.primary_key", "[]", "key: [\"digest\"]"),
      ("streams.1.primary_key", "[]", "key: [\"of_id\", \"digest\"]"),
      (
        "streams.0.schema_loader.schema.properties", "{ \"*\": {} }",
        "a member called * cannot be named"
      ),
      (
        "streams.0.schema_loader.schema.properties", wide, "columns: 1 more than 180"
      ),
      ("streams.0.schema_loader", "{ type: JsonFileSchemaLoader }", "record: \". as json\""),
      ("streams.2", "{ $ref: \"#/streams/0\" }", "another stream has this name"),
      (
        "streams.2",
        "{ type: ConditionalStreams, condition: \"{{ config.plan }}\", streams: [{ $ref: \"#/streams/0\" }] }",
        "it is there only if {{ config.plan }}"
      ),
      ("dynamic_streams", "[{ name: d }]", "made of what an API answers"),
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
    ] as [(String, String, String)])
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
      ("{{ 'a' ~ 'b' }}c", "x: \"abc\""),
      ("{{ stream_interval.start_time if stream_interval else '' }}", "one end twice"),
      ("{{ config['plan'] if config['plan'] else 'x' }}", "x: \"{plan}\""),
      ("{{ 'a' if not config['plan'] else 'b' }}", "x: \"b\""),
      ("{{ 'a' if config['plan'] == 'free' else 'b' }}", "x: \"a\""),
      ("{{ (config['plan']) | string }}", "x: \"{plan}\""),
      ("{{ config['pl' + 'an'] }}", "x: \"{plan}\""),
      ("{{ config['plan'] if 'plan' in config.keys() else '' }}", "x: \"{plan}\""),
      ("{{ config['plan'].strftime('%Y') }}", "{plan_as_sent}"),
      ("{{ config.get('plan') | default('x') }}", "{plan_as_sent}"),
      ("{{ config['plan'] | join(',') }}", "a setting that is no list"),
      ("{{ config['plan'] ~ config['s_token'] | upper }}", "a secret in a computed text"),
      ("{{ 'a\\nb' }}", "an expression"), ("{{ 'a\\x41' }}", "an expression"),
      ("{{ stream_partition['nope'] }}", "no parent and no list"),
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
