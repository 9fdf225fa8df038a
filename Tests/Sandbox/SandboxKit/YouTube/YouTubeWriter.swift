internal import Base

/// Writes videos and channels as YouTube does.
struct YouTubeWriter: Sendable {
  let world: YouTubeWorld
  let media: MediaLibrary
  /// Whole hours since the sandbox started, by which views grow.
  let hours: Int64

  static let mediaSet = "yt"
  /// The thumbnail that every answer has.
  static let high = "hqdefault.jpg"

  static func thumbnailKey(_ id: String, _ file: String = high) -> String { "vi/\(id)/\(file)" }
  static func channelKey(_ number: Int, _ file: String) -> String {
    "ch/\(YouTubeID.channel(number))/\(file)"
  }

  func channelTitle(_ number: Int) -> String {
    number.isMultiple(of: 2) ? "Sandbox & Friends \(number)" : "모래상자 \(number)"
  }

  // MARK: search

  /// Titles with `&amp;`, shortened descriptions, three thumbnails only.
  func writeFound(_ video: YouTubeVideo, to json: inout JSONWriter) {
    json.object { json in
      head("youtube#searchResult", of: video.id, to: &json)
      json.object("id") { json in
        json.member("kind", "youtube#video")
        json.member("videoId", video.id)
      }
      json.object("snippet") { json in
        json.member("publishedAt", video.publishedText)
        json.member("channelId", YouTubeID.channel(video.channel))
        json.member("title", Self.escaped(video.title))
        json.member("description", Self.escaped(Self.shortened(video.text)))
        json.object("thumbnails") { small(video, to: &$0) }
        json.member("channelTitle", Self.escaped(channelTitle(video.channel)))
        json.member("liveBroadcastContent", "none")
        json.member("publishTime", video.publishedText)
      }
    }
  }

  // MARK: the other methods

  func write(_ video: YouTubeVideo, parts: Set<String>, to json: inout JSONWriter) {
    json.object { json in
      head("youtube#video", of: "\(video.id) \(hours)", to: &json)
      json.member("id", video.id)
      if parts.contains("snippet") {
        json.object("snippet") { json in
          json.member("publishedAt", video.publishedText)
          json.member("channelId", YouTubeID.channel(video.channel))
          json.member("title", video.title)
          json.member("description", video.text)
          json.object("thumbnails") { all(video, to: &$0) }
          json.member("channelTitle", channelTitle(video.channel))
          json.member("categoryId", "28")
          json.member("liveBroadcastContent", "none")
        }
      }
      if parts.contains("contentDetails") {
        json.object("contentDetails") { json in
          json.member("duration", video.duration)
          json.member("dimension", "2d")
          json.member("definition", "hd")
          json.member("caption", "false")
        }
      }
      if parts.contains("statistics") { statistics(video, to: &json) }
      if parts.contains("paidProductPlacementDetails") {
        json.object("paidProductPlacementDetails") { json in
          json.member("hasPaidProductPlacement", false)
        }
      }
    }
  }

  /// A video as `videos:batchGetStats` has it.
  func writeStatistics(_ video: YouTubeVideo, parts: Set<String>, to json: inout JSONWriter) {
    json.object { json in
      head("youtube#videoStats", of: "\(video.id) \(hours)", to: &json)
      json.member("id", video.id)
      if parts.contains("snippet") {
        json.object("snippet") { json in json.member("publishTime", video.publishedText) }
      }
      if parts.contains("statistics") { statistics(video, to: &json) }
      if parts.contains("contentDetails") {
        json.object("contentDetails") { json in json.member("duration", video.duration) }
      }
    }
  }

  /// Numbers are texts; what an owner hides is missing.
  private func statistics(_ video: YouTubeVideo, to json: inout JSONWriter) {
    json.object("statistics") { json in
      json.member("viewCount", String(video.views(hours: hours)))
      if let likes = video.likes(hours: hours) { json.member("likeCount", String(likes)) }
      json.member("favoriteCount", "0")
      if let comments = video.comments(hours: hours) {
        json.member("commentCount", String(comments))
      }
    }
  }

  func writeChannel(_ number: Int, parts: Set<String>, to json: inout JSONWriter) {
    let id = YouTubeID.channel(number)
    json.object { json in
      head("youtube#channel", of: id, to: &json)
      json.member("id", id)
      if parts.contains("snippet") {
        json.object("snippet") { json in
          json.member("title", channelTitle(number))
          json.member("description", "Videos that nobody filmed.\n\n\"As is\" & <free>.")
          json.member("customUrl", "@\(YouTubeID.handle(number))")
          json.member(
            "publishedAt",
            YouTubeVideo.time(world.channelPublishedAt(number), digits: 4 + number % 3))
          json.object("thumbnails") { json in
            for (name, side) in [("default", 88), ("medium", 240), ("high", 800)] {
              let key = Self.channelKey(number, "\(name).jpg")
              thumbnail(name, media.url(Self.mediaSet, key), side, side, to: &json)
            }
          }
        }
      }
      if parts.contains("contentDetails") {
        json.object("contentDetails") { json in
          json.object("relatedPlaylists") { json in
            json.member("likes", "")
            json.member("uploads", YouTubeID.uploads(number))
          }
        }
      }
      if parts.contains("statistics") {
        json.object("statistics") { json in
          json.member("viewCount", "1234567890123")
          if number % 3 != 2 { json.member("subscriberCount", "2300000") }
          json.member("hiddenSubscriberCount", number % 3 == 2)
          json.member("videoCount", String(world.indices.count / world.options.channels))
        }
      }
    }
  }

