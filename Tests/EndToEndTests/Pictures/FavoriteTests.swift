import Glibc
import SandboxKit
import TestSupport
import Testing

@Suite("Favorites", .prompt)
struct FavoriteTests {
  private let home = Home()

  /// An id that is in neither list of a plain run.
  private static func unlisted(_ sandbox: Sandbox) throws -> String {
    let truth = try #require(sandbox.truth("giphy"))
    let listed = truth.lists.filter { $0.name != "trending_words" }.flatMap(\.keys)
    return try #require(truth.records.first { !listed.contains($0) })
  }

  @Test("are asked for by id when no list brings them, from before the first run on")
  func notYetStored() async throws {
    let sandbox = try Sandbox.changed { $0.giphy.gifs = 200 }
    let id = try Self.unlisted(sandbox)
    await home.trawl(
      "favorite", "add", "giphy", id, "nobodyKnowsThis", ends: 0,
      saying: "the next run of giphy requests it")
    await home.run(home.arguments(of: "giphy", sandbox), ends: 0)
    let asked = sandbox.requests(api: "giphy").map(\.target).filter { $0.holds("ids=") }
    #expect(asked.count == 1 && asked[0].holds(id), "\(asked)")
    #expect(try home.count("giphy_gifs WHERE id = '\(id)'") == 1)
    #expect(
      try home.tables.texts(
        "SELECT record_key, title IS NOT NULL, image_path IS NOT NULL, source FROM favorites "
          + "ORDER BY record_key = '\(id)' DESC")
        == ["\(id)|1|1|giphy", "nobodyKnowsThis|0|0|NULL"])
    // An omitted record is requested once more, in case that was a mistake; then not for a day.
    for count in [1, 0] {
      let mark = sandbox.lastRequest
      _ = await home.run(home.arguments(of: "giphy", sandbox))
      let again = sandbox.requests(api: "giphy", since: mark).map(\.target)
        .filter { $0.holds("ids=") }
      #expect(again.count == count, "\(again)")
      #expect(again.allSatisfy { $0.holds("nobodyKnowsThis") && !$0.holds(id) }, "\(again)")
    }
  }

  @Test("are added twice, removed twice, and listed, each time with what became of it")
  func addRemoveList() async throws {
    func favorite(_ words: String..., saying: String) async {
      await home.run(["favorite"] + words + ["--data", home.data], ends: 0, saying: saying)
    }
    await home.trawl("favorite", "remove", "giphy", "a", ends: 64)
    await favorite("add", "giphy", "a", saying: "giphy_gifs a: added")
    await favorite("add", "giphy_gifs", "a", saying: "giphy_gifs a: was one already")
    await favorite("add", "giphy_gifs", "a", "b", "a", saying: "giphy_gifs b: added")
    await favorite("add", "github", "583231", saying: "added")
    let key = #"["openmarket.yagom-academy.kr",5]"#
    await favorite("add", "openmarket", "5", saying: key)
    await favorite("add", "openmarket", key, saying: "was one already")
    let list = await home.trawl("favorite", "list")
    #expect(list.output.split(separator: "\n").count == 4, "\(list.output)")
    let json = await home.trawl("favorite", "list", "giphy", "--json")
    let lines = json.output.split(separator: "\n")
    #expect(lines.count == 2, "\(json.output)")
    #expect(lines[0].hasPrefix(#"{"schema":1,"table":"giphy_gifs","key":"a","added_at":""#))
    #expect(lines[0].hasSuffix(#","stored":false,"title":null,"link":null,"image_path":null}"#))
    await favorite("remove", "giphy", "a", saying: "giphy_gifs a: removed")
    await favorite("remove", "giphy", "a", saying: "giphy_gifs a: is not a favorite")
    #expect(try home.count("trawl_favorites") == 3)
  }

  @Test(
    "of an unknown table, or with a key that is none, change nothing",
    arguments: [
      ["giphi", "x"], ["github_user", "1"], ["github", "octocat"], ["github", "1.5"],
      ["giphy", ""],
      ["openmarket", "[1]"], ["openmarket", #"["h","x"]"#], ["openmarket", "x"],
      ["./none.json5", "1"],
    ])
  func refused(words: [String]) async throws {
    await home.run(["favorite", "add"] + words + ["--data", home.data], ends: 64)
    #expect(!home.holds(home.data))
  }

  @Test("may be added while a run is at work, which takes none of them away")
  func duringRun() async throws {
    let sandbox = try Sandbox.changed()
    sandbox.arm(ArmedFault(.stallHead, target: "/search?", count: 20))
    let run = home.start(home.arguments(of: "giphy", sandbox))
    try await until("the stall") { sandbox.isStalled }
    await home.trawl("favorite", "add", "giphy", "later", ends: 0, saying: "added")
    #expect(!run.hasEnded)
    run.kill()
    #expect(await run.end().wasSignalled)
    sandbox.disarm()
    await home.run(home.arguments(of: "giphy", sandbox), ends: 0)
    #expect(try home.tables.texts("SELECT record_key FROM favorites") == ["later"])
    #expect(sandbox.requests(api: "giphy").contains { $0.target.holds("ids=later") })
  }

  @Test("many processes at once lose none")
  func manyAtOnce() async throws {
    let sandbox = try Sandbox.changed()
    let run = home.start(home.arguments(of: "giphy", sandbox))
    let adding = (0..<8).map {
      home.start(["favorite", "add", "giphy", "k\($0)", "shared", "--data", home.data])
    }
    for process in adding {
      let ended = await process.end()
      #expect(ended.status == 0, "\(ended.errors)")
    }
    // Those added in time were requested, and none of them exists.
    #expect([0, 3].contains(await run.end().status))
    #expect(try home.count("trawl_favorites WHERE record_key LIKE 'k%'") == 8)
    #expect(try home.count("trawl_favorites") == 9)
  }

  @Test("stay when their records vanish from every list, and their images with them")
  func vanished() async throws {
    let sandbox = try Sandbox.changed()
    let run = home.arguments(of: "openmarket", sandbox)
    await home.run(run, ends: 0)
    let keys = try home.tables.texts("SELECT record_key FROM items")
    #expect(keys.count > 20)
    await home.run(["favorite", "add", "openmarket"] + keys + ["--data", home.data], ends: 0)
    sandbox.drift("openmarket", delete: 5)
    await home.run(run, ends: 0)
    #expect(try home.count("openmarket_products WHERE vanished_at IS NOT NULL") == 5)
    #expect(
      try home.tables.texts("SELECT count(*), count(source), count(image_path) FROM favorites")
        == ["\(keys.count)|\(keys.count)|\(keys.count)"])
  }

  @Test("stay when the records are forgotten, and bring back those that left the list by id")
  func forgotten() async throws {
    let sandbox = try Sandbox.changed()
    await home.run(home.arguments(of: "giphy", sandbox), ends: 0)
    let before = try #require(sandbox.truth("giphy")?.list("trending", of: "rating=g")).keys
    let keys = Set(before)
    await home.run(["favorite", "add", "giphy"] + before + ["--data", home.data], ends: 0)
    sandbox.drift("giphy", insert: 3, delete: 5)
    await home.trawl("reset", "records", "giphy", "--yes", ends: 0)
    let kept = "SELECT count(*), count(source), count(image_path) FROM favorites"
    #expect(try home.tables.texts(kept) == ["\(keys.count)|0|0"])
    await home.run(home.arguments(of: "giphy", sandbox), ends: 0)
    // The API still has them, by id.
    #expect(try home.tables.texts(kept) == ["\(keys.count)|\(keys.count)|\(keys.count)"])
  }
}
