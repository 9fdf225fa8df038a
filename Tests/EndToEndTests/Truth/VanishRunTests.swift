import Base
import SandboxKit
import TestSupport
import Testing

@Suite("Who left a list", .prompt)
struct VanishRunTests {
  private static let gone = "FROM github_follows WHERE vanished_at IS NOT NULL"

  /// A sandbox in which the newest follower of one user follows another one as well.
  private func sandboxWithCommon() throws -> (Sandbox, common: String) {
    for seed in UInt64(1)...200 {
      let sandbox = try Sandbox.small(seed: seed)
      let truth = sandbox.truth("github")
      let first = truth?.list("followers", of: "octocat")?.keys.first
      let others = truth?.list("followers", of: "hubot")?.keys ?? []
      if let first, others.contains(first) { return (sandbox, first) }
      sandbox.stop()
    }
    throw NoCommonFollower()
  }

  private struct NoCommonFollower: Error {}

  @Test("of two users with a common follower is one mark, and the person stays")
  func common() async throws {
    let (sandbox, common) = try sandboxWithCommon()
    defer { sandbox.stop() }
    let home = Home()
    let arguments = home.arguments(
      "github", sandbox, ["--set", "user=octocat", "--set", "user=hubot"])
    await home.run(arguments, ends: 0)
    #expect(try Tables(home).count("SELECT count(*) \(Self.gone)") == 0)
    sandbox.drift("github", delete: 1, list: "followers/octocat")
    await home.run(arguments, ends: 0)
    #expect(try Tables(home).texts("SELECT follower_id \(Self.gone)") == [common])
    #expect(
      try Tables(home).count("SELECT count(*) FROM github_users WHERE vanished_at IS NOT NULL")
        == 0)
    await home.run(arguments, ends: 0)
    #expect(try Tables(home).texts("SELECT follower_id \(Self.gone)") == [common])
    let proved = await home.run(["prove", "--data", home.data])
    #expect(proved.status == 0, "\(proved.everything)")
  }

  // MARK: an API that has lost its way

  enum Slip: String, CaseIterable, CustomTestStringConvertible {
    case empty, half, errorInTheMiddle, cutOff
    var testDescription: String { rawValue }
  }

  private static let size = 10

  private static func reply(_ call: AnswerServer.Call, _ count: Int, _ slip: Slip?)
    -> AnswerServer.Reply
  {
    let query = call.target.split(separator: "?").last ?? ""
    let asked =
      query.split(separator: "&").first { $0.hasPrefix("page=") }.flatMap { Int($0.dropFirst(5)) }
    let page = max(1, asked ?? 1)
    var shown = Array(1...count)
    switch slip {
    case .empty: shown = []
    case .half: shown = Array(shown.prefix(count / 2))
    case .errorInTheMiddle where page == 3: return .json(#"{"message": "oops"}"#, status: 400)
    case .cutOff where page == 3:
      var cut = AnswerServer.Reply.json(#"{"items": [{"id": 1"#)
      cut.fields.append("Retry-After: 0")
      return cut
    default: break
    }
    let items = shown.dropFirst((page - 1) * size).prefix(size)
    let list = items.map { #"{"id": \#($0), "name": "n\#($0)"}"# }.joined(separator: ", ")
    return .json(#"{"items": [\#(list)], "more": \#(shown.count > page * size)}"#)
  }

  private static func job(_ server: AnswerServer) -> String {
    """
    {
      name: "shop", about: "a list that may vanish", base: "\(server.origin)",
      streams: {
        things: {
          about: "things", get: "/things",
          pages: { by: "number", to: "?page", size: "?size=\(size)",
            more: "more" },
          records: "items", into: "things", key: ["id"],
          columns: { id: "id as integer", name: "name" },
          vanish: "mark",
        },
      },
    }
    """
  }

  @Test(
    "is nobody when an API answers with nothing, with half, or with an error in the middle",
    arguments: Slip.allCases)
  func slips(slip: Slip) async throws {
    let now = Locked<Slip?>(nil)
    let server = AnswerServer { call in Self.reply(call, 50, now.withLock { $0 }) }
    defer { server.stop() }
    let home = Home()
    let job = home.write(Self.job(server), to: "shop.json5")
    let arguments = ["run", job, "--data", home.data, "--allow-loopback", "--max-wait", "0s"]
    await home.run(arguments, ends: 0)
    let present = "SELECT count(*) FROM shop_things WHERE vanished_at IS NULL"
    #expect(try Tables(home).count(present) == 50)
    now.withLock { $0 = slip }
    let second = await home.run(arguments + (slip == .cutOff ? ["--max-requests", "4"] : []))
    #expect(try Tables(home).count(present) == 50, "\(second.errors)")
    switch slip {
    case .empty:
      #expect(second.errors.holds("--accept-vanish 50"), "\(second.errors)")
      let less = await home.run(arguments + ["--accept-vanish", "49"])
      #expect(try Tables(home).count(present) == 50, "\(less.errors)")
      let all = await home.run(arguments + ["--accept-vanish", "50"])
      #expect(try Tables(home).count(present) == 0, "\(all.errors)")
    case .half:
      // Once is no proof. Twice is one, and then the bound holds. It is said once by the exit code, and each
      // night by the verdict; and nobody quotes such a list.
      #expect(!second.errors.holds("--accept-vanish"), "\(second.errors)")
      #expect(second.status == 3, "\(second.errors)")
      let twice = await home.run(arguments)
      #expect(try Tables(home).count(present) == 50, "\(twice.errors)")
      #expect(twice.errors.holds("--accept-vanish 25"), "\(twice.errors)")
      #expect(twice.status == 0, "\(twice.errors)")
      #expect(try Tables(home).verdicts()["things"] == "incomplete")
      #expect(await home.run(arguments).status == 0)
      let cited = await home.run(["prove", "--data", home.data, "--cite"])
      #expect(cited.output == "" && cited.errors.holds("things is not cited: 25 rows"))
      #expect(cited.errors.holds("trawl run shop --accept-vanish 25"), "\(cited.errors)")
      let accepted = await home.run(arguments + ["--accept-vanish", "25"], ends: 0)
      #expect(try Tables(home).count(present) == 25, "\(accepted.errors)")
      let again = await home.run(["prove", "--data", home.data, "--cite"])
      #expect(again.output.holds("25 rows, complete"), "\(again.output)")
    case .errorInTheMiddle, .cutOff: #expect(second.status != 0)
    }
    now.withLock { $0 = nil }
    await home.run(arguments, ends: 0)
    #expect(try Tables(home).count(present) == 50, "what is back is no longer marked")
  }
}
