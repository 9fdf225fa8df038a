import Glibc
import TestSupport
import Testing

@Suite("A job behind access tokens", .prompt)
struct TokenRunTests {
  private let home = Home()

  @Test("requests one, and reads with it; nothing that is kept or printed holds a secret")
  func silent() async throws {
    let api = TokenAPI(.init(rotates: true, echo: "canary-id canary-key"))
    let job = api.shop(home, more: TokenAPI.rotating)
    let folder = "\(home.data)/recording"
    await home.run(
      api.arguments(home, job, ["--record", folder, "-v"]), ends: 0, without: "canary")
    #expect(api.given == 1)
    #expect(try home.count("shop_books") == 10)
    let ask = try #require(api.server.calls.first)
    #expect(ask.field("Accept") == "application/json" && ask.field("Authorization") == nil)
    let found = await home.shell("grep -rlaF canary \"$D\"")
    #expect(found.output.isEmpty, "\(found.output)")
    for command in ["check", "try"] {
      await home.trawl(
        command, job, "--send-key-to", api.origin, "--json", ends: 0, without: "canary")
    }
  }

  @Test("hides the tokens of an answer that brings one, and changes no record over its other words")
  func besideTokens() async throws {
    let api = TokenAPI(
      .init(
        echo: "approved, 604800 of canary-identity",
        more: "\"refresh_token_status\": \"approved\", \"refresh_token_expires_in\": \"604800\", "
          + "\"id_token\": \"canary-identity\""))
    let job = api.shop(home)
    await home.run(api.arguments(home, job), ends: 0)
    let titles = try home.tables.texts("SELECT DISTINCT title FROM shop_books")
    #expect(titles == ["approved, 604800 of *** ***"])
  }

  @Test("replays from a recording, which holds that a token came, and none")
  func replays() async throws {
    let api = TokenAPI(.init(rotates: true, servesMax: 3))
    let job = api.shop(home, more: TokenAPI.rotating)
    let folder = "\(home.scratch.path)/recording"
    await home.run(api.arguments(home, job, ["--record", folder]), ends: 0)
    api.server.stop()
    let kept = try StoredReport("shop", in: home).number("requests", "sent")
    let other = Home()
    await other.trawl("run", job, "--replay", folder, ends: 0)
    #expect(try other.count("shop_books") == 10)
    #expect(try StoredReport("shop", in: other).number("requests", "sent") == kept)
    #expect(kept == api.server.calls.count)
  }

  @Test(
    "gets another one where the API takes the first no more, and loses no page by it",
    arguments: [("{}", 401), ("{\"error\": \"invalid_token\"}", 400)] as [(String, Int)])
  func expires(refusal: String, status: Int) async throws {
    let api = TokenAPI(.init(servesMax: 2, refusal: (refusal, status)))
    let job = api.shop(home)
    await home.run(api.arguments(home, job), ends: 0)
    #expect(try home.count("shop_books") == 10)
    // Eight requests (an empty page, the page before the first, page 1 again), two with each token; each token but the
    // last is refused once.
    #expect(api.given == 4 && api.pageRequests == 11, "\(api.given), \(api.pageRequests)")
    #expect(api.spent == Array(repeating: "canary-refresh-0", count: 4))
  }

  @Test(
    "ends with 77 where the API refuses two of them, and asks for no third; no list has ended by it"
  )
  func refused() async throws {
    let api = TokenAPI(.init(refusesAll: true))
    let job = api.shop(home)
    await home.run(api.arguments(home, job), ends: 77, saying: "401")
    #expect(api.given == 2 && api.pageRequests == 2)
    #expect(try home.tables.texts("SELECT verdict FROM trawl_trust") == ["failed"])
  }

  @Test("may have it for its id and key alone, as Basic")
  func clientCredentials() async throws {
    let api = TokenAPI()
    let job = home.write(
      api.job(
        secrets: "id: \"shop-id $SHOP_ID\", key: \"shop-key $SHOP_KEY\"",
        form: "form: { grant_type: \"client_credentials\" }, "
          + "basic: \"{id}:{key}\","), to: "shop.json5")
    await home.run(api.arguments(home, job), ends: 77, saying: "trawl key")
    #expect(api.server.calls.isEmpty)
    await home.run(
      api.arguments(home, job), ["SHOP_ID": "canary-id", "SHOP_KEY": "canary-key"], ends: 0)
    #expect(api.given == 1)
    #expect(try home.count("shop_books") == 10)
  }

  @Test("sends its secrets to no server but the one that a person has confirmed, nor the token")
  func bound() async throws {
    let api = TokenAPI()
    let stranger = TokenAPI()
    api.keep(home)
    // One server's token for another's API, and the secrets to another server.
    let lured = home.write(api.job(base: stranger.origin), to: "shop.json5")
    home.makeFolder("\(home.scratch.path)/thief")
    let thief = home.write(stranger.job(base: api.origin), to: "thief/shop.json5")
    for job in [lured, thief] {
      let ended = await home.trawl("run", job, "--send-key-to", api.origin, without: "canary")
      #expect([0, 77].contains(ended.status), "\(ended.errors)")
    }
    #expect(!stranger.server.everythingHeard.holds("canary"))
    #expect(api.server.calls.isEmpty)
  }

  @Test("is told by trawl key which servers each of them is for")
  func keys() async throws {
    let api = TokenAPI()
    let text = api.job(base: "https://api.example.com")
      .pieces(around: "\(api.origin)/oauth").joined(separator: "https://auth.example.com/oauth")
    let job = home.write(text, to: "shop.json5")
    await home.shell(
      "printf 'a-id\\r\\na-key\\r\\na-refresh\\r\\n' | \"$T\" key \(job)", ends: 0,
      saying: "for https://auth.example.com alone, to request tokens of")
    #expect(
      Golden.read("\(home.settings)/trawl/keys/shop-refresh")
        == "a-refresh\norigin https://auth.example.com for tokens of https://api.example.com\n")
    await home.run(
      ["check", job, "--offline"], showing: "tokens go to https://api.example.com alone")
  }
}