  /// An entry of a list. A deleted or private video keeps its place and loses everything else.
  func writeEntry(
    _ video: YouTubeVideo, place: Int, parts: Set<String>, to json: inout JSONWriter
  ) {
    let state = world.state(video.index)
    let list = YouTubeID.uploads(video.channel)
    json.object { json in
      head("youtube#playlistItem", of: list + video.id, to: &json)
      json.member("id", Base64.encoded(Array("\(list).\(video.id)".utf8)))
      if parts.contains("snippet") {
        json.object("snippet") { json in
          // The day on which it was added to the list, not that of the video.
          let added = video.publishedAt + .seconds(3600)
          json.member("publishedAt", YouTubeVideo.time(added, digits: 0))
          json.member("channelId", YouTubeID.channel(video.channel))
          switch state {
          case .here:
            json.member("title", video.title)
            json.member("description", video.text)
          case .deleted:
            json.member("title", "Deleted video")
            json.member("description", "This video is unavailable.")
          case .private_:
            json.member("title", "Private video")
            json.member("description", "This video is private.")
          }
          json.object("thumbnails") { json in if state == .here { all(video, to: &json) } }
          json.member("channelTitle", channelTitle(video.channel))
          json.member("playlistId", list)
          json.member("position", place)
          json.object("resourceId") { json in
            json.member("kind", "youtube#video")
            json.member("videoId", video.id)
          }
          if state == .here {
            json.member("videoOwnerChannelTitle", channelTitle(video.channel))
            json.member("videoOwnerChannelId", YouTubeID.channel(video.channel))
          }
        }
      }
      if parts.contains("contentDetails") {
        json.object("contentDetails") { json in
          json.member("videoId", video.id)
          if state == .here { json.member("videoPublishedAt", video.publishedText) }
        }
      }
    }
  }

  // MARK: parts

  private func head(_ kind: String, of text: String, to json: inout JSONWriter) {
    json.member("kind", kind)
    json.member("etag", Self.tag(kind + text, seed: world.seed))
  }

  /// 27 characters without quotes.
  static func tag(_ text: String, seed: UInt64) -> String {
    let first = SeededRandom.digest(text.utf8, seed: seed)
    let words = (0..<3).map { YouTubeID.text(of: SeededRandom.mixed(first, $0)) }
    return String(words.joined().prefix(27))
  }

  private func small(_ video: YouTubeVideo, to json: inout JSONWriter) {
    let base = media.url(Self.mediaSet, Self.thumbnailKey(video.id, ""))
    thumbnail("default", base + "default.jpg", 120, 90, to: &json)
    thumbnail("medium", base + "mqdefault.jpg", 320, 180, to: &json)
    thumbnail("high", base + Self.high, 480, 360, to: &json)
  }

  private func all(_ video: YouTubeVideo, to json: inout JSONWriter) {
    small(video, to: &json)
    let base = media.url(Self.mediaSet, Self.thumbnailKey(video.id, ""))
    if YouTubeVideo.hasStandard(video.bits) {
      thumbnail("standard", base + "sddefault.jpg", 640, 480, to: &json)
    }
    if YouTubeVideo.hasLargest(video.bits) {
      thumbnail("maxres", base + "maxresdefault.jpg", 1280, 720, to: &json)
    }
  }

  private func thumbnail(
    _ name: String, _ url: String, _ width: Int, _ height: Int, to json: inout JSONWriter
  ) {
    json.object(name) { json in
      json.member("url", url)
      json.member("width", width)
      json.member("height", height)
    }
  }

  /// The five characters that YouTube's search escapes.
  static func escaped(_ text: String) -> String {
    var out = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": out += "&amp;"
      case "<": out += "&lt;"
      case ">": out += "&gt;"
      case "\"": out += "&quot;"
      case "'": out += "&#39;"
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out
  }

  /// One line of about 120 characters.
  static func shortened(_ text: String) -> String {
    let line = text.split { $0.isNewline }.joined(separator: " ")
    guard line.count > 120 else { return line }
    let cut = line.prefix(120)
    return (cut.lastIndex(of: " ").map { cut[..<$0] } ?? cut) + " ..."
  }
}
