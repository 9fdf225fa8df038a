import Base
@testable import Crawl
import SandboxKit
import TestSupport
@testable import Transport
import Testing

/// Whatever a host sends instead of a picture through the real network code is refused with its reason, in bounded time
/// and space, and does not affect the walk.
@Suite("A hostile host of pictures", .prompt)
struct HostilePictureTests {
  private let gallery = Gallery()

  /// The size limit of a picture here.
  private static let bytesMax = 1 << 20

  /// A small body that unpacks to a JPEG of 13 MB.
  private static let bomb = GzipPacker.packed(
    Picture.endlessJPEG + [UInt8](repeating: 0, count: 13_000_000))

  private static func redirect(_ target: String) -> [ScriptedServer.Act] {
    ScriptedServer.last([], ["Location: \(target)"], status: 302)
  }

  private static func script(_ call: ScriptedServer.Call) -> [ScriptedServer.Act] {
    switch call.path {
    case "/good.gif": return ScriptedServer.last(Picture.gif(1))
    case "/bomb.jpg": return ScriptedServer.last(bomb, ["Content-Encoding: gzip"])
    case "/announced.jpg":
      return [
        .text("HTTP/1.1 200 -\r\nContent-Length: 10737418240\r\n\r\n"),
        .endless(Picture.endlessJPEG, pause: 1_000),
      ]
    case "/unannounced.jpg":
      return [
        .send(Array("HTTP/1.1 200 -\r\nConnection: close\r\n\r\n".utf8) + Picture.endlessJPEG),
        .endless(Array(repeating: 1, count: 60_000), pause: 100),
      ]
    case "/drip.jpg":
      return [
        .send(
          Array("HTTP/1.1 200 -\r\nContent-Length: 100000\r\n\r\n".utf8) + Picture.endlessJPEG),
        .endless([1], pause: 20_000),
      ]
    case "/headers.jpg":
      return [.text("HTTP/1.1 200 -\r\n"), .endless(Array("X-A: b\r\n".utf8), pause: 20_000)]
    case "/metadata.jpg": return redirect("http://169.254.169.254/latest/meta-data/")
    case "/file.jpg": return redirect("file:///etc/passwd")
    case "/named.jpg":
      let port = call.origin.split(separator: ":").last ?? ""
      return redirect("http://inner.test:\(port)/good.gif")
    case "/circle.jpg": return redirect("/circle.jpg")
    case "/page.jpg": return ScriptedServer.last(Array("<html>Log in</html>".utf8))
    case "/drawing.jpg":
      return ScriptedServer.last(Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8))
    case "/empty.jpg": return ScriptedServer.last([])
    case "/cut.gif": return ScriptedServer.last(Picture.gif(2), length: 9_999)
    default: return ScriptedServer.last([], status: 404)
    }
  }

  /// Includes the remedy.
  private static let notAllowed = "address not allowed (see media.allow, --allow-loopback)"

  /// The reason for each refusal.
  private static let refusals = [
    "bomb.jpg": "too-many-bytes", "announced.jpg": "too-many-bytes",
    "unannounced.jpg": "too-many-bytes", "drip.jpg": "timed out", "headers.jpg": "timed out",
    "metadata.jpg": Self.notAllowed, "file.jpg": "redirect not allowed",
    "circle.jpg": "too many redirects", "page.jpg": "not-jpeg-png-gif-webp",
    "drawing.jpg": "not-jpeg-png-gif-webp",
    "empty.jpg": "empty", "cut.gif": "cut", "gone.jpg": "status 404",
  ]

  private static func exchange(_ overrides: [String] = []) throws -> CurlExchange {
    var options = TransportOptions(version: "tests")
    options.proxies = ProxySettings()
    options.resolveOverrides = overrides
    return try CurlExchange(options)
  }

  /// The list comes from memory, the pictures from the network.
  private func run(
    _ urls: [String], _ live: CurlExchange, allowsLoopback: Bool, _ media: MediaSettings,
    within time: Duration = .seconds(600)
  ) async throws -> (Gallery, Gallery.Left) {
    let gallery = Gallery()
    let album = Album(pages: [urls])
    let exchange = PartlyLive(album: album, live: live)
    var settings = media
    settings.fileBytesMax = Self.bytesMax
    // The transport's sockets are real, and so is its time.
    let left = try await gallery.run(gallery.job(media: settings), exchange, time: .live) {
      $0.allowsLoopback = allowsLoopback
      $0.imageTimes.stallTimeout = .seconds(600)
      $0.imageTimes.totalTimeout = time
      $0.imagesAtOnce = 16
    }
    return (gallery, left)
  }

  @Test("is refused, each with its reason")
  func reasons() async throws {
    let server = ScriptedServer { Self.script($0) }
    defer { server.stop() }
    let live = try Self.exchange()
    // Endless answers have a time limit, which slow machines must not meet with the others.
    let endless = Self.refusals.filter { $0.value == "timed out" }.keys.sorted()
    let names = Self.refusals.keys.filter { !endless.contains($0) }.sorted() + ["good.gif"]
    let (gallery, left) = try await run(
      names.map { "\(server.origin)/\($0)" }, live, allowsLoopback: true, MediaSettings())
    let (waiting, late) = try await run(
      endless.map { "\(server.origin)/\($0)" }, live, allowsLoopback: true, MediaSettings(),
      within: .seconds(2))
    await live.close()
    #expect(late.verdicts == [.unproven] && late.images.fromNetwork == 0)
    #expect(
      try waiting.rows("SELECT reason FROM trawl_media_urls") == ["timed out", "timed out"])
    #expect(left.verdicts == [.unproven])
    #expect(left.facts.outcome.kinds == [.asDeclared])
    #expect(left.images.fromNetwork == 1)
    let rows = try gallery.rows("SELECT url, reason FROM trawl_media_urls")
    #expect(rows.count == names.count)
    for row in rows {
      let parts = row.split(separator: "|").map(String.init)
      let name = parts[0].split(separator: "/").last.map(String.init) ?? ""
      #expect(parts[1] == Self.refusals[name] ?? "NULL", "\(name)")
    }
    #expect(
      try gallery.rows(
        "SELECT DISTINCT status FROM trawl_media_urls "
          + "WHERE reason IN ('not-jpeg-png-gif-webp', 'empty')")
        == ["200"])
    // Bounded by what was read, not by what was offered.
    for (target, bytes) in server.bytesSent { #expect(bytes < 16 << 20, "\(target): \(bytes)") }
    #expect(server.bytesSent["/circle.jpg"] != nil)
    #expect(gallery.files().count == 1)
    #expect(try gallery.isSound())
  }

  @Test("a public name that leads to this machine is refused at the connection, on each hop")
  func names() async throws {
    let server = ScriptedServer { Self.script($0) }
    defer { server.stop() }
    let overrides = ["inner.test", "outer.test", "mapped.test"].map {
      "\($0):\(server.port):\($0 == "mapped.test" ? "::ffff:127.0.0.1" : "127.0.0.1")"
    }
    let urls =
      ["inner.test", "mapped.test", "127.0.0.1", "[::1]", "0x7f000001", "localhost"].map {
        "http://\($0):\(server.port)/good.gif"
      } + ["http://169.254.169.254/latest/", "file:///etc/passwd", "ftp://img.example/a.gif"]
    let live = try Self.exchange(overrides)
    let (gallery, left) = try await run(urls, live, allowsLoopback: false, MediaSettings())
    await live.close()
    #expect(left.images.fromNetwork == 0)
    #expect(server.bytesSent == [:])
    let rows = try gallery.rows("SELECT url, reason FROM trawl_media_urls")
    #expect(rows.count == urls.count)
    for row in rows {
      let isAddress = row.hasPrefix("http:")
      #expect(
        row.hasSuffix(isAddress ? "|\(Self.notAllowed)" : "|not a URL that can be fetched"),
        "\(row)")
    }
    // A host that the job allows may be anywhere; its redirects may not.
    let again = try Self.exchange(overrides)
    let (_, allowed) = try await run(
      ["good.gif", "named.jpg"].map { "http://outer.test:\(server.port)/\($0)" }, again,
      allowsLoopback: false, MediaSettings(allow: ["outer.test"]))
    await again.close()
    #expect(allowed.images.fromNetwork == 1)
    #expect(allowed.images.refused == [Self.notAllowed: 1])
  }

  @Test("an API on this machine has its own pictures there, and no others")
  func ownPictures() async throws {
    let servers = [0, 1].map { _ in ScriptedServer { _ in ScriptedServer.last(Picture.gif(1)) } }
    defer { servers.forEach { $0.stop() } }
    let live = try Self.exchange()
    let album = Album(pages: [servers.map { "\($0.origin)/good.gif" }])
    let exchange = PartlyLive(album: album, live: live)
    let job = try gallery.job(base: "\(servers[0].origin)/v1")
    // The transport's sockets are real, and so is its time.
    let left = try await gallery.run(job, exchange, time: .live)
    await live.close()
    #expect(left.images.fromNetwork == 1)
    #expect(left.images.refused == [Self.notAllowed: 1])
    #expect(servers[1].bytesSent == [:])
  }

  @Test("pictures that never come do not stand before the pages of the same host")
  func sameHost() async throws {
    let server = ScriptedServer { call in
      guard call.target.hasPrefix("/v1/pictures") else { return [.hold] }
      let page = call.target.split(separator: "=").last.flatMap { Int($0) } ?? 0
      let items = (0..<10).map { #"{"id":\#(page * 10 + $0),"url":"/\#(page)-\#($0).gif"}"# }
      let next = page < 19 ? "\"\(page + 1)\"" : "null"
      return ScriptedServer.last(
        Array(#"{"items":[\#(items.joined(separator: ","))],"next":\#(next)}"#.utf8))
    }
    defer { server.stop() }
    let live = try Self.exchange()
    let left = try await gallery.run(
      // As above.
      gallery.job(base: "\(server.origin)/v1"), live, time: .live
    ) {
      $0.allowsLoopback = true
      $0.imageTimes.totalTimeout = .milliseconds(1_500)
      $0.imagesAtOnce = 16
    }
    await live.close()
    #expect(left.verdicts == [.unproven])
    #expect(left.facts.requests.sent == 20 && left.facts.requests.retried == 0)
    #expect(left.images.fromNetwork == 0)
  }
}

/// The list comes from the script, everything else from the network.
private struct PartlyLive: Exchange {
  let album: Album
  let live: CurlExchange

  func send(
    _ request: Request, into sink: (any BodySink)?
  ) async throws(ExchangeFailure) -> Answer {
    if let page = album.page(request) { return page }
    return try await live.send(request, into: sink)
  }
}
