internal import Base

/// The frame of every page: loads nothing but images of the data folder, runs nothing.
enum HTMLPage {
  /// - Parameter refresh: seconds after which a browser reloads the page.
  static func text(title: String, refresh: Int? = nil, body: String) -> String {
    let again =
      refresh.map { "\n<meta http-equiv=\"refresh\" content=\"\($0)\">" } ?? ""
    return """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <meta name="referrer" content="no-referrer">\(again)
      <meta http-equiv="Content-Security-Policy" \
      content="default-src 'none'; img-src 'self' file:; style-src 'unsafe-inline'">
      <title>\(HTMLText.escaped(title, max: 120))</title>
      <style>
      \(HTMLStyle.text)
      </style>
      </head>
      <body>
      \(body)
      </body>
      </html>

      """
  }

  /// As many parts of a page as fit.
  static func fitting(_ parts: [String], bytes: Int = HTMLReport.partBytesMax) -> [String] {
    var room = bytes
    return Array(
      parts.prefix {
        room -= $0.utf8.count
        return room >= 0
      })
  }

  /// Nothing without content: a heading alone says nothing.
  static func section(_ title: String, _ content: String) -> String {
    content.isEmpty ? "" : "<section><h2>\(HTMLText.escaped(title))</h2>\(content)</section>"
  }

  /// A table that scrolls by itself if it is wider than a phone. Each heading has a class.
  static func table(_ heads: [(title: String, kind: String)], _ rows: [String], kind: String = "")
    -> String
  {
    let head = heads.map { title, kind in
      "<th scope=\"col\"\(attribute(kind))>\(HTMLText.escaped(title))</th>"
    }
    return
      "<div class=\"scroll\"><table\(attribute(kind))><thead><tr>\(head.joined())</tr></thead>\n"
      + "<tbody>\n\(rows.joined(separator: "\n"))\n</tbody></table></div>"
  }

  /// A colour and its meaning.
  static func key(_ colour: String, _ word: String) -> String {
    "<span class=\"key\"><span style=\"color:\(colour)\">■</span> "
      + "\(HTMLText.escaped(word))</span>"
  }

  private static func attribute(_ kind: String) -> String {
    kind.isEmpty ? "" : " class=\"\(kind)\""
  }
}

extension HTMLText {
  /// Foreign text in an element of its own, so that its direction does not leak.
  static func foreign(_ text: String, max: Int = 300) -> String {
    let isBlank = text.unicodeScalars.allSatisfy(\.properties.isWhitespace)
    return "<bdi>\(isBlank ? "–" : escaped(text, max: max))</bdi>"
  }

  /// `2026-11-21 14:49:01 UTC`.
  static func time(_ instant: Instant) -> String {
    let text = instant.description
    let shown = text.dropLast().split(separator: "T").joined(separator: " ")
    return "<time datetime=\"\(text)\">\(shown) UTC</time>"
  }
}
