@testable import Base
@testable import Translation
import Testing

@Suite("The requests of a manifest are those of the job")
struct ManifestRequestTests {
  @Test("A form is a form, and a text in its place is named")
  func form() throws {
    for (body, said) in [
      ("{ a: x, b: \"{{ config['q'] }}\" }", "form: { a: \"x\", b: \"{q}\" }"), ("a=b", nil),
    ] {
      let found = try TestManifest.translated(
        of: TestManifest.stream(
          "things", requester: "        http_method: POST\n        request_body_data: \(body)"))
      let lost = said == nil ? ["request: a body that is computed"] : []
      #expect(found.missing.map(\.reason) == lost)
      #expect(said.map { found.text.contains($0) } ?? true, "\(found.text)")
    }
  }

  @Test("A slash that ends a path is kept before a query too")
  func slash() throws {
    for (path, get) in [
      ("things/?format=json", "/things/"), ("things?format=json", "/things"),
      ("/things/", "/things/"),
    ] {
      let (_, job) = try TestManifest.job(of: TestManifest.stream("things", path: path))
      #expect("\(job.base.path)\(job.streams[0].path)" == "/v1\(get)", "\(path)")
      #expect(job.streams[0].query.isEmpty != path.contains("?"), "\(path)")
    }
  }

  @Test("Percent escapes of an address and of a query text are resolved, since a job's are added")
  func escapes() throws {
    let query = "s=a%20b&s=c+d&t=50%&u=%7Bx%7D&v={{ ['d%20e', 'f'] }}"
    let text = "        request_parameters: \"\(query)\""
    let (translated, _) = try TestManifest.job(
      of: TestManifest.stream("things", path: "things?q=a%26b&q=c", requester: text))
    #expect(
      translated.text.contains(
        #"query: { q: ["a&b", "c"], s: ["a b", "c d"], t: "50%", u: "{{x}}", v: ["d e", "f"] }"#),
      "\(translated.text)")
    let other = try TestManifest.translated(of: TestManifest.stream("things", path: "things?q=%E9"))
    #expect(other.missing[0].reason.contains("not UTF-8"), "\(other.missing)")
  }

  @Test("What stands beside a reference goes before what it names, also on the way to another one")
  func overridden() throws {
    let definitions = """
        requester: &requester
          type: HttpRequester
          url_base: https://api.example.com/v1/
          path: things
          authenticator: { type: BearerAuthenticator, api_token: "{{ config['api_key'] }}" }
        retriever:
          type: SimpleRetriever
          requester: { $ref: "#/definitions/requester" }
          record_selector:
            type: RecordSelector
            extractor: { type: DpathExtractor, field_path: [data] }
        report:
          $ref: "#/definitions/retriever"
          requester:
            $ref: "#/definitions/requester"
            http_method: POST
            request_body_json: { kind: all }
      """
    let stream = """
        - type: DeclarativeStream
          name: reports
          primary_key: [id]
          schema_loader: *schema
          retriever:
            $ref: "#/definitions/report"
            requester: { $ref: "#/definitions/report/requester", path: reports }
            record_selector: { $ref: "#/definitions/report/record_selector" }
      """
    let (translated, job) = try TestManifest.job(of: stream, definitions: definitions)
    #expect(translated.isWhole, "\(translated.missing)")
    #expect(job.streams[0].path.description == "/reports" && job.streams[0].body != nil)
    #expect(job.streams[0].records.text == "data")
  }

