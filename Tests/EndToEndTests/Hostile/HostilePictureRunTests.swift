import Base
import TestSupport
import Testing

/// A host that sends anything but pictures, and URLs that lead where none may go, through the built
/// program. How an endless drip ends is tested beside the engine, where a minute is not waited for.
@Suite("Hostile pictures, through the program", .prompt)
struct HostilePictureRunTests {
  /// Of the program's own data; what is held back is far less than what is offered.
  private static let memoryMax = 160 << 20

  private static let notAllowed =
    "address not allowed (see media.allow, --allow-loopback)"
  private static let refusals = [
    "bomb": "too-many-bytes", "announced": "too-many-bytes", "unannounced": "too-many-bytes",
    "metadata": Self.notAllowed, "inner": Self.notAllowed,
    "file": "redirect not allowed", "circle": "tooManyHops", "page": "not-an-image",
    "drawing": "not-an-image", "empty": "empty", "cut": "cut", "gone": "status 404",
  ]

  private static func script(_ target: String, _ port: Int) -> RawServer.Script {
    func redirect(_ to: String) -> RawServer.Script {
      .whole(RawServer.reply([], ["Location: \(to)"], status: 302))
    }
    switch target.split(separator: "/").last ?? "" {
    case "good": return .whole(RawServer.reply(Picture.gif(1)))
    case "bomb": return .whole(RawServer.reply(GzipBomb.packed, ["Content-Encoding: gzip"]))
    case "announced":
      return .endless(
        head: Array("HTTP/1.1 200 -\r\nContent-Length: 10737418240\r\n\r\n".utf8),
        piece: Picture.endlessJPEG, pause: 1_000)
    case "unannounced":
      return .endless(
        head: Array("HTTP/1.1 200 -\r\nConnection: close\r\n\r\n".utf8) + Picture.endlessJPEG,
        piece: Array(repeating: 1, count: 60_000), pause: 100)
    case "metadata": return redirect("http://169.254.169.254/latest/meta-data/")
    case "inner": return redirect("http://localhost:\(port)/good")
    case "file": return redirect("file:///etc/passwd")
    case "circle": return redirect("/circle")
    case "page": return .whole(RawServer.reply(Array("<html>Log in</html>".utf8)))
    case "drawing":
      return .whole(RawServer.reply(Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8)))
    case "empty": return .whole(RawServer.reply([]))
    case "cut": return .whole(RawServer.reply(Picture.gif(2), length: 9_999))
    default: return .whole(RawServer.reply([], status: 404))
    }
  }

  /// A server that lists the URLs and answers what they lead to.
  private static func server(_ urls: @escaping @Sendable (Int) -> [String]) -> RawServer {
    let port = Locked(0)
    let server = RawServer { target in
      let port = port.withLock { $0 }
      guard target == "/v1/pictures" else { return script(target, port) }
      let items = urls(port).enumerated().map { "{\"id\":\($0),\"url\":\"\($1)\"}" }
      return .whole(RawServer.reply(Array("{\"items\":[\(items.joined(separator: ","))]}".utf8)))
    }
    port.withLock { $0 = server.port }
    return server
  }

  private static func job(_ server: RawServer, media: String) -> String {
    """
    {
      name: "wall", about: "pictures", base: "\(server.origin)/v1",
      media: { \(media) },
      streams: {
        pictures: {
          get: "/pictures", pages: { by: "single" }, records: "items", into: "pictures",
          key: ["id"], columns: { id: "id as integer", url: "url" }, media: { picture: "url" },
        },
      },
    }

    """
  }

  @Test("are each refused with their reason, with flat memory, and the walk is complete")
  func refused() async throws {
    let names = Self.refusals.keys.sorted() + ["good"]
    let server = Self.server { port in names.map { "http://127.0.0.1:\(port)/\($0)" } }
    defer { server.stop() }
    let home = Home()
    let job = home.write(
      Self.job(server, media: "file: \"1MB\", allow: [\"127.0.0.1\"]"), to: "wall.json5")
    let ended = await home.run(["run", job, "--data", home.data], memoryMax: Self.memoryMax)
    #expect(ended.status == 0 && !ended.wasSignalled, "\(ended.status) \(ended.errors)")
    let tables = Tables(home)
    #expect(try Set(tables.verdicts().values) == ["complete"])
    let rows = try tables.texts("SELECT url, reason FROM trawl_media_urls WHERE digest IS NULL")
    #expect(
      rows.sorted()
        == Self.refusals.map { "\(server.origin)/\($0)|\($1)" }.sorted())
    for (target, bytes) in server.bytesSent { #expect(bytes < 16 << 20, "\(target): \(bytes)") }
    #expect(server.bytesSent["/good"] != nil)
    try await KillTests.expectSoundFolder(home, afterKill: false)
    let report = await home.run(["report", "wall", "--data", home.data])
    #expect(report.output.holds("12 refused ("), "\(report.output)")
    #expect(report.output.holds("3 too-many-bytes"), "\(report.output)")
  }

  @Test(
    "names and addresses of this machine are asked for nothing but the pictures of an API that is here"
  )
  func addresses() async throws {
    let hosts = ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0x7f000001", "127.1"]
    let server = Self.server { port in
      hosts.map { "http://\($0):\(port)/good" }
        + ["http://169.254.169.254/latest/meta-data/", "http://10.0.0.1/a.gif"]
    }
    defer { server.stop() }
    let home = Home()
    let job = home.write(Self.job(server, media: ""), to: "wall.json5")
    let ended = await home.run(["run", job, "--data", home.data])
    #expect(ended.status == 0, "\(ended.status) \(ended.errors)")
    #expect(server.bytesSent.keys.sorted() == ["/good", "/v1/pictures"])
    #expect(
      try Tables(home).texts("SELECT url FROM trawl_media_urls WHERE digest IS NOT NULL")
        == ["\(server.origin)/good"])
    #expect(
      try Tables(home).texts("SELECT DISTINCT reason FROM trawl_media_urls WHERE digest IS NULL")
        == [Self.notAllowed])
    #expect(
      try Tables(home).count("SELECT count(*) FROM trawl_media_urls") == hosts.count + 2)
    // Where the person who starts it allows this machine, it alone is allowed.
    try Tables(home).letAskAgain()
    let allowed = await home.run(["run", job, "--data", home.data, "--allow-loopback"])
    #expect(allowed.status == 0, "\(allowed.status) \(allowed.errors)")
    #expect(
      try Tables(home).texts("SELECT url FROM trawl_media_urls WHERE digest IS NULL").filter {
        !$0.holds("[::")
      }.sorted() == ["http://10.0.0.1/a.gif", "http://169.254.169.254/latest/meta-data/"])
  }
}
