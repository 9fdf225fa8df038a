import Testing

@testable import Translation

@Suite("A manifest's keys and tokens are requested as it says, or it is said what is missing")
struct ManifestAuthTests {
  private static func oauth(
    _ more: String, at place: String = "https://id.example.com/token"
  ) -> String {
    "{ type: OAuthAuthenticator, token_refresh_endpoint: \"\(place)\", client_id: \"{{ config['client_id'] }}\", client_secret: \"{{ config['client_secret'] }}\"\(more) }"
  }

  private static let refresh = ", refresh_token: \"{{ config['refresh_token'] }}\""
  private static let grant = ", grant_type: client_credentials"
  private static let basic =
    ", refresh_request_headers: { Authorization: \"Basic {{ (config['client_id'] ~ ':' ~ config['client_secret']) | base64encode }}\" }"

  private static func login(
    _ requester: String, use: String = "{ type: Bearer }", more: String = ""
  ) -> String {
    "{ type: SessionTokenAuthenticator, login_requester: { type: HttpRequester, url_base: https://api.example.com/, path: /login, http_method: POST\(requester) }, session_token_path: [data, token]\(more), request_authentication: \(use) }"
  }

  private static let body =
    ", request_body_json: { user: \"{{ config['user'] }}\", pass: \"{{ config['word'] }}\", keep: true, n: 5 }"

  private static func key(_ place: String, _ token: String) -> String {
    "{ type: ApiKey, inject_into: { type: RequestOption, \(place) }, api_token: \"\(token)\" }"
  }

  private func found(_ authenticator: String) throws -> ManifestJob {
    try TestManifest.translated(
      TestManifest.text(TestManifest.stream("things")).replacing(
        "{ type: BearerAuthenticator, api_token: \"{{ config['api_key'] }}\" }", with: authenticator
      ))
  }

  @Test(
    "Refresh tokens, client credentials, logins, and a user's password",
    arguments: [
      (
        oauth(refresh),
        #"secret: { client_secret: "mine-client_secret", refresh_token: "mine-refresh_token" }, token: { post: "https://id.example.com/token", form: { grant_type: "refresh_token", client_id: "{client_id}", client_secret: "{client_secret}", refresh_token: "{refresh_token}" } } },"#
      ),
      // A token that is spent by its use has the updater's name, in the request and in the answer.
      (
        oauth(
          refresh + ", refresh_token_name: other, refresh_token_updater: { refresh_token_name: rt }"
        ),
        #"rt: "{refresh_token}" }, rotates: { refresh_token: "rt" } }"#
      ),
      (
        oauth(", refresh_token_updater: { refresh_token_config_path: [auth, fresh] }"),
        #"refresh_token: "{fresh}" }, rotates: { fresh: "refresh_token" } }"#
      ),
      (
        oauth(
          grant
            + ", scopes: [a, b], access_token_name: tok, expires_in_name: exp, client_id_name: app"),
        #"form: { grant_type: "client_credentials", app: "{client_id}", client_secret: "{client_secret}", scope: "a b" }, at: "tok", lasts: "exp" }"#
      ),
      (
        oauth(refresh + basic),
        #"form: { grant_type: "refresh_token", refresh_token: "{refresh_token}" }, basic: "{client_id}:{client_secret}" }"#
      ),
      // A password is a secret, whatever the setting is called; what is sent anyway is sent once.
      (
        oauth(
          grant
            + ", refresh_request_body: { audience: \"{{ config['api'] }}\", password: \"{{ config['word'] }}\", client_id: other }"
        ),
        #"secret: { client_secret: "mine-client_secret", word: "mine-word" }, token: { post: "https://id.example.com/token", form: { grant_type: "client_credentials", client_id: "{client_id}", client_secret: "{client_secret}", audience: "{api}", password: "{word}" } }"#
      ),
      (
        oauth(grant, at: "https://{{ config['shop'] }}.example.com/token?tenant=5&grant_type=x"),
        #"post: "https://{shop}.example.com/token", form: { grant_type: "client_credentials", tenant: "5", client_id"#
      ),
      (
        oauth(", refresh_token: \"{{ config['other']['client_secret'] }}\""),
        #"client_secret: "{client_secret}", refresh_token: "{client_secret_2}" }"#
      ),
      (
        login(body, more: ", expiration_duration: PT1H"),
        #"secret: { word: "mine-word" }, token: { post: "https://api.example.com/login", body: { user: "{user}", pass: "{word}", keep: true, n: 5 }, at: "data.token", lasts: "1h" }"#
      ),
      (
        login(
          ", request_body: { type: RequestBodyUrlEncodedForm, value: { password: \"{{ config['word'] }}\" } }"
        ), #"form: { password: "{word}" }, at: "data.token" }"#
      ),
      (
        login(
          ", authenticator: { type: BasicHttpAuthenticator, username: \"{{ config['user'] }}\", password: \"{{ config['word'] }}\" }"
        ), #"basic: "{user}:{word}", at: "data.token" }"#
      ),
      (
        login(
          body, use: key("inject_into: header, field_name: X-T", "Token {{ session_token }}")),
        #"to: "header:X-T Token {secret}", secret: { word"#
      ),
      (
        login(
          body, use: key("inject_into: request_parameter, field_name: t", "{{ session_token }}")),
        #"to: "?t", secret: { word"#
      ),
      (
        "{ type: BasicHttpAuthenticator, username: \"{{ config['user'] }}\", password: \"{{ config['word'] }}\" }",
        #"auth: { to: "basic {user}:{secret}", secret: "mine-word" }"#
      ),
    ] as [(String, String)])
  func ways(_ authenticator: String, _ said: String) throws {
    let found = try found(authenticator)
    #expect(found.isWhole, "\(found.missing)")
    #expect(found.text.contains(said), "\(found.text)")
  }

