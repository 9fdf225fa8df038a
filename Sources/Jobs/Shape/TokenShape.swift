internal import Base

/// The keys of secrets that are exchanged for an access token.
enum TokenShape {
  static let token = ObjectShape(
    "Token",
    "Where an access token is requested: by OAuth (a refresh token, client credentials), or by a login."
      + " It lives in memory alone.",
    [
      KeyShape(
        "post", .text(.tokenPlace), isRequired: true,
        "where it is requested, by POST: an address, whose server alone sees the secrets, or a path behind the base; a label"
          + " of its host or a part of its path may be a parameter of one value"),
      KeyShape(
        "form", .map(key: .line(mayBeEmpty: false), .scalar(.template), count: JobShape.namesMax),
        "what is sent, as a form; `{name}` is one of the secrets, or a parameter of one value"),
      KeyShape(
        "body", .value, without: "nothing is sent but `basic`",
        "what is sent, as JSON, in place of `form`"),
      KeyShape(
        "basic", .text(.userAndPassword),
        "what is sent as HTTP Basic, beside `form` or `body`: `{id}:{key}`; `{id}:` has no password"
      ),
      KeyShape(
        "at", .text(.path), without: "access_token", "where the answer holds the access token"),
      KeyShape(
        "lasts", .text(.path), without: "expires_in, or until the API answers 401",
        "where it says for how many seconds the token is good, or for how long it is where no answer says (`1h`)"
      ),
      KeyShape(
        "rotates", .map(key: .name, .text(.path), count: 1...10),
        without: "each secret stays what it is",
        "secrets that are spent by their use, and where the answer holds the next one:"
          + " `{ refresh: \"refresh_token\" }`"),
      KeyShape(
        "login", .object(login), without: "all secrets are typed",
        "how a person lets the job in, once, with `trawl key JOB`: it brings the secret that is sent as"
          + " `refresh_token`, which rotates then"),
    ])

  private static let login = ObjectShape(
    "Login", "A login of a person, by OAuth. It goes over HTTPS.",
    [
      KeyShape(
        "grant", .text(.choice(TokenRequest.Login.Grant.allCases.map(\.rawValue))),
        isRequired: true,
        "`device`: the person enters a code on a page, on any machine; `browser`: a browser comes back to this machine with"
          + " a code (PKCE)"),
      KeyShape(
        "begins", .text(.tokenPlace), isRequired: true,
        "where it begins: the address of the codes, or of the page; or a path behind the base"),
      KeyShape(
        "with", .map(key: .queryName, .scalar(.template), count: JobShape.namesMax),
        "what is sent there as well: `{ scope: \"read offline_access\" }`"),
      KeyShape(
        "redirect", .text(.page), without: "`http://127.0.0.1/`, at a free port",
        "where the browser comes back to, if the API wants an address to the letter: `http://localhost:8085/back`"
      ),
    ])
}
