internal import Base

/// Images below `/media`: those that the records of the APIs point at, and sets of its own that
/// show every way in which an image goes wrong.
final class MediaDialect: Dialect {
  let name = "media"
  private let setting: DialectSetting
  private let library: MediaLibrary

  static let entry = DialectTable.Entry(
    name: "media", about: "images: PNG, JPEG, GIF with ETag, Last-Modified and 304",
    paths: [
      ("/{set}/{key}", "the images that records point at; u is GitHub's avatars"),
      ("/alike/...", "URLs that look alike and are not: " + alike.prefix(4).joined(separator: " ")),
      ("/same/{a,b,c}.png", "equal bytes under three URLs"),
      ("/trouble/missing.png", "404 with an image as its body"),
      ("/trouble/html.png", "200 and image/png over a page of HTML"),
      ("/trouble/cut.jpeg", "shorter than its Content-Length"),
      ("/trouble/truncated.gif", "a file without its second half, whole as an answer"),
      ("/trouble/slow.png", "in 100 pieces, 100 ms apart"),
      ("/trouble/empty.png", "200 without a byte"),
      ("/trouble/denied.png", "403 with a body of XML"),
      ("/trouble/huge.png", "an image of 12 MB"),
      ("/trouble/mislabelled.png", "a JPEG that calls itself image/png"),
    ],
    make: { MediaDialect($0) })

  /// Names that a store keyed by the last component, by the joined components or without the query
  /// takes for one another; all bytes differ.
  static let alike = [
    "one/840_560.jpeg", "two/840_560.jpeg", "84/0_560.jpeg", "840_/560.jpeg", "query.png?v=1",
    "query.png?v=2", "Case.png", "case.png", "e%CC%81.gif", "%C3%A9.gif",
  ]

  init(_ setting: DialectSetting) {
    self.setting = setting
    library = setting.media
    library.add(
      MediaSet(name: "alike", bytes: 3_000...300_000, mindsQuery: true) { Self.alike.contains($0) })
    library.add(
      MediaSet(name: "same", bytes: 9_000...9_000, sharedShare: 1, stock: 1) {
        ["a.png", "b.png", "c.png"].contains($0)
      })
  }

  func answer(_ request: SandboxRequest) -> Reply {
    guard request.path.count >= 2 else { return Self.missing }
    // Keys are compared as they were sent: "é" has two spellings, and both are here.
    let rawPath = String(Target(request.head.target).rawPath)
    let key = rawPath.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .dropFirst(3).map { String(Substring($0)) }.joined(separator: "/")
    if request.path[0] == "trouble" { return trouble(key) }
    guard let set = library.set(request.path[0]) else { return Self.missing }
    let wanted = set.mindsQuery && !request.rawQuery.isEmpty ? "\(key)?\(request.rawQuery)" : key
    guard set.contains(wanted) else { return Self.missing }
    return reply(library.item(set, wanted), request)
  }

  private func reply(_ item: MediaItem, _ request: SandboxRequest) -> Reply {
    switch item.state {
    case .missing: return Self.missing(picture: item)
    case .html: return Self.html(as: item.format)
    case .empty: return Reply(200, [("Content-Type", item.format.type)])
    case .good, .cut: break
    }
    let tag = "\"\(Hex.word(item.tag))\""
    // Some day of the years before the data set ends.
    let changedAt = Instant(seconds: 1_500_000_000 + Int64(item.tag % 250_000_000))
    let changed = CivilTime(changedAt).httpDate
    let fields = [
      ("Content-Type", item.format.type), ("ETag", tag), ("Last-Modified", changed),
      ("Cache-Control", "max-age=300"),
    ]
    let isKnown =
      request.header("If-None-Match").map { $0 == tag }
      ?? (request.header("If-Modified-Since").flatMap { Instant(httpDate: $0) }
        .map { $0 >= changedAt } ?? false)
    if isKnown { return Reply(304, fields) }
    var reply = Reply(200, fields, body: item.file())
    if item.state == .cut { reply.fault = .cutLength }
    return reply
  }

  private func trouble(_ key: String) -> Reply {
    let salt = SeededRandom.digest(key.utf8, seed: setting.seed)
    var item = MediaItem(
      picture: salt, format: PictureFormat(path: key) ?? .png, bytes: 40_000, tag: salt,
      state: .good)
    if key == "huge.png" { item.bytes = 12 << 20 }
    var reply = Reply(200, [("Content-Type", item.format.type)])
    switch key {
    case "missing.png": return Self.missing(picture: item)
    case "html.png": return Self.html(as: item.format)
    case "empty.png": return reply
    case "denied.png":
      let text = "<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code></Error>"
      return Reply(403, [("Content-Type", "application/xml")], body: Array(text.utf8))
    case "cut.jpeg": reply.fault = .cutLength
    case "slow.png": reply.fault = .drip
    case "truncated.gif":
      let file = item.file()
      reply.body = Array(file[..<(file.count / 2)])
      return reply
    case "mislabelled.png": item.format = .jpeg
    case "huge.png": break
    default: return Self.missing
    }
    reply.body = item.file()
    return reply
  }

  private static let missing = Reply.html(404, "<html><h1>404 Not Found</h1></html>\n")

  private static func missing(picture item: MediaItem) -> Reply {
    Reply(404, [("Content-Type", item.format.type)], body: item.file())
  }

  private static func html(as format: PictureFormat) -> Reply {
    let page = "<!DOCTYPE html><html><body><h1>Please log in</h1></body></html>\n"
    return Reply(200, [("Content-Type", format.type)], body: Array(page.utf8))
  }

  func truth(now: Instant, of: String?) -> Truth {
    var truth = Truth(api: name, seed: setting.seed, size: setting.size)
    truth.media += Self.alike.map { library.truth("alike", $0) }
    truth.media += ["a.png", "b.png", "c.png"].map { library.truth("same", $0) }
    let troubles: [(String, Truth.Image.State)] = [
      ("missing.png", .missing), ("html.png", .html), ("cut.jpeg", .cut),
      ("truncated.gif", .cut), ("empty.png", .empty), ("denied.png", .missing),
    ]
    for (key, state) in troubles {
      truth.media.append(
        Truth.Image(
          url: library.url("trouble", key), state: state, sha256: nil, bytes: 0, type: "image"))
    }
    for key in ["slow.png", "mislabelled.png"] {
      let body = trouble(key).body
      truth.media.append(
        Truth.Image(
          url: library.url("trouble", key), state: .good, sha256: SHA256.hex(body),
          bytes: body.count, type: key == "slow.png" ? "image/png" : "image/jpeg"))
    }
    return truth
  }

  /// Images have no order that could move.
  func drift(insert: Int, delete: Int, list: String?) {}
}
