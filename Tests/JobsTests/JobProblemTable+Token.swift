/// Slips around access tokens.
extension JobProblemTable {
  /// `auth` of a job that is sound but for what is replaced here.
  private static func auth(_ old: String, _ new: String, _ told: String) -> Row {
    let sound =
      "auth: { to: \"header:K\", secrets: { id: \"i\", key: \"k\" }, token: { post: \"/token\", "
      + "form: { client_id: \"{id}\", client_secret: \"{key}\" } } },"
    precondition(sound.ranges(of: old).count == 1, "\(old) is no part of it")
    return Row("name: \"books\",", "name: \"books\", " + sound.replacing(old, with: new), told)
  }

  /// Of a job whose login is sound but for what is replaced here.
  private static func login(_ old: String, _ new: String, _ told: String) -> Row {
    let sound =
      "auth: { to: \"header:K\", secrets: { refresh: \"r\" }, token: { post: \"/token\", form: { client_id: \"me\", "
      + "refresh_token: \"{refresh}\" }, login: { grant: \"browser\", begins: \"/page\" } } },"
    precondition(sound.ranges(of: old).count == 1, "\(old) is no part of it")
    return Row("name: \"books\",", "name: \"books\", " + sound.replacing(old, with: new), told)
  }

  static let logins: [Row] = [
    login(
      #"client_id: "me", "#, "",
      #"2:139: a login says whose it is: token needs client_id, or "basic""#),
    login(
      #"refresh_token: "{refresh}""#, #"refresh_token: "x{refresh}""#,
      #"2:157: a login brings what "form" sends as "refresh_token": add refresh_token: "#
        + #""{refresh}", and refresh: "NAME" to "secrets""#),
    login(
      #"begins: "/page""#, #"begins: "/page", with: { scope: "{refresh}", x: "{who}" }"#,
      """
      2:76: nothing fills {who}: no secret and no parameter has that name; known here: refresh, \
      topic
      2:208: {refresh} is a secret, and a login shows what it is sent with
      """),
    login(
      #"begins: "/page""#, #"begins: "/page", redirect: "https://localhost:8085/""#,
      #"2:203: "redirect" is an http address of this machine, and of grant: "browser""#),
    login(
      #"grant: "browser""#, #"grant: "device", redirect: "http://localhost:8085/""#,
      #"2:185: "redirect" is an http address of this machine, and of grant: "browser""#),
    login(
      #"grant: "browser", begins: "/page""#, #"grant: "password""#,
      """
      2:156: login needs "begins": where it begins: the address of the codes, or of the page; or \
      a path behind the base
      2:165: grant: "password" is not known here; known here: device, browser
      """),
    login(
      "login: {", #"rotates: { other: "refresh_token" }, login: {"#,
      """
      2:158: what a login brings rotates, "refresh"; leave "rotates" out
      2:167: there is no secret "other"; known here: refresh
      """),
  ]

  static let tokens: [Row] = [
    auth(
      #"to: "header:K", "#, #"to: "header:K", secret: "shop", "#,
      #"2:50: with "token", "secrets" names what it is requested with"#),
    auth(
      #"secrets: { id: "i", key: "k" }, "#, "",
      """
      2:24: "token" needs "secrets": what it is requested with, by the names of its holes
      2:49: nothing fills {id}: no secret and no parameter has that name; known here: topic
      2:49: nothing fills {key}: no secret and no parameter has that name; known here: topic
      """),
    auth(
      #"key: "k" }"#, #"key: "k", refresh: "r" }"#,
      #"2:81: the secret "refresh" is sent nowhere: token has no {refresh}"#),
    auth(
      #""{key}""#, #""s3cret""#,
      """
      2:67: the secret "key" is sent nowhere: token has no {key}
      2:141: a job file never holds a secret: name it under "secrets" and write "{name}" here
      """),
    auth(
      #"id: "i""#, "id: {}",
      #"2:57: "id" must be the name of a secret, and a variable that may hold it ("shop-key "#
        + #"$SHOP_KEY"), not an object"#),
    auth(
      #"id: "i""#, #"topic: "t", id: "i""#,
      """
      2:60: "topic" is a parameter already; give this secret another name
      2:60: the secret "topic" is sent nowhere: token has no {topic}
      """),
    auth(
      #"post: "/token""#, #"post: "/token?grant=x""#,
      "2:89: post: a path has no '?' or '#'; parameters belong under query"),
    auth(
      #", form: { client_id: "{id}", client_secret: "{key}" }"#, "",
      """
      2:57: the secret "id" is sent nowhere: token has no {id}
      2:67: the secret "key" is sent nowhere: token has no {key}
      2:81: token sends nothing: add "form", "body" or "basic"
      """),
    auth(
      #"post: "/token""#, #"rotates: { kee: "refresh_token" }, post: "/token""#,
      #"2:99: there is no secret "kee"; did you mean "key"?"#),
    auth(
      #"post: "/token""#, #"rotates: { key: "key", id: "id" }, post: "/token""#,
      #"2:110: one secret rotates: "key"; leave "id" out"#),
    auth(
      #"to: "header:K""#, #"to: "header:K", prefix: "Bearer""#,
      #"2:50: the secret would follow "Bearer" without a blank; write "Bearer ""#),
    auth(
      "token: {", "tokens: {",
      """
      2:24: auth needs "secret": its name: a file of that name in the folders for keys; behind it \
      an environment variable that may hold it: `shop-key $SHOP_KEY`
      2:51: "secrets" are what a token is requested with; add "token"
      2:74: unknown key "tokens"; did you mean "token"?
      """),
  ]
}