  @Test(
    "What no job can send is named, and nothing is sent in its place",
    arguments: [
      (oauth(""), "OAuth without refresh_token"),
      ("{ type: OAuthAuthenticator, access_token_value: x }", "OAuth without an endpoint"),
      (
        "{ type: OAuthAuthenticator, token_refresh_endpoint: https://id.example.com/token\(refresh)\(basic) }",
        "OAuth without client_id"
      ),
      (
        oauth(refresh + ", refresh_request_headers: { Authorization: \"{{ config['h'] }}\" }"),
        "a header field of its own"
      ),
      (oauth(refresh + ", use_profile_assertion: true"), "a signed token (JWT)"),
      (oauth(refresh + ", refresh_request_body: { a: { b: c } }"), "with an object"),
      (oauth(refresh, at: "https://x.example.com/{{ config['api_key'] }}"), "a secret in"),
      (oauth(refresh, at: "https://{{ config['a'] | upper }}.example.com/t"), "that is computed"),
      (login(body).replacing("POST", with: "GET"), "a login by GET"),
      (
        login(body + ", request_parameters: { k: \"{{ config['word'] }}\" }"),
        "secrets in its address"
      ),
      (login(body).replacing("/login", with: "/login?a=b"), "a query in its address"),
      (login(", request_body_data: \"a={{ config['word'] }}\""), "a body that is computed"),
      (login(", request_body: { type: RequestBodyPlainText, value: x }"), "a kind of its own"),
      (login(", request_body_json: { a: { b: c } }"), "a nested body"),
      (login(", request_body_json: { user: x }"), "refused: secret is empty"),
      (
        login(body + ", authenticator: { type: BearerAuthenticator, api_token: x }"),
        "a key of its own"
      ),
      (login(body, more: ", expiration_duration: soon"), "how long a token lasts (soon)"),
      (login(body, use: "{ type: Other }"), "a token that goes elsewhere"),
      (
        login(body, use: key("inject_into: header, field_name: A", "{{ session_token | upper }}")),
        "a computed one"
      ),
      (login(body, use: key("inject_into: header, field_name: A", "fixed")), "a computed one"),
      (
        login(body, use: key("inject_into: header, field_name: Cookie", "{{ session_token }}")),
        "a cookie"
      ),
      (
        "{ type: ApiKeyAuthenticator, api_token: \"x{{ config['api_key'] }}y\", header: A }",
        "a key that is computed"
      ),
      (
        "{ type: ApiKeyAuthenticator, api_token: \"{{ config['api_key'] }}\", header: Cookie }",
        "a cookie"
      ),
      (
        "{ type: ApiKeyAuthenticator, api_token: \"{{ config['api_key'] }}\", header: \"{{ config['h'] }}\" }",
        "a place that is computed"
      ),
      (
        "{ type: BasicHttpAuthenticator, username: \"\", password: \"{{ config['api_key'] }}\" }",
        "a password without a user's name"
      ),
      ("{ type: SelectiveAuthenticator, authenticators: {} }", "a choice of none"),
    ] as [(String, String)])
  func refused(_ authenticator: String, _ reason: String) throws {
    let found = try found(authenticator)
    let isNamed = found.missing.contains { $0.stream == "auth" && $0.reason.contains(reason) }
    #expect(isNamed, "\(found.missing)")
    #expect(!found.text.contains("  auth: "), "\(found.text)")
  }

  @Test("Of several ways the first that a job can express is taken, and what it lacks is named")
  func selective() throws {
    let key = "{ type: BearerAuthenticator, api_token: \"{{ config['api_key'] }}\", magic: 1 }"
    let found = try found(
      "{ type: SelectiveAuthenticator, authenticator_selection_path: [way], authenticators: { signed: { type: JwtAuthenticator }, key: \(key), other: \(key) } }"
    )
    #expect(found.text.contains("several ways; this one is key."), "\(found.text)")
    #expect(found.text.contains("Authorization Bearer {secret}"))
    let magic = found.missing.map(\.reason).filter { $0.contains("magic") }
    #expect(magic.count == 1 && magic[0].contains("key.magic"), "\(found.missing)")
  }

  @Test("A server of tokens that depends on a setting is the default one, and that is said")
  func choice() throws {
    let found = try found(
      Self.oauth(
        Self.grant,
        at: "https://{{ 'sandbox' if config['is_sandbox'] else 'www' }}.example.com/token"))
    #expect(found.text.contains("post: \"https://www.example.com/token\""), "\(found.text)")
    #expect(found.text.contains("two ways here, by is_sandbox; this is the default."))
  }

  @Test("A server of tokens that is made up is said to be")
  func madeUp() throws {
    for (host, isMadeUp) in [
      ("api-{{ config['zone'] }}.example.com", true), ("{{ config['host'] }}", true),
      ("{{ config['shop'] }}.example.com", false),
    ] {
      let found = try found(Self.oauth(Self.grant, at: "https://\(host)/token"))
      #expect(found.translator.auth.needsPlace == isMadeUp, "\(found.text)")
      #expect(found.text.contains("Mind: where your own server gives tokens") == isMadeUp)
    }
  }
}
