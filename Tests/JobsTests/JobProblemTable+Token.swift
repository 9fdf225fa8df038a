/// Mistakes in access tokens.
extension JobProblemTable {
  /// A job whose `auth` is this but for the replaced text.
  private static func changed(_ sound: String) -> @Sendable (String, String, String) -> Row {
    { old, new, told in
      precondition(sound.ranges(of: old).count == 1, "\(old) is no part of it")
      return Row("name: \"books\",", "name: \"books\", " + sound.replacing(old, with: new), told)
    }
  }

  private static let auth = changed(
    "auth: { to: \"header:K\", secret: { id: \"i\", key: \"k\" }, token: { post: \"/token\", "
      + "form: { client_id: \"{id}\", client_secret: \"{key}\" } } },")

  private static let login = changed(
    "auth: { to: \"header:K\", secret: { refresh: \"r\" }, token: { post: \"/token\", form: { client_id: \"me\", "
      + "refresh_token: \"{refresh}\" }, login: { grant: \"browser\", begins: \"/page\" } } },")

  static let logins = read(
    #"""
    client_id: "me", refresh_token ⟶ refresh_token
      2:138: a login says whose it is: token needs client_id, or "basic"
    refresh_token: "{refresh}" ⟶ refresh_token: "x{refresh}"
      2:156: a login brings what "form" sends as "refresh_token": add refresh_token: "{refresh}",
        and refresh: "NAME" to "secret"
    begins: "/page" ⟶ begins: "/page", with: { scope: "{refresh}", x: "{who}" }
      2:75: nothing fills {who}: no secret and no parameter has that name; known here: refresh,
        topic
      2:207: {refresh} is a secret, and a login shows what it is sent with
    begins: "/page" ⟶ begins: "/page", redirect: "https://localhost:8085/"
      2:202: "redirect" is an http address of this machine, and of grant: "browser"
    grant: "browser" ⟶ grant: "device", redirect: "http://localhost:8085/"
      2:184: "redirect" is an http address of this machine, and of grant: "browser"
    grant: "browser", begins: "/page" ⟶ grant: "password"
      2:155: login needs "begins": where it begins: the address of the codes, or of the page
      2:164: grant: "password" is not known here; known here: device, browser
    login: { ⟶ rotates: { other: "refresh_token" }, login: {
      2:157: what a login brings rotates, "refresh"; leave "rotates" out
      2:166: there is no secret "other"; known here: refresh
    """#, login)

  static let tokens = read(
    #"""
    secret: { id: "i", key: "k" }, token ⟶ secret: "i", token
      2:50: with "token", "secret" is an object: what it is requested with, by the names of its
        holes
      2:62: nothing fills {id}: no secret and no parameter has that name; known here: topic
      2:62: nothing fills {key}: no secret and no parameter has that name; known here: topic
    key: "k" } ⟶ key: "k", refresh: "r" }
      2:80: the secret "refresh" is sent nowhere: token has no {refresh}
    "{key}" ⟶ "s3cret"
      2:66: the secret "key" is sent nowhere: token has no {key}
      2:140: a job file never holds a secret: name it under "secret" and write "{name}" here
    id: "i" ⟶ id: {}
      2:56: "id" must be the name of a secret, and a variable that may hold it ("shop-key
        $SHOP_KEY"), not an object
    id: "i" ⟶ topic: "t", id: "i"
      2:59: "topic" is a parameter already; give this secret another name
      2:59: the secret "topic" is sent nowhere: token has no {topic}
    post: "/token" ⟶ post: "/token?grant=x"
      2:88: post: a path has no '?' or '#'; parameters belong under query
    post: "/token", form: { client_id: "{id}", client_secret: "{key}" } ⟶ post: "/token"
      2:56: the secret "id" is sent nowhere: token has no {id}
      2:66: the secret "key" is sent nowhere: token has no {key}
      2:80: token sends nothing: add "form", "body" or "basic"
    post: "/token" ⟶ rotates: { kee: "refresh_token" }, post: "/token"
      2:98: there is no secret "kee"; did you mean "key"?
    post: "/token" ⟶ rotates: { key: "key", id: "id" }, post: "/token"
      2:109: one secret rotates: "key"; leave "id" out
    token: { ⟶ tokens: {
      2:50: several secrets are only for requesting a token: add "token"
      2:73: unknown key "tokens"; did you mean "token"?
    """#, auth)
}
