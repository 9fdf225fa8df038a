internal import Base

/// Writes one GIF as GIPHY does.
struct GiphyWriter: Sendable {
  let images: GiphyImages

  func write(_ gif: GiphyGif, to json: inout JSONWriter) {
    let kind = gif.isSticker ? "sticker" : "gif"
    let source = gif.bits >> 44 & 3 == 0 ? "https://example.com/source/\(gif.index)" : ""
    json.object { json in
      json.member("type", kind)
      json.member("id", gif.id)
      json.member("url", "https://giphy.com/\(kind)s/\(gif.slug)")
      json.member("slug", gif.slug)
      json.member("bitly_gif_url", "https://gph.is/g/\(gif.index)")
      json.member("bitly_url", "https://gph.is/g/\(gif.index)")
      json.member("embed_url", "https://giphy.com/embed/\(gif.id)")
      json.member("username", gif.username)
      json.member("source", source)
      json.member("title", gif.title)
      json.member("rating", gif.rating.rawValue)
      json.member("content_url", "")
      json.member("source_tld", source.isEmpty ? "" : "example.com")
      json.member("source_post_url", source)
      json.member("is_sticker", gif.isSticker ? 1 : 0)
      json.member("import_datetime", gif.importedAt)
      json.member("trending_datetime", gif.trendedAt)
      images.write(gif, to: &json)
      if !gif.username.isEmpty { user(gif, to: &json) }
      let payload = "e=\(Hexadecimal.text(gif.bits))"
      json.member("analytics_response_payload", payload)
      if gif.bits >> 48 & 7 == 0 {
        json.key("_score")
        json.real(Double(gif.bits >> 50 & 0xFF) / 8)
      }
    }
  }

  private func user(_ gif: GiphyGif, to json: inout JSONWriter) {
    json.object("user") { json in
      json.member("username", gif.username)
      json.member("display_name", gif.username.uppercased())
      json.member("profile_url", "https://giphy.com/\(gif.username)/")
      json.member("description", "")
      json.member("is_verified", gif.bits >> 52 & 1 == 0)
    }
  }
}
