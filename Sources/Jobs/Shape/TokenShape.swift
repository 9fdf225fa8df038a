/// The keys of secrets that are exchanged for an access token.
enum TokenShape {
  static let secret = ObjectShape(
    "Secret", "One of the secrets that a token is requested with.",
    [
      KeyShape(
        "secret", .text(.secretName), without: "the job's name, a hyphen and the hole's",
        "its name: a file of that name in the folders for keys"),
      KeyShape("env", .text(.environmentName), "an environment variable that may hold it"),
      KeyShape("get", .text(.page), "where a person gets one"),
    ])

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
        "what is sent, as a form; `{name}` is a secret of `secrets`, or a parameter of one value"),
      KeyShape(
        "body", .value(.body), without: "nothing is sent but `basic`",
        "what is sent, as JSON, in place of `form`"),
      KeyShape(
        "basic", .object(pair), "what is sent as HTTP Basic, beside `form` or `body`"),
      KeyShape(
        "at", .text(.path), without: "access_token", "where the answer holds the access token"),
      KeyShape(
        "lasts", .text(.path), without: "expires_in",
        "where it says for how many seconds the token is good"),
      KeyShape(
        "life", .text(.duration), without: "until the API answers 401",
        "how long it is good where the answer does not say"),
      KeyShape(
        "rotates", .map(key: .name, .text(.path), count: 1...10),
        without: "each secret stays what it is",
        "secrets that are spent by their use, and where the answer holds the next one:"
          + " `{ refresh: \"refresh_token\" }`"),
    ])

  private static let pair = ObjectShape(
    "Pair", "A user and a password.",
    [
      KeyShape(
        "user", .text(.template), isRequired: true, "the user's name, or the client's: `{id}`"),
      KeyShape("password", .text(.template), without: "none", "its password: `{key}`"),
    ])
}
