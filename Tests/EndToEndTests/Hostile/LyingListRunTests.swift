import Base
import TestSupport
import Testing

/// A sample of the answers that are no page, over real sockets and with the program as it was built.
@Suite("A run against an API that answers something else for one night")
struct LyingListRunTests {
  /// Those that are not retried for minutes; and 404, which rests for a day, is none of them.
  static let lies: [LyingList.Lie] = [
    .noContent, .partial, .emptyEnd, .emptyList, .message, .range, .nextElsewhere, .flag, .longer,
    .zeroTotal, .firstAgain, .twice, .reject, .sameKey,
  ]

  private static func job(_ list: LyingList) -> String {
    let pages =
      switch list.style {
      case .number: #"by: "number", to: "?page""#
      case .offset: #"by: "offset", to: "?skip""#
      case .token: #"by: "token", to: "?token", next: "next""#
      case .link: #"by: "link""#
      case .url: #"by: "url", next: "next""#
      }
    let total = list.total.map { #"total: "total \#($0)","# } ?? ""
    return """
      {
        name: "shop", about: "things", base: "\(list.base)",
        streams: {
          things: {
            get: "/things", records: "items", into: "things", key: ["id"],
            columns: { id: "id as integer", name: "name" },
            pages: { \(pages), size: "?size=\(LyingList.size)" },
            \(total) vanish: "\(list.total == .estimate ? "keep" : "mark")",
          },
        },
      }
      """
  }

  @Test("calls no part complete and nobody gone, and the next run heals it", arguments: lies)
  func nights(lie: LyingList.Lie) async throws {
    let place = LyingList.Lie.allCases.firstIndex(of: lie) ?? 0
    let style = LyingList.Style.allCases[place % LyingList.Style.allCases.count]
    let total = [nil, Total.Trust.counted, .estimate][place % 3]
    let night = Locked<LyingList.Night?>(nil)
    let origin = Locked("")
    let server = AnswerServer { call in
      let list = LyingList(style: style, total: total, base: origin.withLock { $0 })
      let query = call.target.split(separator: "?", maxSplits: 1).dropFirst().first.map(String.init)
      let reply = night.withLock { list.answer(query, &$0) }
      return AnswerServer.Reply(
        status: reply.status, fields: reply.fields.map { "\($0.0): \($0.1)" }, body: reply.body)
    }
    defer { server.stop() }
    origin.withLock { $0 = server.origin }
    let home = Home()
    let job = home.write(
      Self.job(LyingList(style: style, total: total, base: server.origin)), to: "shop.json5")
    var claims: [String] = []
    for number in 1...4 {
      night.withLock {
        $0 = number == 3 ? LyingList.Night(lie: lie, page: 1 + place % 3, isLasting: true) : nil
      }
      let ended = await home.run(["run", job, "--data", home.data, "--max-wait", "1s"])
      let tables = Tables(home)
      let claim = try tables.texts("SELECT verdict FROM trawl_trust")[0]
      claims.append(claim)
      #expect(
        try tables.texts("SELECT count(*) || '|' || count(vanished_at) FROM shop_things")
          == ["\(LyingList.count)|0"], "\(style) \(claims) \(ended.errors)")
      let keys = try tables.texts(
        "SELECT distinct_keys FROM trawl_certificates ORDER BY certificate DESC LIMIT 1")
      #expect(claim != "complete" || keys == ["\(LyingList.count)"], "\(style) \(claims)")
    }
    #expect(claims[1] == "complete", "\(style) \(claims)")
    #expect(["complete", "unproven"].contains(claims[3]), "\(style) \(claims)")
  }
}
