internal import Base

/// The renditions of a GIF, whose URLs differ on each call: by host, since GIPHY shards its caches, and by a query that
/// identifies the caller.
///
/// A loopback address has no host names, so the host is the first part of the path below `/media`:
/// `/media/media3.giphy.com/media/ID/200_s.gif?cid=...`. All hosts have the same files.
struct GiphyImages: Sendable {
  static let shards = 5

  let media: MediaLibrary
  /// The query of this call: a part of the key, and the id of the answer.
  let caller: String
  /// Differs on each call.
  let call: UInt64

  static func set(_ shard: Int) -> String { "media\(shard).giphy.com" }

  /// The key of a file within each shard.
  static func key(_ id: String, _ file: String) -> String { "media/\(id)/\(file)" }

  /// Adds the folder under its five names.
  static func add(to media: MediaLibrary, seed: UInt64) {
    for shard in 0..<shards {
      media.add(
        MediaSet(name: set(shard), bytes: 2_000...60_000, sharedShare: 0.1, pictures: "giphy") {
          key in
          let parts = key.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
          guard parts.count == 3, parts[0] == "media", files.contains(parts[2]) else {
            return false
          }
          return GiphyGif.index(id: parts[1], seed: seed) != nil
        })
    }
  }

  static let files: Set<String> = [
    "200_s.gif", "200w_s.gif", "giphy-downsized_s.gif", "giphy_s.gif", "200.gif", "200w.gif",
    "200_d.gif", "giphy.gif", "giphy-preview.gif",
  ]

  /// The file of a GIF's best still, in the order in which a careful client looks: one in eleven lacks the first
  /// choice, and some of those the second.
  static func still(of gif: GiphyGif) -> String {
    switch gif.bits >> 28 & 0xFF {
    case 0..<232: "200_s.gif"
    case 232..<240: "200w_s.gif"
    case 240..<246: "giphy-downsized_s.gif"
    case 246..<252: "giphy_s.gif"
    default: "200.gif"
    }
  }

  func write(_ gif: GiphyGif, to json: inout JSONWriter) {
    let stills = [
      ("fixed_height_still", "200_s.gif"), ("fixed_width_still", "200w_s.gif"),
      ("downsized_still", "giphy-downsized_s.gif"), ("original_still", "giphy_s.gif"),
    ]
    let best = Self.still(of: gif)
    let first = stills.firstIndex { $0.1 == best } ?? stills.count
    json.object("images") { json in
      for (place, still) in stills.enumerated() {
        // A missing one is omitted entirely, or has an empty address.
        if place < first, gif.bits >> 36 & 1 == 0 { continue }
        rendition(still.0, place < first ? nil : still.1, gif, still: true, to: &json)
      }
      rendition("fixed_height", "200.gif", gif, to: &json)
      rendition("fixed_width", "200w.gif", gif, to: &json)
      rendition("fixed_height_downsampled", "200_d.gif", gif, to: &json)
      rendition("original", "giphy.gif", gif, to: &json)
      json.object("looping") { json in
        json.member("mp4_size", String(100_000 + gif.bits % 900_000))
        json.member("mp4", url(gif, "giphy-loop.mp4"))
      }
      rendition("preview_gif", "giphy-preview.gif", gif, to: &json)
    }
  }

  /// Numbers are texts, and a size may be missing.
  private func rendition(
    _ name: String, _ file: String?, _ gif: GiphyGif, still: Bool = false,
    to json: inout JSONWriter
  ) {
    json.object(name) { json in
      json.member("height", "200")
      json.member("width", String(100 + gif.bits % 300))
      if !still { json.member("size", gif.bits >> 40 & 7 == 0 ? "0" : String(gif.bits % 90_000)) }
      json.member("url", file.map { url(gif, $0) } ?? "")
    }
  }

  private func url(_ gif: GiphyGif, _ file: String) -> String {
    let shard = Int(SeededRandom.mixed(call, UInt64(gif.index)) % UInt64(Self.shards))
    let kind = gif.isSticker ? "s" : "g"
    return media.url(Self.set(shard), Self.key(gif.id, file))
      + "?cid=\(caller)&rid=\(file)&ct=\(kind)"
  }
}