  @Test(
    "Values of a list and of a person are parameters; one that may be missing leaves its place out")
  func parameters() throws {
    let list = """
            partition_router: { type: ListPartitionRouter, cursor_field: kind, values: [a, b] }
      """
    let requester = """
              request_parameters:
                kind: "{{ stream_partition['kind'] }}"
                region: "{{ config['region'] or 'eu' }}"
                "filter[q]": "{{ config.get('q') }}"
                many: "{{ ','.join(['x', 'y']) }}"
              request_headers: { Account: "{{ config['account_id'] }}" }
      """
    let settings = """
            region: { type: string, title: Region }
            q: { type: string }
            account_id: { type: string, airbyte_secret: true }
      """
    let (translated, job) = try TestManifest.job(
      of: TestManifest.stream("things", requester: requester, more: list), settings: settings)
    #expect(translated.isWhole, "\(translated.missing)")
    let defaults = Dictionary(uniqueKeysWithValues: job.parameters.map { ($0.name, $0.defaults) })
    #expect(defaults == ["kind": ["a", "b"], "region": ["eu"], "q": [""], "account_id": []])
    #expect(job.streams[0].query.first { $0.name == "filter[q]" }?.isLeftOutIfEmpty == true)
    #expect(
      translated.text.contains("many: \"x,y\"")
        && translated.text.contains("Account: \"{account_id}\""))
  }

  @Test("The default of a setting that only one of several choices has is the parameter's")
  func choices() throws {
    let found = try TestManifest.translated(
      of: TestManifest.stream("things", path: "{{ config['place']['region'] }}/things"),
      settings:
        "      place: { oneOf: [{ properties: { x: {} } }, { properties: { region: { default: eu } } }] }"
    )
    #expect(found.text.contains("region: { default: \"eu\""), "\(found.text)")
  }

  @Test(
    "A setting that is called like a key is none of the job's values, whatever the manifest says")
  func unmarkedKey() throws {
    let requester = """
              request_headers: { X-Api-Key: "{{ config['api_token'] }}" }
      """
    let translated = try TestManifest.translated(
      of: TestManifest.stream("things", requester: requester),
      settings: "      api_token: { type: string }")
    #expect(!translated.text.contains("{api_token}"), "\(translated.text)")
  }

  @Test("A window's ends are the window's, and a cursor without them is told")
  func windows() throws {
    let cursor = TestManifest.cursor(
      "updated", start: "inject_into: request_parameter, field_name: since")
    let schema =
      "    schema_loader: { type: InlineSchemaLoader, schema: { properties: { id: {}, updated: { type: integer } } } }"
    let (_, job) = try TestManifest.job(
      of: TestManifest.stream("things", beside: cursor + "\n" + schema))
    let window = try #require(job.streams[0].window)
    #expect(window.from == "since" && window.form == .seconds && window.column == "updated")
  }

  @Test("Ends within a text are a window's, whether a column has the time or none")
  func endsInText() throws {
    let ends = "{{ stream_interval['start_time'] }}..{{ stream_interval['end_time'] }}"
    let asking = "        request_parameters: { q: \"at:\(ends)\" }"
    for (field, column) in [("name", "name"), ("elsewhere", nil)] {
      let cursor = TestManifest.cursor(field).replacing("%s", with: "%Y-%m-%dT%H:%M:%SZ")
      let (_, job) = try TestManifest.job(
        of: TestManifest.stream("things", requester: asking, beside: cursor))
      let window = try #require(job.streams[0].window)
      #expect(window.form == .time && window.column == column)
    }
  }

  @Test("A cursor that no request uses is no window; records that it drops are named")
  func cursorAlone() throws {
    let cursor = TestManifest.cursor("updated")
    let found = try TestManifest.translated(of: TestManifest.stream("things", beside: cursor))
    #expect(found.isWhole && found.text.contains("reads the whole list"), "\(found.missing)")
    let dropping = cursor + "\n      is_client_side_incremental: true\n      magic: 1"
    let named = try TestManifest.translated(of: TestManifest.stream("things", beside: dropping))
    #expect(named.missing.count == 2, "\(named.missing)")
  }

  @Test("A window goes with a parent, and into a body")
  func windowsElsewhere() throws {
    func cursor(_ place: String) -> String { TestManifest.cursor("updated", start: place) }
    let router = TestManifest.each(of: 0, as: "thing")
    let list = TestManifest.stream("things")
    let child = TestManifest.stream(
      "parts", path: "things/{{ stream_partition.thing }}/parts", more: router,
      beside: cursor("inject_into: request_parameter, field_name: since"))
    let (translated, job) = try TestManifest.job(of: list + child)
    #expect(translated.missing.map(\.stream) == ["parts"], "\(translated.missing)")
    #expect(translated.missing[0].reason.contains("start_datetime ({{ config['start_date'] }})"))
    let parts = try #require(job.stream("parts"))
    #expect(parts.parent?.stream == "things" && parts.window?.from == "since")
    let (posted, asked) = try TestManifest.job(
      of: TestManifest.stream(
        "things", requester: "        http_method: POST",
        beside: cursor("inject_into: body_json, field_path: [filter, since]")))
    #expect(posted.missing.count == 1, "\(posted.missing)")
    let window = try #require(asked.streams[0].window)
    #expect(window.isInBody && window.from == "filter.since" && window.form == .seconds)
  }

  @Test("Where one's own server stands for its host, the file says so; a tenant is a hole")
  func bases() throws {
    for (url, base, needs) in [
      ("https://{{ config['shop'] }}.example.com/api", "https://{shop}.example.com/api", false),
      ("{{ config['server_url'] }}/api", "https://api.example.com/api", true),
      ("https://api.{{ config.region }}/v1", "https://api.example/v1", true),
      (
        "{{ 'https://sandbox.example.com' if config['is_sandbox'] else 'https://www.example.com' }}/v1",
        "https://www.example.com/v1", false
      ),
    ] {
      let text = TestManifest.text(TestManifest.stream("things")).replacing(
        "https://api.example.com/v1/", with: "\"\(url)\"")
      let (translated, _) = try TestManifest.job(text)
      #expect(translated.text.contains("base: \"\(base)\""), "\(translated.text)")
      #expect(translated.needsBase == needs && translated.isWhole)
    }
  }

  @Test("What asks the same for each record of a parent is asked once")
  func unused() throws {
    let router = TestManifest.each(of: 0, as: "team")
    let (translated, job) = try TestManifest.job(
      of: TestManifest.stream("teams") + TestManifest.stream("boards", more: router))
    #expect(translated.isWhole && job.streams[1].parent == nil, "\(translated.missing)")
  }

  @Test(
    "A request that has another member of the parent's record than its key is made for each of those"
  )
  func extraFields() throws {
    let router = TestManifest.each(of: 0, as: "team", more: ", extra_fields: [[meta, slug]]")
    let (translated, job) = try TestManifest.job(
      of: TestManifest.stream("teams")
        + TestManifest.stream(
          "boards", path: "teams/{{ stream_slice.extra_fields.slug }}/boards", more: router))
    #expect(translated.isWhole, "\(translated.missing)")
    #expect(job.streams.count == 2 && job.streams[1].parent?.stream == "teams")
    #expect(job.streams[1].path.holes == ["meta_slug"], "\(translated.text)")
  }

  @Test("Lists and objects that a body has as texts go out as what they are")
  func literals() throws {
    let requester = """
              http_method: POST
              request_body_json:
                include: "[ 'x', 'y' ]"
                filter: "{ 'since': '{{ config['since'] }}', 'all': True, 'none': None }"
                quoted: '{"since": "{{ config["since"] }}", "until": "{{ config[''since''] }}"}'
                note: "[not a list"
                tail: "['x'] or ['y']"
                word: inf
                query: "{ viewer { login } }"
      """
    let (translated, job) = try TestManifest.job(
      of: TestManifest.stream("things", requester: requester),
      settings: "      since: { type: string, default: \"2024\" }")
    #expect(translated.isWhole, "\(translated.missing)")
    guard case .json(let body)? = job.streams[0].body else {
      Issue.record("no body")
      return
    }
    let since = BodyValue.text(Template([.hole("since")]))
    #expect(
      body["filter"]
        == .object([
          .init("since", since), .init("all", .plain("true")), .init("none", .plain("null")),
        ]))
    #expect(body["quoted"] == .object([.init("since", since), .init("until", since)]))
    let x = BodyValue.text(Template([.text("x")]))
    #expect(body["include"] == .list([x, .text(Template([.text("y")]))]), "\(translated.text)")
    #expect(translated.text.contains("note: \"[not a list\""))
    #expect(translated.text.contains(#"tail: "['x'] or ['y']", word: "inf""#))
    #expect(body["query"] == .literal("{ viewer { login } }"))
  }

  @Test("The end of a window that stands in no quotes is a number in the body")
  func bareEnds() throws {
    let cursor = TestManifest.cursor("updated")
    let requester = """
              http_method: POST
              request_body_json:
                query: "{ 'field': 'updated', 'value': {{ stream_interval['start_time'] }}, 'all': [ {{ 7 }} ] }"
      """
    let (translated, job) = try TestManifest.job(
      of: TestManifest.stream("things", requester: requester, beside: cursor),
      settings: "      start_date: { type: string }")
    guard case .json(let body)? = job.streams[0].body else {
      Issue.record("no body: \(translated.missing)")
      return
    }
    #expect(
      body["query"]?["value"] == .typed(Template([.hole("from")]), .integer), "\(translated.text)")
    #expect(body["query"]?["all"] == .list([.plain("7")]))
  }

  @Test("What a parent adds to its records is asked by where it is from, or not at all")
  func added() throws {
    func text(_ value: String) -> String {
      let router = TestManifest.each(of: 0, as: "team", key: "team_id")
      let change =
        "    transformations: [{ type: AddFields, fields: [{ path: [team_id], value: \"\(value)\" }] }]"
      return TestManifest.text(
        TestManifest.stream("teams", beside: change)
          + TestManifest.stream(
            "boards", path: "teams/{{ stream_partition.team }}/boards", more: router))
    }
    let (translated, job) = try TestManifest.job(text("{{ record['details']['id'] }}"))
    #expect(translated.isWhole, "\(translated.missing)")
    let teams = try #require(job.stream("teams"))
    let column = try #require(teams.column(job.stream("boards")?.parent?.column ?? ""))
    #expect(column.source == .paths([try JSONPath("details.id")]), "\(translated.text)")
    let computed = try TestManifest.translated(text("{{ record['id'] * 2 }}"))
    #expect(computed.missing.contains { $0.reason.contains("computes from the parent's record") })
  }

  @Test("Rules for errors stay with their stream, and a fixed password is sent")
  func errorsAndPassword() throws {
    let handler = """
              error_handler: { type: DefaultErrorHandler, response_filters: [{ type: HttpResponseFilter, action: IGNORE, http_codes: [404] }] }
      """
    let text = TestManifest.text(
      TestManifest.stream("things", requester: handler) + TestManifest.stream("others")
    ).replacing(
      "{ type: BearerAuthenticator, api_token: \"{{ config['api_key'] }}\" }",
      with:
        "{ type: BasicHttpAuthenticator, username: \"{{ config['api_key'] }}\", password: api_token }"
    )
    let (translated, job) = try TestManifest.job(text)
    #expect(translated.isWhole && job.errors.isEmpty)
    #expect(job.streams.map(\.errors.count) == [1, 0])
    #expect(job.authentication?.place == .userName(password: "api_token"))
  }

  @Test(
    "A host that is made up is said to be, and a key is no time, though the manifest goes by it")
  func hostAndKey() throws {
    let cursor = TestManifest.cursor(
      "id", start: "inject_into: request_parameter, field_name: since")
    let text = TestManifest.text(TestManifest.stream("things", beside: cursor)).replacing(
      "https://api.example.com/v1/", with: "rest.example.io/resources/")
    let (translated, job) = try TestManifest.job(text)
    #expect(translated.needsBase && translated.text.contains("Mind: "))
    #expect(job.streams[0].column("id")?.kind == .integer, "\(translated.text)")
  }

  @Test("One parameter is never the value of several expressions")
  func expressions() throws {
    let path =
      "top/{{ format_datetime(config['start'], '%Y') }}/{{ format_datetime(config['start'], '%m') }}"
    let found = try TestManifest.translated(
      of: TestManifest.stream("things", path: path), settings: "      start: { type: string }")
    #expect(found.text.contains("/{start_as_sent}/{start_as_sent_2}\""), "\(found.text)")
    let one = "top/{{ config['a'][0:4] ~ '/' ~ config['a'][5:7] }}"
    let whole = try TestManifest.translated(
      of: TestManifest.stream("things", path: one), settings: "      a: { type: string }")
    #expect(!whole.text.contains("{a_as_sent}/{a_as_sent}"), "\(whole.text)")
    let entry = try TestManifest.translated(
      of: TestManifest.stream("things", path: "{{ config['tags'][0] }}"),
      settings: "      tags: { type: array, items: { type: string } }")
    #expect(entry.text.contains("/{tags_as_sent}\""), "\(entry.text)")
  }

  @Test("A secret stands nowhere but under auth")
  func secrets() throws {
    for place in [
      "path: \"/bot{{ config['api_key'] }}/x\"",
      "path: \"/x\"\n        request_body_json: { k: \"{{ config['api_key'] }}\" }\n        http_method: POST",
    ] {
      let text = TestManifest.text(TestManifest.stream("things")).replacing(
        "path: \"/things\"", with: place)
      let missing = try TestManifest.translated(text).missing
      #expect(missing.contains { $0.reason.contains("a secret in an address") })
    }
    let text = TestManifest.text(
      TestManifest.stream(
        "things", requester: "        request_parameters: { api_key: \"{{ config['api_key'] }}\" }")
    )
    .replacing(
      "authenticator: { type: BearerAuthenticator, api_token: \"{{ config['api_key'] }}\" }",
      with: "authenticator: { type: NoAuth }")
    #expect(try TestManifest.job(text).1.authentication?.place == .query(name: "api_key"))
  }
}
