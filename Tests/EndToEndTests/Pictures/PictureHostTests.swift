import Glibc
import TestSupport
import Testing

/// A job with the test's own pictures, and their host.
@Suite("A host of pictures", .prompt)
struct PictureHostTests {
  private let home = Home()

  /// Two pictures for each record, the second from the first of two places that has it.
  private static func job(_ origin: String, allow: String = "") -> String {
    """
    {
      name: "wall", about: "pictures", base: "\(origin)/v1", media: { \(allow) },
      streams: {
        pictures: {
          get: "/pictures", pages: { by: "single" }, records: "items", into: "pictures",
          key: ["id"],
          columns: {
            id: "id as integer", front_url: "front as url", back_url: "back | other as url",
          },
          media: { front: "front_url", back: "back_url" },
          items: { title: "id", image: "front_url" },
        },
      },
    }

    """
  }

  /// A small GIF with its target as a comment.
  private static func gif(_ target: String) -> [UInt8] {
    let name = Array(target.utf8.prefix(200))
    return Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 255, 255, 255, 0, 0, 0]
      + [0x21, 0xFE, UInt8(name.count)] + name + [0]
      + [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3B]
  }

  private static func list(_ records: [[String: String]]) -> AnswerServer.Reply {
    let items = records.enumerated().map { number, record in
      let members = record.map { ",\"\($0)\":\"\($1)\"" }.joined()
      return "{\"id\":\(number)\(members)}"
    }
    return .json("{\"items\":[\(items.joined(separator: ","))]}")
  }

  private static func server(
    _ records: @escaping @Sendable (String) -> [[String: String]]
  ) -> AnswerServer {
    AnswerServer { call in
      if call.target == "/v1/pictures" { return list(records(call.origin)) }
      return AnswerServer.Reply(fields: ["Content-Type: image/gif"], body: gif(call.target))
    }
  }

  /// Each requested target, with the comment of the stored file.
  private static func contents(_ home: Home, _ origin: String) throws -> [String: String] {
    var found: [String: String] = [:]
    for row in try home.tables.texts(
      "SELECT url, path FROM trawl_media_urls JOIN trawl_media USING (digest)")
    {
      let parts = row.pieces(around: "|media/")
      found[parts[0].pieces(around: origin).joined()] = try comment(
        of: "\(home.data)/media/\(parts[1])")
    }
    return found
  }

  private static func comment(of path: String) throws -> String {
    let bytes = try #require(Golden.bytes(path), "\(path)")
    try #require(bytes.count > 22)
    return String(decoding: bytes[22..<22 + Int(bytes[21])], as: UTF8.self)
  }

  @Test("URLs that look alike lead to contents of their own")
  func alike() async throws {
    let alike = [
      "/one/840_560.jpeg", "/two/840_560.jpeg", "/84/0_560.jpeg", "/840_/560.jpeg",
      "/840_560.jpeg", "/840_560.jpeg?v=1", "/840_560.jpeg?v=2", "/840_560.JPEG", "/840_560.jpeg/",
      "/%C3%A9.gif", "/e%CC%81.gif",
    ]
    let server = Self.server { origin in alike.map { ["front": origin + $0] } }
    let job = home.write(Self.job(server.origin), to: "wall.json5")
    await home.trawl("run", job, "--allow-loopback", ends: 0)
    let found = try Self.contents(home, server.origin)
    #expect(found == Dictionary(uniqueKeysWithValues: alike.map { ($0, $0) }))
    #expect(try home.count("trawl_media") == alike.count)
    try await KillTests.expectSoundFolder(home, afterKill: false)
    #expect(try home.tables.count("SELECT count(DISTINCT image_path) FROM items") == alike.count)
  }

  @Test("one URL in ten records and two roles is one request, with nothing secret in it")
  func once() async throws {
    let server = Self.server { origin in
      (0..<10).map { number in
        number % 2 == 0
          ? ["front": "\(origin)/a.gif", "other": "\(origin)/b.gif"]
          : ["front": "\(origin)/a.gif", "back": "\(origin)/c.gif", "other": "\(origin)/no.gif"]
      }
    }
    let text = Self.job(server.origin).pieces(around: "streams:").joined(
      separator: "auth: { to: \"header:X-Key\", secret: \"wall-key $WALL_KEY\" }, streams:")
    let job = home.write(text, to: "wall.json5")
    let arguments = [
      "run", job, "--data", home.data, "--allow-loopback", "--send-key-to", server.origin,
    ]
    await home.run(arguments, ["WALL_KEY": "canary-4711"], ends: 0)
    let pictures = server.calls.filter { $0.target != "/v1/pictures" }
    #expect(pictures.map(\.target).sorted() == ["/a.gif", "/b.gif", "/c.gif"])
    #expect(server.calls.contains { $0.field("X-Key") == "canary-4711" })
    for call in pictures {
      #expect(!call.head.holds("canary"))
      for name in ["X-Key", "Authorization", "Cookie", "Referer"] {
        #expect(call.field(name) == nil, "\(name)")
      }
    }
    await home.trawl("report", "wall", showing: "images: 3 new", "17 met before in this run")
    await home.run(arguments, ["WALL_KEY": "canary-4711"], ends: 0)
    #expect(server.calls.count { $0.target != "/v1/pictures" } == 3)
    await home.trawl(
      "report", "wall", showing: "images: 0 new, 0 bytes, 3 here already, 17 met before")
  }

  @Test("URLs without a scheme, with blanks, bars and broken escapes are asked, or refused by name")
  func odd() async throws {
    let server = Self.server { origin in
      let host = origin.pieces(around: "http:").joined()
      return [
        ["front": "\(host)/bare.gif"], ["front": "\(origin)/a b|c.gif"],
        ["front": "\(origin)/50%.gif"], ["front": "\(origin)/r?u=\(origin)/in.gif"],
        ["front": "\(origin)/한글.gif"], ["front": "data:image/gif;base64,R0lGOD"],
        ["front": "javascript:alert(1)"], ["front": "ftp://img.example/a.gif"],
      ]
    }
    // As text, a URL without a scheme gets the API's; as `url` it would get https.
    let text = Self.job(server.origin).pieces(around: "front as url").joined(separator: "front")
    let job = home.write(text, to: "wall.json5")
    let ended = await home.trawl("run", job, "--allow-loopback")
    #expect(ended.status == 0 || ended.status == 3, "\(ended.status) \(ended.errors)")
    let asked = Set(server.calls.map(\.target)).subtracting(["/v1/pictures"])
    #expect(
      asked == [
        "/bare.gif", "/a%20b%7Cc.gif", "/50%25.gif", "/r?u=\(server.origin)/in.gif",
        "/%ED%95%9C%EA%B8%80.gif",
      ], "\(asked.sorted())")
    #expect(try home.count("trawl_media") == 5)
    #expect(try home.count("wall_pictures") == 8)
  }
}
