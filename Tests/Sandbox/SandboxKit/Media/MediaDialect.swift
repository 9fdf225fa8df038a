internal import Base

/// Images below `/media`: those of the APIs' records.
final class MediaDialect: Dialect {
  let name = "media"
  private let library: MediaLibrary

  static let entry = DialectTable.Entry(
    name: "media", about: "images: PNG, JPEG, GIF with ETag, Last-Modified and 304",
    paths: [("/{set}/{key}", "the images that records point at; u is GitHub's avatars")],
    make: { MediaDialect($0) })

  init(_ setting: DialectSetting) {
    library = setting.media
  }

  func answer(_ request: SandboxRequest) -> Reply {
    guard request.path.count >= 2 else { return Self.missing }
    // Keys are compared as sent: "é" has two spellings, and both exist here.
    let rawPath = String(Target(request.head.target).rawPath)
    let key = rawPath.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .dropFirst(3).map { String(Substring($0)) }.joined(separator: "/")
    guard let item = library.item(request.path[0], key) else { return Self.missing }
    return reply(item, request)
  }

  private func reply(_ item: MediaItem, _ request: SandboxRequest) -> Reply {
    let type = ("Content-Type", item.format.type)
    switch item.state {
    case .missing: return Reply(404, [type], body: item.file())
    case .html: return Reply(200, [type], body: Self.loginPage)
    case .empty: return Reply(200, [type])
    case .good, .cut: break
    }
    let tag = "\"\(Hexadecimal.text(item.tag))\""
    // Some day in the years before the data set ends.
    let changedAt = Instant(seconds: 1_500_000_000 + Int64(item.tag % 250_000_000))
    let changed = CivilTime(changedAt).httpDate
    let fields = [
      type, ("ETag", tag), ("Last-Modified", changed), ("Cache-Control", "max-age=300"),
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

  private static let missing = Reply.html(404, "<html><h1>404 Not Found</h1></html>\n")
  private static let loginPage = Array(
    "<!DOCTYPE html><html><body><h1>Please log in</h1></body></html>\n".utf8)

  func truth(now: Instant, of: String?) -> Truth { Truth() }

  /// Images have no order that could change.
  func drift(insert: Int, delete: Int, list: String?) {}
}
